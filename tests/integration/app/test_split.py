"""The editor in two views: of one text, and with tabs of two documents."""

from __future__ import annotations

import pytest

from shaderlab.app.qt import Qt, QtWidgets
from shaderlab.app.settings import SettingsStore

from .conftest import CHEAP

OTHER = CHEAP.replace("i < 3", "i < 5")
LEFT, CONTROL = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def split(driven, qtbot):
    """The editor with a short text, split by the key."""
    driven.show()
    with qtbot.waitActive(driven.window):
        driven.window.activateWindow()
    driven.editor.setFocus()
    qtbot.keyClick(driven.editor.focusProxy(), Qt.Key.Key_Backslash, CONTROL)
    assert driven.editor.is_split
    yield driven.editor
    driven.editor.close_split()
    driven.editor.set_unmodified()


def click(qtbot, pane) -> None:
    """Into the text of a view, on its first line."""
    viewport = pane.view.findChild(QtWidgets.QWidget, "qt_scrollarea_viewport") or pane.view
    qtbot.mouseClick(viewport, LEFT, pos=viewport.rect().center())


def margin(pane, line: int) -> str:
    """What the view shows beside a line."""
    sci = pane.sci
    length = sci.SendScintilla(sci.SCI_MARGINGETTEXT, line - 1, None)
    kept = bytearray(length + 1)
    sci.SendScintilla(sci.SCI_MARGINGETTEXT, line - 1, kept)
    return bytes(kept).rstrip(b"\0").decode()


def test_both_views_show_one_text_with_its_costs_and_keys_reach_the_used_one(driven, split, qtbot):
    left, right = split.panes
    assert split.used is right
    qtbot.keyClicks(split.focusProxy(), "int q; ")
    assert left.sci.text() == right.sci.text()
    assert split.text.startswith("int q; ")
    driven.wait(lambda: driven.session.program.text == split.text, "the compile")
    driven.complete()
    assert [margin(pane, 5) for pane in split.panes] == [margin(left, 5)] * 2
    assert "2.4M" in margin(left, 5) or "2.36M" in margin(left, 5)
    before = left.sci.getCursorPosition()
    click(qtbot, left)
    assert split.used is left
    split.go_to(4)
    assert left.sci.getCursorPosition() == (3, 0) != before
    assert right.sci.getCursorPosition() == (0, 7)
    driven.window.actions_["edit.undo"].trigger()
    assert split.text == CHEAP == right.sci.text()


def test_folds_are_each_views_own_and_problems_stand_in_both(driven, split, qtbot):
    left, right = split.panes
    split.go_to(4)
    split.toggle_fold()
    assert split.is_folded(4)
    click(qtbot, left)
    assert not split.is_folded(4)
    split.go_to(5)
    split.type("!")
    driven.wait(lambda: split.marked_lines, "the problem")
    lines = [pane.sci.markersAtLine(4) for pane in (left, right)]
    assert lines[0] == lines[1] != 0


def test_a_button_and_a_key_close_a_view_and_the_text_stays(driven, split, qtbot):
    left, right = split.panes
    assert left.caption.isVisible()
    assert left.caption.name.text() == "untitled"
    qtbot.mouseClick(right.caption.button, LEFT)
    assert split.panes == (left,)
    assert not left.caption.isVisible()
    assert split.text == CHEAP
    driven.window.actions_["view.split_down"].trigger()
    assert split.is_stacked
    assert len(split.panes) == 2
    assert split.panes[0].frame.y() < split.panes[1].frame.y()
    driven.window.actions_["view.other_view"].trigger()
    assert split.used is left
    driven.window.actions_["view.close_split"].trigger()
    assert split.panes == (left,)
    split.type("y")
    assert split.text == f"y{CHEAP}"


