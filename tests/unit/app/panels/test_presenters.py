"""Presenters between a session, whose workers the test stands in for, and panels on screen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from shaderlab.app.editor.assembly import Assembly
from shaderlab.app.editor.assistant import Assistant
from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.panels.blocks.panel import BlocksPanel
from shaderlab.app.panels.blocks.presenter import BlocksPresenter
from shaderlab.app.panels.frame.panel import FramePanel
from shaderlab.app.panels.frame.presenter import FramePresenter
from shaderlab.app.panels.inputs.panel import InputsPanel
from shaderlab.app.panels.inputs.presenter import InputsPresenter
from shaderlab.app.panels.outline.panel import OutlinePanel
from shaderlab.app.panels.outline.presenter import OutlinePresenter
from shaderlab.app.panels.problems.panel import Problems
from shaderlab.app.panels.problems.presenter import ProblemsPresenter
from shaderlab.app.panels.profile.panel import ProfilePanel
from shaderlab.app.panels.profile.presenter import ProfilePresenter
from shaderlab.app.qt import QAction, Qt, QtWidgets, QWidget
from shaderlab.app.session import capture_jobs
from shaderlab.app.settings import Settings
from shaderlab.app.widgets.boxes import vertical
from shaderlab.app.widgets.notifications import NotificationCentre
from shaderlab.app.widgets.theme import DARK
from shaderlab.app.widgets.throttle import Throttle
from shaderlab.captures.frame import Listed
from shaderlab.errors import CompileFailed
from shaderlab.frontend.program import Diagnostic, Severity
from tests.unit.app.session.driven import Driven
from tests.unit.app.session.fakes import LLVMPIPE
from tests.unit.app.session.test_capture_jobs import Reader, draw


@pytest.fixture
def driven(qapp) -> Iterator[Driven]:
    made = Driven()
    made.session.use_device(LLVMPIPE)
    yield made
    made.session.close()


def test_the_outline_marks_the_carets_part_and_leads_into_the_text(qtbot, driven):
    window, editor, panel = QWidget(), Editor(DARK), OutlinePanel(DARK)
    vertical(window, panel, editor)
    qtbot.addWidget(window)
    OutlinePresenter(driven.session, panel, editor, Assistant(editor))
    editor.set_text("void one() {}\nfloat two(float x) {\n    return x;\n}\n")
    editor.go_to(3, 1)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    panel.hide()  # and shown again: the text is read anew
    panel.show()
    (chosen,) = panel.table.selectionModel().selectedRows()
    assert chosen.row() == 1
    panel.table.setFocus()
    panel.table.selectRow(0)
    qtbot.keyClick(panel.table, Qt.Key.Key_Return)
    assert editor.caret == (1, 6)
    assert editor.isAncestorOf(QtWidgets.QApplication.focusWidget())


def test_what_compiles_for_the_first_time_is_not_called_good_before(qtbot, driven):
    panel, refresh = Problems(DARK), Throttle(0)
    qtbot.addWidget(panel)
    ProblemsPresenter(driven.session, panel, refresh)
    driven.session.open_text("a", "a.frag", None)
    shown = []
    for _ in range(2):
        refresh.now()
        shown.append((panel._text.text(), panel._icon.pixmap().toImage()))
        if len(shown) == 1:
            driven.compiles("a")
    assert [text.partition(" ")[0] for text, _ in shown] == ["Compiling\u2026", "Compiled:"]
    assert shown[0][1] != shown[1][1]


def test_trials_and_draws_that_are_chosen_become_the_settings(qtbot, driven):
    settings = Settings()
    panel = ProfilePanel(DARK, *(QAction(each) for each in ("P", "S", "X")), 10, 30)
    qtbot.addWidget(panel)
    ProfilePresenter(driven.session, panel, settings, QAction("P"), Throttle(0))
    for field in (panel._trials, panel._draws):
        qtbot.keyClick(field, Qt.Key.Key_Up)
    assert (settings.trials, settings.draws) == (11, 31)


def test_a_frame_can_be_stopped_while_it_is_read(qtbot, driven, monkeypatch):
    monkeypatch.setattr(capture_jobs, "OpenedCapture", Reader)
    monkeypatch.setattr(Reader, "made", [], raising=False)
    panel = FramePanel(DARK)
    qtbot.addWidget(panel)
    panel.show()
    FramePresenter(driven.session, panel, Settings(), cast("Any", None), NotificationCentre())
    driven.session.capture.open(Path("one.rdc"))
    (reader,) = Reader.made
    reader.say(Listed((draw(7),), ""))
    qtbot.waitUntil(panel.stop.isVisible)
    panel.stop.click()
    qtbot.waitUntil(lambda: not panel.stop.isVisible())
    assert reader.stopped


@pytest.mark.parametrize("compiles", [True, False])
def test_what_panels_say_before_there_is_a_program(shown, driven, compiles, monkeypatch):
    blocks, inputs, editor = BlocksPanel(DARK), InputsPanel(DARK), Editor(DARK)
    refresh = Throttle(0)
    shown(blocks, 400, 160)
    shown(inputs, 400, 160)
    assembly = Assembly(driven.session, editor)
    BlocksPresenter(driven.session, blocks, editor, assembly, refresh, lambda: True)
    InputsPresenter(driven.session, inputs, NotificationCentre(), refresh)
    driven.session.open_text("a", "a.frag", None)
    if not compiles:
        driven.text.fail(CompileFailed("a", (Diagnostic(1, 1, Severity.ERROR, "no"),)))
    refresh.now()
    monkeypatch.setattr(inputs, "show_empty", lambda: pytest.fail("nothing has changed"))
    refresh.now()
