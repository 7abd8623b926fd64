"""Several documents in tabs, each with what it was drawn with; all kept when it crashes."""

from __future__ import annotations

import pytest

from shaderlab.app.documents import journal
from shaderlab.app.documents.tab_bar import TabBar
from shaderlab.app.documents.tabs import Tab
from shaderlab.app.editor.buffers import Buffer
from shaderlab.app.qt import Qt, QtWidgets
from shaderlab.app.settings import Settings
from shaderlab.app.widgets.command_palette import CommandPalette

from .conftest import CHEAP

FIRST = CHEAP.replace("0.5)", "0.25)")
SECOND = "uniform float glow;\n" + CHEAP.replace("0.5)", "glow)")
KEYS, CONTROL = Qt.Key, Qt.KeyboardModifier.ControlModifier
BUTTONS = QtWidgets.QMessageBox.StandardButton


@pytest.fixture
def tabs(driven, tmp_path):
    """Two files open, the second in front."""
    driven.show()
    documents = driven.window.documents
    driven.window.actions_["file.tabs"].trigger()
    assert driven.window.settings.open_in_tabs
    for name, text in (("first.frag", FIRST), ("second.frag", SECOND)):
        (tmp_path / name).write_text(text)
        assert documents.open(tmp_path / name)
    driven.complete()
    driven.window.activateWindow()
    driven.editor.setFocus()
    yield documents
    driven.editor.set_unmodified()
    documents.project.settle()  # else it asks whether inputs are to be saved
    for tab in tuple(documents.tabs.parked):
        tab.unsaved = None
        documents.close_tab(tab)
    driven.window.actions_["file.tabs"].trigger()
    driven.show()


def names(documents) -> list[str]:
    return [tab.document.name for tab in documents.tabs.all]


def test_each_file_has_a_tab_and_the_session_follows_the_one_in_front(driven, tabs, qtbot):
    bar, session = driven.window.tab_bar, driven.session
    assert names(tabs)[-2:] == ["first.frag", "second.frag"]
    assert bar.isVisible()
    at = names(tabs).index("first.frag")
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(at).center())
    assert driven.editor.text == FIRST
    driven.complete()
    assert session.program.text == FIRST
    assert driven.window.windowTitle().startswith("first.frag")
    driven.window.actions_["file.next_tab"].trigger()
    assert driven.editor.text == SECOND
    driven.complete()
    assert tabs.open(tabs.tabs.all[at].document.path), "it is open, and shown"
    assert driven.editor.text == FIRST
    (_, *others) = names(tabs)
    qtbot.mouseClick(bar, Qt.MouseButton.MiddleButton, pos=bar.tabRect(0).center())
    assert names(tabs) == others
    driven.complete()
    assert session.program.text == SECOND


def test_a_tab_keeps_its_undo_steps_caret_and_unsaved_mark(driven, tabs):
    editor, bar = driven.editor, driven.window.tab_bar
    editor.go_to(3, 1)
    editor.type("// a remark\n")
    assert bar.tabText(bar.currentIndex()).endswith("\u2022")
    second = tabs.tabs.front
    driven.window.actions_["file.previous_tab"].trigger()
    assert editor.text == FIRST
    assert not editor.modified
    assert bar.tabText(tabs.tabs.all.index(second)).endswith("\u2022")
    driven.window.actions_["file.next_tab"].trigger()
    assert editor.text.split("\n")[2] == "// a remark"
    assert editor.caret == (4, 1)
    editor.undo()
    assert editor.text == SECOND
    assert not editor.modified


def test_a_tab_keeps_its_inputs_and_its_history(driven, tabs):
    session = driven.session
    session.drawing.set_value("glow", (0.75,))
    driven.complete()
    driven.wait(lambda: session.versions.all, "a version")
    session.versions.pin("glowing")
    driven.window.actions_["file.previous_tab"].trigger()
    driven.complete()
    assert session.versions.baseline is None
    driven.window.actions_["file.next_tab"].trigger()
    driven.complete()
    assert session.drawing.kept.inputs.values["glow"].value == (0.75,)
    assert tabs.project.is_modified
    assert session.versions.baseline.name == "glowing"


def test_a_file_that_is_open_is_not_opened_twice(driven, tabs, tmp_path):
    before = len(tabs.tabs.all)
    assert tabs.open(tmp_path / "first.frag")
    assert driven.editor.text == FIRST
    assert len(tabs.tabs.all) == before


def test_closing_asks_about_changes_and_shows_the_neighbour(driven, tabs, qtbot, monkeypatch):
    answers = iter([BUTTONS.Cancel, BUTTONS.Discard])
    monkeypatch.setattr(QtWidgets.QMessageBox, "question", lambda *_: next(answers))
    driven.editor.type("// unsaved\n")
    driven.window.actions_["file.close"].trigger()
    assert "second.frag" in names(tabs), "the user would rather stay"
    driven.window.actions_["file.close"].trigger()
    assert "second.frag" not in names(tabs)
    assert driven.editor.text == FIRST
    driven.complete()


def test_tabs_are_dragged_and_stepped_through_by_hand(driven, tabs, qtbot):
    bar, window = driven.window.tab_bar, driven.window
    with qtbot.waitActive(window):
        window.activateWindow()
    before = names(tabs)
    last = bar.count() - 1
    start, end = bar.tabRect(last).center(), bar.tabRect(0).center()
    qtbot.mousePress(bar, Qt.MouseButton.LeftButton, pos=start)
    for step in range(1, 11):
        qtbot.mouseMove(bar, start + (end - start) * step / 10)
    qtbot.mouseRelease(bar, Qt.MouseButton.LeftButton, pos=end)
    assert names(tabs) == [before[-1], *before[:-1]]
    assert tabs.document.name == before[-1], "the dragged one stays in front"
    qtbot.keyClick(driven.editor.focusProxy(), KEYS.Key_Tab, CONTROL)
    driven.wait(lambda: tabs.document.name == before[0], "the next document")