def test_two_documents_beside_each_other_and_the_clicked_one_is_worked_on(
    driven, split, tmp_path, qtbot
):
    documents = driven.window.documents
    in_tabs = driven.window.settings.open_in_tabs
    driven.window.settings.open_in_tabs = True
    try:
        for name, text in (("one.frag", CHEAP), ("two.frag", OTHER)):
            (tmp_path / name).write_text(text)
        assert documents.open(tmp_path / "one.frag")
        driven.complete()
        left, right = split.panes
        assert documents.open(tmp_path / "two.frag")
        driven.complete()
        assert (left.sci.text(), right.sci.text()) == (CHEAP, OTHER)
        assert [pane.caption.name.text() for pane in split.panes] == ["one.frag", "two.frag"]
        beside = margin(left, 5)
        assert beside.strip(), "the costs of the text that is not in use stay"
        click(qtbot, left)
        driven.wait(lambda: documents.document.name == "one.frag", "the other document")
        driven.complete()
        assert driven.session.program.text == CHEAP
        assert driven.window.windowTitle().startswith("one.frag")
        split.type("// left\n")
        click(qtbot, right)
        driven.wait(lambda: documents.document.name == "two.frag", "the first document")
        assert right.sci.text() == OTHER
        assert left.caption.name.text() == "one.frag \u2022"
        click(qtbot, left)
        driven.wait(lambda: documents.document.name == "one.frag", "the other document")
        split.undo()
        assert split.text == CHEAP
        documents.close_tab(documents.tabs.front)
        assert left.sci.text() == right.sci.text() == OTHER
        driven.complete()
    finally:
        driven.window.settings.open_in_tabs = in_tabs


def test_views_and_what_they_show_are_there_again_after_a_restart(driven, split, tmp_path, qtbot):
    window, documents = driven.window, driven.window.documents
    window.settings.open_in_tabs = True
    try:
        (tmp_path / "one.frag").write_text(CHEAP)
        (tmp_path / "two.frag").write_text(OTHER)
        assert documents.open(tmp_path / "one.frag")
        assert documents.open(tmp_path / "two.frag")
        left, _ = split.panes
        click(qtbot, left)
        driven.wait(lambda: documents.document.name == "one.frag", "the other document")
        split.first_percent = 30
        store = SettingsStore(tmp_path / "settings.ini")
        window.split_view.remember(window.settings)
        assert store.save(window.settings)
        split.close_split()
        window.split_view.restore(store.load())
        left, right = split.panes
        assert (left.sci.text(), right.sci.text()) == (CHEAP, OTHER)
        assert split.used is left
        assert not split.is_stacked
        assert abs(split.first_percent - 30) <= 2
        driven.wait(lambda: documents.document.name == "one.frag", "the document in use")
        driven.complete()
        assert driven.session.program.text == CHEAP
        split.close_split()
        window.split_view.remember(window.settings)
        assert window.settings.split == ""
        documents.close_tab(documents.tabs.front)
    finally:
        window.settings.open_in_tabs = False


def test_a_key_typed_before_the_document_followed_reaches_the_right_one(driven, split, tmp_path):
    documents = driven.window.documents
    driven.window.settings.open_in_tabs = True
    try:
        (tmp_path / "one.frag").write_text(CHEAP)
        (tmp_path / "two.frag").write_text(OTHER)
        assert documents.open(tmp_path / "one.frag")
        assert documents.open(tmp_path / "two.frag")
        split.use_pane(split.panes[0])
        split.type("z")
        assert documents.document.name == "one.frag"
        assert documents.text.buffer.text == f"z{CHEAP}"
        split.undo()
        documents.close_tab(documents.tabs.front)
        assert documents.document.name == "two.frag"
        driven.complete()
    finally:
        driven.window.settings.open_in_tabs = False


def test_views_come_and_go_without_a_crash(driven):
    driven.show()
    editor = driven.editor
    for number in range(30):
        editor.split(stacked=bool(number % 2))
        editor.type("x")
        if number % 3:
            editor.next_pane()
        editor.close_split()
    assert len(editor.text) == len(CHEAP) + 30
    editor.set_unmodified()
