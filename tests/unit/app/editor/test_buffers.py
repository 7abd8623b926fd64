"""A text changed as one edit."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.qt import Qt
from shaderlab.app.widgets.theme import LIGHT
from shaderlab.language.syntax import Place

TEXTS = st.lists(st.sampled_from(["", "a", "é\t", "{", "}"]), max_size=6).map("\n".join)


@pytest.fixture(scope="module")
def editor(qapp):
    made = Editor(LIGHT)
    yield made
    made.deleteLater()


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(old=TEXTS, new=TEXTS)
def test_any_text_becomes_any_other_and_undo_takes_that_back(editor, old, new):
    editor.set_text(old)
    editor.change_text(new, keep_view=True)
    assert editor.text == new
    if old != new:
        editor.undo()
        assert editor.text == old
    assert not editor.can_undo


def test_the_selected_lines_end_with_the_last_that_has_a_selected_character(editor):
    editor.set_text("a\nb\nc\n")
    editor.go_to(2)
    assert editor.selected_lines == (2, 2)
    editor.select_lines(1, 2)
    assert editor.selected_lines == (1, 2)


def test_an_indent_is_kept_by_a_new_line_and_taken_back_as_a_whole(editor, qtbot):
    editor.set_text("    a;")
    editor.go_to(1, 7)
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Backspace):
        qtbot.keyClick(editor.focusProxy(), key)
    qtbot.keyClicks(editor.focusProxy(), "b")
    assert editor.text == "    a;\nb"


def test_a_name_is_replaced_everywhere_and_the_caret_stays_at_its_use(editor):
    editor.set_text("a = a + a;\na")
    editor.go_to(1, 6)
    places = [Place(1, 1), Place(1, 5), Place(1, 9), Place(2, 1)]
    editor.replace_at(places, "a", "long")
    assert editor.text == "long = long + long;\nlong"
    assert editor.caret == (1, 9)
    editor.undo()
    assert editor.text == "a = a + a;\na"


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("void f() {\na;", "void f() {\n    a;\n}"),
        ("for (;;) {\nif (a) break;\nc;", "for (;;) {\n    if (a) break;\n    c;\n}"),
        ("void f() {\nif (a)\n{\nb;", "void f() {\n    if (a)\n    {\n        b;\n    }\n}"),
        ("if (a)\nif (b)\nc;\nd;", "if (a)\n    if (b)\n        c;\nd;"),
        ("if (a)\n{\nb;\n} else\nc;\nd;", "if (a)\n{\n    b;\n} else\n    c;\nd;\n}"),
    ],
)
def test_a_new_line_is_as_deep_as_its_block(editor, qtbot, typed, text):
    editor.set_text("")
    view = editor.focusProxy()
    for character in typed:
        if character == "\n":
            qtbot.keyClick(view, Qt.Key.Key_Return)
        else:
            qtbot.keyClicks(view, character)
    assert editor.text.rstrip() == text
