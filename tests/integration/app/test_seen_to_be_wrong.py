"""Small things that looked or felt wrong in the window."""

import pytest

from shaderlab.app.editor.completion_popup import CompletionPopup
from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.editor.search import Search
from shaderlab.app.qt import QApplication, QPoint, Qt, QtWidgets, QWidget
from shaderlab.app.widgets.theme import DARK, LIGHT, contrast
from shaderlab.language.completion import Completion

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
    assert editor.mark_found(Search("mmmm")) == 3
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


def test_a_tip_goes_when_one_types_or_leaves_the_name(editor, qtbot):
    editor.set_text("float first = 1.0;\nfloat second = first;\n")
    editor.about_name = lambda line, column: "said" if column < 12 else ""
    editor.setFocus()
    viewport = editor._view.findChild(QWidget, "qt_scrollarea_viewport")
    left = editor.header_place[0]

    def point_at(characters: int) -> None:
        for nudge in (0, 1):
            x = left + round(characters * editor._digit) + nudge
            qtbot.mouseMove(viewport, QPoint(x, editor.line_height // 2))

    for leave in (
        lambda: qtbot.keyClick(editor.focusProxy(), Qt.Key.Key_Right),
        lambda: point_at(14),
        lambda: qtbot.keyClicks(editor.focusProxy(), "x"),
    ):
        point_at(14)
        point_at(8)
        qtbot.waitUntil(QtWidgets.QToolTip.isVisible)
        leave()
        qtbot.waitUntil(lambda: not QtWidgets.QToolTip.isVisible())


def test_a_short_list_of_completions_has_no_empty_bands(editor, qtbot):
    popup = CompletionPopup(editor)
    few = [Completion("origin", "member", "vec3", ""), Completion("way", "member", "vec3", "")]
    popup.offer(few, QPoint(10, 10), 20)
    qtbot.waitExposed(popup)
    assert popup.height() == popup.table.height() + 2
    assert popup.table.height() < 4 * popup.table.sizeHintForRow(0)
    many = [*few, Completion("sin", "function", "genType sin(genType x)", "The sine of x.")]
    popup.offer(many, QPoint(10, 10), 20)
    popup.step(-1)
    assert popup.height() > popup.table.height() + popup.about.fontMetrics().height()


def test_a_narrow_view_shows_code_rather_than_counts(editor, qtbot):
    editor.set_text("float first = 1.0;\n")
    both = editor.header_place[0]
    editor.split()
    qtbot.waitUntil(lambda: editor.width() > 400 and editor._view.width() < 260)
    qtbot.waitUntil(lambda: editor._text_left < both - 80)
    editor.close_split()
    qtbot.waitUntil(lambda: editor._text_left == both)
