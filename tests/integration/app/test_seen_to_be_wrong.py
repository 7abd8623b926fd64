"""Small things that looked or felt wrong in the window."""

import pytest

from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.qt import QApplication, Qt
from shaderlab.app.widgets.theme import DARK, LIGHT, contrast

LONG = "float a = " + " + ".join("1.0" for _ in range(120)) + ";\n"


@pytest.fixture
def editor(qtbot):
    made = Editor(DARK)
    qtbot.addWidget(made)
    made.resize(500, 300)
    made.show()
    qtbot.waitExposed(made)
    return made


def offset(editor) -> int:
    sci = editor._sci
    return sci.SendScintilla(sci.SCI_GETXOFFSET)


def test_lines_start_at_their_start_again_after_end(editor, qtbot):
    editor.set_text(LONG + "int b;\n")
    editor.setFocus()
    typed_into = editor.focusProxy()
    qtbot.keyClick(typed_into, Qt.Key.Key_End)
    qtbot.waitUntil(lambda: offset(editor) > 0)
    qtbot.keyClick(typed_into, Qt.Key.Key_Left)
    assert offset(editor) > 0, "the caret is still far right"
    qtbot.keyClick(typed_into, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: offset(editor) == 0)
    assert editor.caret == (2, 7)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_a_match_can_be_read(editor, qtbot, theme):
    editor.set_theme(theme)
    editor.set_text("int mmmm = 1;\n" * 3)
    assert editor.mark_found("mmmm", case=True, word=False, regex=False) == 3
    editor.go_to(1)
    qtbot.wait(20)
    image = editor.grab().toImage()
    seen: dict[str, int] = {}
    left, _, width, _ = editor.header_place
    height = editor.line_height
    for x in range(left, left + width):
        for y in range(2 * height + 3, 3 * height - 4):  # inside the third line's box
            name = image.pixelColor(x, y).name()
            seen[name] = seen.get(name, 0) + 1
    ground, paper = sorted(seen, key=lambda name: -seen[name])[:2]
    assert contrast(ground, theme.base) < 1.02, "but for the depth of the screen's colours"
    assert contrast(paper, theme.base) > 1.1, "the box is seen"
    assert contrast(theme.text, paper) >= 4.5


def test_tints_of_a_chosen_block_go_with_its_panel(driven):
    driven.show()
    window = driven.window
    window.layout_.show_tab(window.blocks_panel)
    window.blocks_panel.choose(0)
    driven.wait(lambda: window.editor.linked_lines, "tinted lines")
    window.layout_.show_tab(window.targets_panel)
    driven.wait(lambda: not window.editor.linked_lines, "no tint")
    assert QApplication.focusWidget() is not window.blocks_panel.table