def test_documents_open_in_tabs_unless_told_otherwise():
    assert Settings().open_in_tabs


def test_the_last_document_leaves_an_empty_one(driven):
    driven.show()
    documents = driven.window.documents
    while len(documents.tabs.all) > 1:
        documents.close_tab(documents.tabs.parked[0])
    driven.editor.set_unmodified()
    driven.window.actions_["file.close"].trigger()
    assert names(documents) == ["untitled"]
    assert not driven.window.tab_bar.isVisible()
    driven.complete()


def test_tabs_are_moved_and_remembered(driven, tabs, tmp_path):
    bar = driven.window.tab_bar
    last = bar.count() - 1
    bar.moveTab(last, last - 1)
    assert names(tabs)[-2:] == ["second.frag", "first.frag"]
    kept = driven.window.settings.open_files
    assert kept[-2:] == [str(tmp_path / "second.frag"), str(tmp_path / "first.frag")]


def test_unsaved_texts_of_all_tabs_are_kept_and_restored(driven, tabs, tmp_path, monkeypatch):
    driven.editor.type("// second\n")
    driven.window.actions_["file.previous_tab"].trigger()
    driven.editor.type("// first\n")
    left = tmp_path / "journal"
    left.write_bytes(journal.encode(tabs.unsaved))
    draft = journal.read(left)
    assert draft.text == "// first\n" + FIRST
    assert [each.text for each in draft.others] == ["// second\n" + SECOND]
    monkeypatch.setattr(QtWidgets.QMessageBox, "question", lambda *_: BUTTONS.Discard)
    for tab in (*tabs.tabs.parked, tabs.tabs.front):
        tabs.close_tab(tab)
    assert names(tabs) == ["untitled"]
    assert tabs.restore(draft)
    assert names(tabs) == ["second.frag", "first.frag"]
    assert driven.editor.text == "// first\n" + FIRST
    assert driven.editor.modified
    driven.window.actions_["file.previous_tab"].trigger()
    assert driven.editor.text == "// second\n" + SECOND
    assert driven.editor.modified
    for tab in (*tabs.tabs.parked, tabs.tabs.front):
        tabs.close_tab(tab)


def test_closing_the_window_asks_about_every_tab(driven, tabs, monkeypatch):
    asked = []

    def question(_window, _title, what, *_):
        asked.append(what)
        return BUTTONS.Discard if len(asked) < 2 else BUTTONS.Cancel

    monkeypatch.setattr(QtWidgets.QMessageBox, "question", question)
    driven.editor.type("// second\n")
    driven.window.actions_["file.previous_tab"].trigger()
    driven.editor.type("// first\n")
    assert not tabs.may_close()
    assert sorted(asked) == [
        "first.frag has unsaved changes.",
        "second.frag has unsaved changes.",
    ]
    driven.editor.undo()
    driven.window.actions_["file.next_tab"].trigger()
    driven.editor.undo()


def test_a_file_changed_while_its_tab_was_behind_is_read_again(driven, tabs, tmp_path):
    (tmp_path / "first.frag").write_text(CHEAP)
    driven.window.actions_["file.previous_tab"].trigger()
    driven.wait(lambda: driven.editor.text == CHEAP, "the new text")
    driven.complete()
    assert driven.session.program.text == CHEAP


def test_many_texts_come_and_go_without_a_crash(driven):
    driven.show()
    editor = driven.editor
    main = editor.main
    for number in range(200):
        tabs = [Tab(Buffer(editor)) for _ in range(3)]
        for at, tab in enumerate(tabs):
            tab.buffer.set_text(f"// {number} {at}\n" * 20)
            editor.show_buffer(tab.buffer)
            editor.type("x")
        editor.show_buffer(tabs[0].buffer)
        assert editor.text.startswith(f"x// {number} 0\n")
        editor.undo()
        editor.show_buffer(main)
        del tabs
    assert editor.text == CHEAP


def test_after_a_new_text_or_an_opened_one_keys_go_to_it(tabs, driven, qtbot, tmp_path):
    table = driven.window.targets_panel.table
    for open_ in (tabs.new, lambda: tabs.open(tmp_path / "first.frag")):
        table.setFocus()
        open_()
        before = len(driven.editor.text)
        qtbot.keyClicks(QtWidgets.QApplication.focusWidget(), "x")
        assert len(driven.editor.text) == before + 1
        driven.editor.set_unmodified()


def test_many_documents_have_readable_tabs_and_a_list(tabs, driven, qtbot, tmp_path):
    for number in range(12):
        (tmp_path / f"lighting_pass_{number}.frag").write_text(FIRST)
        assert tabs.open(tmp_path / f"lighting_pass_{number}.frag")
    bar = driven.window.findChild(TabBar)
    qtbot.waitUntil(lambda: bar.count() == 14)
    room = bar.fontMetrics().horizontalAdvance("lighting_…")
    assert all(bar.tabRect(at).width() > room for at in range(bar.count()))
    driven.window.actions_["file.documents"].trigger()
    palette = driven.window.findChild(CommandPalette)
    qtbot.keyClicks(palette.line, "pass_3")
    qtbot.keyClick(palette.line, KEYS.Key_Return)
    assert tabs.document.name == "lighting_pass_3.frag"
