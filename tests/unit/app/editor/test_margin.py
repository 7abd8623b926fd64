from __future__ import annotations

import ctypes
from collections.abc import Mapping

import pytest

from shaderlab.app.editor.bindings import sip
from shaderlab.app.editor.margin_notes import MarginNote
from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.widgets.theme import LIGHT

LINES = 3000


class Made(Mapping):
    """A note for every line, and which were asked for."""

    def __init__(self):
        self.asked: list[int] = []

    def __getitem__(self, line):
        self.asked.append(line)
        return MarginNote(str(line), 0, "")

    def __contains__(self, line):
        return 1 <= line <= LINES + 9

    def __iter__(self):
        return iter(range(1, LINES + 10))

    def __len__(self):
        return LINES + 9


@pytest.fixture
def editor(qtbot):
    made = Editor(LIGHT)
    qtbot.addWidget(made)
    made.resize(400, 300)
    made.show()
    made.set_text("float x;\n" * LINES)
    return made


def told(editor: Editor, line: int) -> str:
    """What stands in the margin, as Scintilla itself knows it."""
    sci = editor._sci
    text = ctypes.create_string_buffer(sci.SendScintilla(sci.SCI_MARGINGETTEXT, line - 1) + 1)
    sci.SendScintilla(sci.SCI_MARGINGETTEXT, line - 1, sip.voidptr(ctypes.addressof(text)))
    return text.value.decode().strip()


def test_every_line_gets_its_note_those_on_screen_first(editor, qtbot):
    editor.go_to(2000)
    top = editor._sci.firstVisibleLine() + 1
    notes = Made()
    editor.set_notes(notes)
    assert notes.asked[0] == top, "what is on screen comes first"
    assert told(editor, top) == str(top)
    qtbot.waitUntil(lambda: told(editor, LINES) == str(LINES))
    assert [told(editor, line) for line in (1, 1000, LINES)] == ["1", "1000", str(LINES)]
    assert len(notes.asked) == len(set(notes.asked)), "no note is made twice"
    editor.set_notes({7: MarginNote("7k", 1, "")})
    assert [told(editor, line) for line in (1, 7, LINES)] == ["", "7k", ""]


def test_a_line_added_meanwhile_leaves_no_number_on_a_wrong_line(editor, qtbot):
    editor.set_notes(Made())
    placed = {line for line in range(1, LINES + 1) if told(editor, line)}
    assert 1 in placed
    editor.go_to(1)
    editor.type("\n")
    for _ in range(20):
        qtbot.wait(1)
    moved = {line: told(editor, line) for line in range(2, LINES + 2) if told(editor, line)}
    assert all(text == str(line - 1) for line, text in moved.items())


def test_the_theme_keeps_the_notes(editor, qtbot):
    editor.set_notes({3: MarginNote("12", 2, "")})
    editor.set_theme(LIGHT)
    assert told(editor, 3) == "12"
