"""A captured frame in the real window: listed, counted, opened draw by draw, edited."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from shaderlab.app.panels.frame.rows import DRAW, SINCE_PIN
from shaderlab.app.qt import Qt, QtWidgets
from shaderlab.app.shell.capture_dialog import CaptureDialog
from shaderlab.captures import shader_texts
from shaderlab.captures.running import Launch, Run
from shaderlab.captures.shader_texts import Origin
from shaderlab.frontend import tools
from shaderlab.workers.frame_heat import FrameHeatKind

needs_text = pytest.mark.skipif(
    tools.find(shader_texts.DECOMPILER) is None,
    reason="spirv-cross is not installed: apt-get install spirv-cross",
)
SLOWER = "    for (int i = 0; i < 40; i++) uFragColor = sqrt(uFragColor + vec4(float(i)));\n"


@pytest.fixture(scope="module", autouse=True)
def own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME"):
            patch.setenv(name, str(tmp_path_factory.mktemp(name.lower())))
        yield


@pytest.fixture(scope="module")
def opened(driven, cube: Path):
    """The window with the capture open and all of it counted."""
    driven.show()
    driven.window.documents.open(cube)
    capture = driven.session.capture
    driven.wait(lambda: not capture.reading and capture.summed.forecasts, "the frame's times")
    panel = driven.window.frame_panel
    driven.wait(lambda: any(row.time_s for row in panel.draws.rows), "times on screen")
    return driven


def click_draw(driven, qtbot: QtBot, number: int = 0) -> None:
    table = driven.window.frame_panel.table
    place = table.visualRect(table.model().index(number, DRAW)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    driven.wait(lambda: driven.session.capture.chosen is not None, "the draw's shader")
    driven.complete()


def test_draws_passes_and_the_frames_time_are_shown(opened):
    panel, capture = opened.window.frame_panel, opened.session.capture
    (row,) = panel.draws.rows
    assert row.event in capture.draws
    assert row.share == 1.0
    assert row.pixels
    assert row.invocations
    assert row.difference is not None
    assert row.difference <= 0.005
    assert panel.passes.count() == 1
    assert {each.target for each in panel.targets.rows} >= {"rtx3060", "llvmpipe"}
    assert panel.headline.text().startswith("Frame: ")
    assert panel.isVisible()
    assert opened.window.settings.recent[0].endswith(".rdc")


def test_the_frames_heat_map_counts_what_the_draws_count(opened):
    panel, capture = opened.window.frame_panel, opened.session.capture
    panel.pages.setCurrentWidget(panel.heat)
    opened.wait(lambda: capture.heat and capture.heat.done == capture.heat.total, "the heat map")
    (known,) = capture.found.values()
    assert int(np.nansum(capture.heat.values)) == known.invocations
    assert int((~np.isnan(capture.heat.values)).sum()) == known.trace.pixels
    panel.pages.setCurrentWidget(panel.table)


def test_a_double_click_asks_for_a_draw_once(opened, qtbot: QtBot):
    panel = opened.window.frame_panel
    asked: list[int] = []
    panel.draw_chosen.connect(asked.append)
    table = panel.table
    place = table.visualRect(table.model().index(0, DRAW)).center()
    left = Qt.MouseButton.LeftButton
    qtbot.mouseClick(table.viewport(), left, pos=place)
    qtbot.mouseDClick(table.viewport(), left, pos=place)
    strip = panel.passes
    at = strip.visualItemRect(strip.item(0)).center()
    event = panel.draws.rows[0].event
    assert asked == [event]
    qtbot.mouseClick(strip.viewport(), left, pos=at)
    qtbot.mouseDClick(strip.viewport(), left, pos=at)
    assert asked == [event, event]
    table.setFocus()
    table.selectRow(0)
    qtbot.keyClick(table, Qt.Key.Key_Return)
    assert asked == [event, event, event]
    panel.draw_chosen.disconnect(asked.append)
    opened.wait(lambda: opened.session.capture.chosen is not None, "the draw's shader")
    opened.complete()


@needs_text
def test_a_draw_is_opened_edited_and_taken_back(opened, qtbot: QtBot):
    capture, panel = opened.session.capture, opened.window.frame_panel
    click_draw(opened, qtbot)
    chosen = capture.chosen
    assert chosen is not None
    assert chosen.shader.origin is Origin.DECOMPILED
    assert "void main()" in opened.editor.text
    frame = opened.session.on_device.pictures.frame
    assert frame is not None
    assert frame.draw.size == chosen.draw.size
    assert opened.session.trace is not None
    assert opened.session.trace.pixels == panel.draws.rows[0].pixels
    assert not capture.edited

    text = opened.editor.text
    at = text.rindex("}")
    opened.edit(text[:at] + SLOWER + text[at:])
    event = chosen.draw.event
    opened.wait(lambda: event in capture.edited, "the edited draw")
    opened.wait(lambda: "vs before" in panel.headline.text(), "the change on screen")
    now, before = (
        next(f for f in each if f.target == "llvmpipe").time_s
        for each in (capture.summed.forecasts, capture.summed.before)
    )
    assert now is not None
    assert before is not None
    assert now > before
    (row,) = panel.draws.rows
    assert row.is_edited
    qtbot.mouseClick(panel.pin, Qt.MouseButton.LeftButton)
    opened.wait(lambda: "no change since pin" in panel.headline.text(), "the pinned frame")
    assert not panel.table.isColumnHidden(SINCE_PIN)
    assert row.difference is not None
    assert row.difference > 0.01

    panel.heat.show_kind(FrameHeatKind.DIFFERENCE)
    panel.pages.setCurrentWidget(panel.heat)
    opened.wait(
        lambda: capture.heat and capture.heat.kind is FrameHeatKind.DIFFERENCE, "the difference"
    )
    assert (capture.heat.values > 2).mean() == pytest.approx(row.difference, abs=0.02)
    panel.heat.show_kind(FrameHeatKind.OVERDRAW)
    panel.pages.setCurrentWidget(panel.table)

    opened.edit(text)
    opened.wait(lambda: not capture.edited, "the captured shader")
    opened.wait(lambda: not panel.draws.rows[0].is_edited, "the table")
    opened.editor.set_unmodified()


@needs_text
def test_a_captured_shader_is_swept_in_its_frame(opened, qtbot: QtBot):
    click_draw(opened, qtbot)
    text = opened.editor.text
    at = text.rindex("}")
    loop = "    for (int i = 0; i < N; i++) uFragColor = sqrt(uFragColor);\n"
    opened.edit(("#version 450\n#define N 1" + text[len("#version 450") : at]) + loop + "}\n")
    studies = opened.window.studies_panel
    opened.window.actions_["view.studies"].trigger()
    studies.setCurrentWidget(studies.sweep)
    view = studies.sweep
    opened.wait(lambda: view.names.findData("N") >= 0, "the constant")
    view.names.setCurrentIndex(view.names.findData("N"))
    opened.wait(lambda: not view.measure.isEnabled(), "that draws cannot be timed")
    view.values.setText("0,1,400")
    view.targets.setCurrentIndex(view.targets.findData("llvmpipe"))
    qtbot.mouseClick(view.start, Qt.MouseButton.LeftButton)
    opened.wait(lambda: len(view.model.rows) == 3 and view.start.isEnabled(), "the sweep")
    assert view.model.rows[1].is_reference
    assert view.model.rows[2].changed != "0 %"
    event = opened.session.capture.chosen.draw.event
    assert f"the shader of draw {event} varies" in view.summary.text()
    opened.edit(text)
    opened.editor.set_unmodified()


@needs_text
def test_another_document_is_drawn_in_its_own_way_again(opened, qtbot: QtBot):
    click_draw(opened, qtbot)
    assert opened.session.drawing.captured is not None
    opened.editor.set_unmodified()
    opened.show()
    assert opened.session.drawing.captured is None
    assert opened.session.capture.chosen is None
    assert opened.session.trace.size == (1024, 768)


def test_the_filter_and_a_target_are_chosen_by_hand(opened, qtbot: QtBot):
    panel = opened.window.frame_panel
    qtbot.keyClicks(panel.filter, "no such draw")
    assert not panel.draws.rows
    panel.filter.clear()
    assert len(panel.draws.rows) == 1
    before = panel.draws.rows[0].time_s
    panel.target_chosen.emit("uhd630")
    opened.wait(lambda: panel.draws.rows[0].time_s != before, "the other target's time")


def test_a_file_that_is_no_capture_is_refused_in_the_panel(opened, tmp_path: Path, cube: Path):
    path = tmp_path / "other.rdc"
    path.write_bytes(b"RDOC and nothing that RenderDoc could read")
    opened.window.documents.open(path)
    panel, capture = opened.window.frame_panel, opened.session.capture
    opened.wait(lambda: capture.error is not None, "the refusal")
    opened.wait(lambda: "cannot be opened" in panel.empty.text, "the sentence")
    opened.window.documents.open(cube)
    opened.wait(lambda: capture.summed.forecasts and panel.draws.rows, "the frame again")


def test_a_program_is_captured_from_the_dialog(
    opened, cube_display: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("DISPLAY", cube_display)
    window, capture = opened.window, opened.session.capture
    former = capture.path
    window.actions_["run.capture"].trigger()
    (dialog,) = window.findChildren(CaptureDialog)
    dialog.program.setText("no-such-program-here")
    dialog.begin.click()
    opened.wait(lambda: "program not found" in dialog.said.text(), "the refusal")
    dialog.program.setText("vkcube")
    dialog.delay.setValue(1.0)
    dialog.begin.click()
    assert not dialog.begin.isEnabled()
    opened.wait(lambda: capture.path != former, "the capture")
    opened.wait(lambda: capture.summed.forecasts, "its time")
    assert not [d for d in window.findChildren(QtWidgets.QDialog) if d.isVisible()]


def test_a_draw_of_opengl_opens_its_text(
    opened, qtbot: QtBot, tmp_path: Path, cube_display: str, monkeypatch: pytest.MonkeyPatch
):
    if shutil.which("es2gears_x11") is None:
        pytest.skip("es2gears_x11 is not installed: apt-get install mesa-utils")
    monkeypatch.setenv("DISPLAY", cube_display)
    path = Run(Launch(("es2gears_x11",), tmp_path, None, 40), tmp_path).capture()
    opened.window.documents.open(path)
    panel, capture = opened.window.frame_panel, opened.session.capture
    opened.wait(lambda: capture.path == path and not capture.reading, "the capture")
    opened.wait(lambda: len(panel.draws.rows) == 3, "its draws")
    opened.wait(lambda: "No draw is replayed" in panel.detail.text(), "the reason")
    place = panel.table.visualRect(panel.table.model().index(0, DRAW)).center()
    qtbot.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    opened.wait(lambda: "gl_FragColor = Color;" in opened.editor.text, "its text")
    opened.complete()
    assert opened.session.trace is not None
