"""The manual and the tour of the first start, by real clicks and keys."""

from shaderlab.app.qt import Qt, QtGui
from shaderlab.app.shell.manual import Manual, read_pages

_LEFT = Qt.MouseButton.LeftButton


def test_the_manual_is_read_and_searched(driven, qtbot):
    window = driven.window
    window.actions_["help.manual"].trigger()
    (manual,) = window.findChildren(Manual)
    qtbot.waitUntil(manual.isVisible)
    assert manual.contents.count() == len(read_pages())
    assert manual.shown == read_pages()[0]
    qtbot.keyClick(manual.line, Qt.Key.Key_Return)
    assert manual.shown == read_pages()[0], "there is nothing to look for"
    assert manual.shown.title in manual.text.toPlainText()
    qtbot.keyClicks(manual.line, "twenty seconds")
    assert manual.contents.count() == 1
    assert manual.text.textCursor().selectedText().lower() == "twenty seconds"
    manual.line.setText("budget")
    pages, page = manual.contents.count(), manual.shown
    assert pages > 1
    qtbot.keyClick(manual.line, Qt.Key.Key_Down)
    assert manual.shown is not page, "the arrow keys choose a page while one types"
    qtbot.keyClick(manual.line, Qt.Key.Key_Up)
    seen = set()
    for _ in range(40):  # Return goes from place to place, through all pages with the word
        seen.add(manual.shown.path.name)
        qtbot.keyClick(manual.line, Qt.Key.Key_Return)
        assert manual.text.textCursor().selectedText().lower() == "budget"
    assert len(seen) == pages
    assert manual.isVisible()
    manual.line.setText("qqqq")
    assert not manual.text.textCursor().hasSelection()
    assert "No page of the manual" in manual.text.toPlainText()
    manual.line.clear()
    assert manual.contents.count() == len(read_pages())
    assert manual.shown == read_pages()[0]
    window.actions_["help.manual"].trigger()
    assert window.findChildren(Manual) == [manual], "it is opened once"
    manual.close()


def test_code_stands_out_and_headings_have_room(driven, qtbot):
    window = driven.window
    window.actions_["help.manual"].trigger()
    (manual,) = window.findChildren(Manual)
    manual.line.setText("cmd")  # Neovim's settings, in the page on other editors
    paper = manual.palette().alternateBase().color()
    block, found = manual.text.document().begin(), {"code": set(), "heading": set()}
    while block.isValid():
        style = block.blockFormat()
        if style.hasProperty(QtGui.QTextFormat.Property.BlockCodeFence):
            found["code"].add(style.background().color() == paper)
        elif style.headingLevel() == 2:
            found["heading"].add(style.topMargin() > style.bottomMargin() >= 0)
        block = block.next()
    assert found == {"code": {True}, "heading": {True}}
    manual.close()


def test_the_tour_goes_on_by_what_one_does(driven, qtbot):
    driven.show()
    window = driven.window
    tour = window.welcome
    window.actions_["help.welcome"].trigger()
    assert tour.isVisible()
    driven.wait(lambda: window.hot_lines.hot_line_after(1), "hot lines")
    qtbot.mouseClick(tour.onward, _LEFT)
    assert tour.step == 1
    assert driven.editor.linked_lines, "the hottest line is shown"
    driven.edit(driven.editor.text.replace("i < 3", "i < 5"))
    driven.wait(lambda: tour.step == 2, "the step after the edit")
    assert window.layout_.is_in_front(window.targets_panel)
    qtbot.mouseClick(tour.onward, _LEFT)
    assert not tour.isVisible()
    assert window.settings.welcomed
    driven.complete()
