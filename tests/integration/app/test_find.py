"""The bar that finds and replaces, by keys and clicks alone."""

import pytest

from shaderlab.app.editor.find_bar import FindBar
from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.qt import Qt, QtWidgets, QWidget
from shaderlab.app.widgets.boxes import vertical
from shaderlab.app.widgets.theme import LIGHT

TEXT = "vec2 p = q;\nvec3 c = vec3(p, 1.0);\nfloat großes = p.x;\nfloat d = großes;\n"


@pytest.fixture
def bar(qtbot) -> FindBar:
    window, editor = QWidget(), Editor(LIGHT)
    bar = FindBar(editor, LIGHT)
    vertical(window, editor, bar, largest=editor)
    window.resize(640, 300)
    qtbot.addWidget(window)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    editor.set_text(TEXT)
    editor.go_to(1)
    bar.kept = window, editor  # type: ignore[attr-defined]
    return bar


def keys(qtbot, *typed: str | Qt.Key) -> None:
    for each in typed:
        at = QtWidgets.QApplication.focusWidget()
        qtbot.keyClicks(at, each) if isinstance(each, str) else qtbot.keyClick(at, each)


def test_a_regular_expression_is_found_and_its_groups_are_replaced(bar, qtbot):
    editor = bar._editor
    bar.open_bar(replacing=True)
    qtbot.mouseClick(bar._regex, Qt.MouseButton.LeftButton)
    bar.pattern.setFocus()
    keys(qtbot, r"(\w+) (\w+) =")
    assert editor.selected_text == "vec2 p ="
    assert bar._found.text() == "1 of 4"
    keys(qtbot, Qt.Key.Key_Return, Qt.Key.Key_Return)
    assert editor.selected_text == "float großes =", "columns are characters, not bytes"
    keys(qtbot, Qt.Key.Key_Tab, "const $1 $2 =", Qt.Key.Key_Return)
    assert editor.text.split("\n")[2] == "const float großes = p.x;"
    assert editor.selected_text == "float d =", "the next one"
    keys(qtbot, Qt.Key.Key_Tab, Qt.Key.Key_Tab, Qt.Key.Key_Space)
    assert bar._found.text() == "4 replaced"
    assert editor.text.split("\n")[0] == "const vec2 p = q;"
    editor.undo()
    assert editor.text.split("\n")[0] == "vec2 p = q;"


def test_only_what_was_found_is_replaced(bar, qtbot):
    editor = bar._editor
    editor.select_lines(1, 1)
    bar.open_bar(replacing=True)
    bar.pattern.clear()
    keys(qtbot, "nowhere", Qt.Key.Key_Tab, "oh", Qt.Key.Key_Return)
    assert editor.text == TEXT
    assert bar._found.text() == "0 found"


def test_a_wrong_expression_or_group_changes_nothing_and_is_explained(bar, qtbot):
    bar.open_bar(replacing=True)
    bar._regex.click()
    bar.pattern.setFocus()
    keys(qtbot, "p(")
    assert (bar._found.text(), "unterminated" in bar._found.toolTip()) == ("not valid", True)
    keys(qtbot, Qt.Key.Key_Backspace, Qt.Key.Key_Tab, "$7", Qt.Key.Key_Return)
    assert (bar._found.text(), "group" in bar._found.toolTip()) == ("not valid", True)
    bar._all.click()
    assert bar._editor.text == TEXT


def test_shift_f3s_search_goes_backwards_around_the_start(bar, qtbot):
    bar.open_bar(replacing=False)
    keys(qtbot, "großes")
    assert bar._found.text() == "1 of 2"
    qtbot.mouseClick(bar._previous, Qt.MouseButton.LeftButton)
    assert (bar._found.text(), bar._editor.caret[0]) == ("2 of 2", 4)
    keys(qtbot, Qt.Key.Key_Escape)
    assert not bar.isVisible()
    assert bar._editor.focusProxy().hasFocus()
