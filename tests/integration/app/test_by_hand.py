"""The window used by keys and clicks alone: nothing here calls what a key or a click should."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest

from shaderlab.app.panels.targets.targets_dialog import TargetsDialog
from shaderlab.app.qt import QApplication, QPoint, Qt, QTimer, QtWidgets, QWidget
from shaderlab.app.shell.panels import PANELS
from shaderlab.app.widgets.command_palette import CommandPalette
from shaderlab.app.widgets.theme import ThemeChoice

TEXT = """\
float falloff(vec2 place, float width)
{
    return exp(-dot(place, place) / width);
}

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec3 colour = vec3(falloff(fragCoord / iResolution.xy, 0.5));
    for (int i = 0; i < 9; i++)
        colour += 0.01 * float(i);
    fragColor = vec4(colour, 1.0);
}
"""
KEY, LEFT = Qt.Key, Qt.MouseButton.LeftButton
CTRL, SHIFT, ALT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
)


class Hands:
    """A keyboard and a mouse."""

    def __init__(self, driven, qtbot):
        self.driven, self.window, self.qtbot = driven, driven.window, qtbot
        self.editor = driven.editor

    def press(self, *keys: str | Qt.Key, held=Qt.KeyboardModifier.NoModifier) -> None:
        """Keys for whatever has the keyboard."""
        for key in keys:
            at = QApplication.activePopupWidget() or QApplication.focusWidget()
            assert at is not None, "nothing has the keyboard"
            at = at.focusWidget() or at
            if isinstance(key, str):
                self.qtbot.keyClicks(at, key)
            else:
                self.qtbot.keyClick(at, key, held)

    def click(self, at: QWidget, place: QPoint | None = None, held=Qt.KeyboardModifier.NoModifier):
        self.qtbot.mouseClick(at, LEFT, held, place or at.rect().center())

    def pick(self, button: QWidget, text: str) -> None:
        """Open a button's menu and click the entry with this text."""
        seen: list[str] = []

        def choose() -> None:
            menu = QApplication.activePopupWidget()
            if not isinstance(menu, QtWidgets.QMenu):
                QTimer.singleShot(20, choose)
                return
            seen.extend(each.text() for each in menu.actions())
            entry = next((each for each in menu.actions() if each.text() == text), None)
            if entry is None:
                menu.close()
            else:
                self.click(menu, menu.actionGeometry(entry).center())

        QTimer.singleShot(20, choose)
        self.click(button)
        assert text in seen

    def wait(self, ready, what: str) -> None:
        self.driven.wait(ready, what)

    def palette(self) -> CommandPalette:
        self.wait(lambda: isinstance(QApplication.activePopupWidget(), CommandPalette), "the list")
        palette = QApplication.activePopupWidget()
        assert isinstance(palette, CommandPalette)
        return palette

    def line(self, number: int) -> str:
        return self.editor.text.split("\n")[number - 1]


@pytest.fixture
def hands(driven, qtbot) -> Iterator[Hands]:
    window = driven.window
    driven.show(TEXT)
    with qtbot.waitActive(window):
        window.activateWindow()
    driven.editor.setFocus()
    driven.editor.go_to(8, 25)
    yield Hands(driven, qtbot)
    if popup := QApplication.activePopupWidget():
        popup.close()
    driven.editor.set_unmodified()
    driven.show()


def test_names_are_followed_listed_and_found(hands):
    editor = hands.editor
    hands.press(KEY.Key_F12)
    assert editor.caret == (1, 7)
    hands.press(KEY.Key_Left, held=ALT)
    assert editor.caret == (8, 25)
    hands.press(KEY.Key_F12, held=SHIFT)
    hands.palette()
    hands.press(KEY.Key_Down, KEY.Key_Up, KEY.Key_Return)
    assert editor.caret == (1, 7)
    hands.press(KEY.Key_O, held=CTRL | SHIFT)
    hands.palette()
    hands.press("mainI", KEY.Key_Return)
    assert editor.caret[0] == 6


def test_a_line_is_gone_to_by_its_number_while_everything_else_goes_on(hands):
    hands.press(KEY.Key_G, held=CTRL)
    hands.wait(lambda: isinstance(QApplication.activeModalWidget(), QtWidgets.QInputDialog), "line")
    dialog = QApplication.activeModalWidget()
    hands.wait(lambda: dialog.isAncestorOf(QApplication.focusWidget()), "the keyboard")
    hands.press("10")
    assert dialog.intValue() == 10
    hands.press(KEY.Key_Return)
    assert hands.editor.caret[0] == 10
    with hands.qtbot.waitActive(hands.window):
        hands.window.activateWindow()
    assert QApplication.focusWidget() is hands.editor.focusProxy()
    hands.press(KEY.Key_G, held=CTRL)
    hands.wait(QApplication.activeModalWidget, "the question again")
    again = QApplication.activeModalWidget()
    hands.wait(lambda: again.isAncestorOf(QApplication.focusWidget()), "the keyboard")
    hands.press("3", KEY.Key_Escape)
    assert hands.editor.caret[0] == 10, "nothing is gone to where it is called off"


def test_the_predicted_frame_is_given_a_size_of_ones_own(hands):
    strip = hands.window.targets_panel.strip
    before = hands.driven.session.drawing.run
    hands.pick(strip.run, "Other\u2026")
    hands.wait(QApplication.activeModalWidget, "the question")
    dialog = QApplication.activeModalWidget()
    hands.wait(lambda: dialog.isAncestorOf(QApplication.focusWidget()), "the keyboard")
    hands.press(KEY.Key_A, held=CTRL)
    hands.press("640", KEY.Key_Return)
    assert hands.driven.session.drawing.run.size == (640, before.size[1])
    strip.run_chosen.emit(before)
    hands.driven.complete()


def test_lines_are_moved_folded_commented_and_edited_at_several_carets(hands):
    editor = hands.editor
    editor.go_to(11, 1)
    hands.press(KEY.Key_Slash, held=CTRL)
    assert hands.line(11) == "    // fragColor = vec4(colour, 1.0);"
    hands.press(KEY.Key_Slash, held=CTRL)
    hands.press(KEY.Key_Up, held=ALT)
    assert hands.line(10) == "    fragColor = vec4(colour, 1.0);"
    hands.press(KEY.Key_Down, held=ALT)
    assert editor.text == TEXT
    editor.go_to(8, 10)
    hands.press(KEY.Key_D, KEY.Key_D, KEY.Key_D, held=CTRL)
    assert editor.carets == 3
    hands.press("tint")
    assert (hands.line(10), hands.line(11).count("tint")) == (
        "        tint += 0.01 * float(i);",
        1,
    )
    hands.press(KEY.Key_Escape)
    editor.go_to(3)
    hands.press(KEY.Key_BracketLeft, held=CTRL | SHIFT)
    assert editor.is_folded(2)
    hands.press(KEY.Key_BracketLeft, held=CTRL | SHIFT)
    assert not editor.is_folded(2)


def test_brackets_close_and_completion_and_parameters_come_while_typing(hands):
    editor, completing = hands.editor, hands.window.completing
    editor.go_to(5, 1)
    hands.press("float twice(float x) { return 2.0 * x; ")
    assert hands.line(5) == "float twice(float x) { return 2.0 * x; }"
    editor.go_to(11, 1)
    hands.press("fal")
    hands.wait(completing.popup.isVisible, "completions")
    hands.press(KEY.Key_Tab, "(")
    hands.wait(completing.hint.isVisible, "the parameters")
    assert hands.line(11).startswith("falloff()")
    hands.press(KEY.Key_Escape)
    assert not completing.hint.isVisible()
    hands.press(KEY.Key_Space, held=CTRL)
    hands.wait(completing.popup.isVisible, "all that fits here")
    hands.press(KEY.Key_Escape)


def test_the_pointer_over_a_name_shows_what_it_is_and_costs(hands):
    editor, viewport = hands.editor, hands.editor._view.findChild(QWidget, "qt_scrollarea_viewport")
    editor.go_to(1, 1)
    sci = editor._sci
    position = sci.positionFromLineIndex(7, 26)
    x = sci.SendScintilla(sci.SCI_POINTXFROMPOSITION, 0, position)
    y = sci.SendScintilla(sci.SCI_POINTYFROMPOSITION, 0, position) + editor.line_height // 2
    for nudge in (0, 1):
        hands.qtbot.mouseMove(viewport, QPoint(x + nudge, y))
    hands.wait(QtWidgets.QToolTip.isVisible, "the tip")
    said = QtWidgets.QToolTip.text()
    assert "float falloff(vec2 place, float width)" in said
    assert "once per pixel" in said
    assert "Share of the time:" in said
    hands.press(KEY.Key_Down)
    hands.wait(lambda: not QtWidgets.QToolTip.isVisible(), "the tip to go")


def test_problems_are_stepped_through_listed_and_clicked(hands):
    editor, problems = hands.editor, hands.window.problems
    editor.go_to(10, 9)
    hands.press("nothing + ")
    hands.wait(lambda: hands.driven.problems(), "the problem")
    editor.go_to(1)
    hands.wait(lambda: "nothing" in problems.text, "the line under the text")
    hands.press(KEY.Key_F8)
    assert editor.caret[0] == 10
    editor.go_to(1)
    hands.press(KEY.Key_M, held=CTRL | SHIFT)
    assert problems.is_open
    (rows,) = problems.findChildren(QtWidgets.QListWidget)
    hands.click(rows.viewport(), rows.visualItemRect(rows.item(0)).center())
    assert editor.caret[0] == 10
    hands.editor.setFocus()
    hands.press(KEY.Key_M, held=CTRL | SHIFT)
    assert not problems.is_open


def test_targets_are_hidden_grouped_and_given_a_budget_from_the_menus(hands):
    panel = hands.driven.front("targets")
    strip, names = panel.strip, {bar.name for bar in panel.bars}
    hands.pick(strip.budget, "144 Hz, 6.94 ms")
    assert strip.budget.text() == "144 Hz, 6.94 ms"

    def choose(*searches: str) -> None:
        hands.pick(strip.targets, "Choose GPUs\u2026")
        hands.driven.wait(lambda: panel.findChildren(TargetsDialog), "the dialog")
        (dialog,) = panel.findChildren(TargetsDialog)
        for search in searches:
            dialog.line.clear()
            hands.press(search, KEY.Key_Return)
        hands.click(dialog.buttons.button(dialog.buttons.StandardButton.Ok))
        hands.driven.wait(lambda: not panel.findChildren(TargetsDialog), "its end")

    choose("rtx 4070 super", "rx 6600 xt")  # one more, and one fewer
    wanted = names - {"RX 6600 XT"} | {"RTX 4070 SUPER"}
    hands.driven.wait(lambda: {bar.name for bar in panel.bars} == wanted)
    new = next(bar for bar in panel.bars if bar.target == "rtx4070-super")
    assert new.rests_on.startswith("law, ")
    assert strip.targets.text() == f"{len(wanted)} of {len(wanted) + 1} targets"
    choose("rtx 4070 super")  # no longer: the window is shared
    hands.driven.wait(lambda: {bar.name for bar in panel.bars} == names - {"RX 6600 XT"})
    hands.pick(strip.targets, "Show all")
    hands.pick(strip.targets, "Group by vendor")
    vendors = [bar.vendor for bar in panel.bars]
    runs = sum(a != b for a, b in pairwise(vendors)) + 1
    assert runs == len(set(vendors)), "each vendor's rows stand together"
    hands.pick(strip.targets, "Group by vendor")
    hands.pick(strip.budget, "60 Hz, 16.7 ms")
    table = panel.table
    row = next(n for n, bar in enumerate(panel.bars) if bar.target == "uhd630")
    hands.window.activateWindow()  # there is no window manager to do so after a dialog
    hands.click(table.viewport(), table.visualRect(table.model().index(row, 1)).center())
    assert panel.chosen.target == "uhd630"
    hands.driven.wait(lambda: QApplication.focusWidget() is table, "the keyboard")
    hands.press(KEY.Key_Up)
    assert panel.chosen.target == panel.bars[row - 1].target


def test_a_version_is_pinned_compared_and_unpinned_by_keys(hands):
    window = hands.window
    hands.press(KEY.Key_V, held=CTRL | SHIFT)
    hands.wait(lambda: hands.driven.session.versions.baseline is not None, "the variant")
    hands.editor.go_to(9, 26)
    hands.press("9")
    hands.driven.complete()
    hands.press(KEY.Key_W, held=CTRL | ALT)
    hands.wait(lambda: window.variants.window is not None, "the comparison")
    comparison = window.variants.window
    hands.wait(comparison.isVisible, "the comparison")
    hands.qtbot.keyClick(comparison, KEY.Key_Escape)
    hands.wait(lambda: not comparison.isVisible(), "the comparison to close")
    hands.editor.setFocus()
    hands.press(KEY.Key_V, held=CTRL | ALT)
    hands.wait(lambda: hands.driven.session.versions.baseline is None, "none to compare with")


def test_the_heat_map_is_switched_by_its_button_and_key(hands):
    preview, picture = hands.window.preview, hands.window.preview.picture
    (button,) = [
        each
        for each in preview.findChildren(QtWidgets.QToolButton)
        if each.defaultAction() is hands.window.actions_["view.heat"]
    ]
    hands.click(button)
    hands.wait(lambda: picture.heat is not None, "the heat map")
    hands.editor.setFocus()
    hands.press(KEY.Key_H, held=CTRL | SHIFT)
    hands.wait(lambda: picture.heat is None, "the picture alone")


def test_the_preview_is_played_stepped_and_dragged(hands):
    playback, preview = hands.driven.session.on_device.pictures.playback, hands.window.preview
    if playback.playing:
        hands.press(KEY.Key_F5)
    assert not playback.playing
    hands.press(KEY.Key_F5, held=SHIFT)
    hands.press(KEY.Key_F5, KEY.Key_F5, KEY.Key_F5, held=CTRL)
    assert playback.moment.frame == 3
    hands.press(KEY.Key_F6, held=CTRL)
    assert playback.moment.frame == 2
    slider = preview.timeline.slider
    left = QPoint(8, slider.height() // 2)
    hands.qtbot.mousePress(slider, LEFT, pos=left)
    hands.qtbot.mouseMove(slider, QPoint(slider.width() // 2, left.y()))
    hands.qtbot.mouseRelease(slider, LEFT, pos=QPoint(slider.width() // 2, left.y()))
    hands.wait(lambda: playback.moment.frame > 30, "the time in the middle")
    hands.press(KEY.Key_F5)
    assert playback.playing


def test_a_block_clicked_in_its_list_tints_its_lines(hands):
    window = hands.window
    hands.press(KEY.Key_4, held=ALT)
    table = window.blocks_panel.table
    hands.wait(lambda: window.blocks_panel.model.rowCount() > 3, "the blocks")
    hands.click(table.viewport(), table.visualRect(table.model().index(0, 0)).center())
    hands.wait(lambda: window.editor.linked_lines, "its lines")
    hands.press(KEY.Key_Escape)
    assert window.editor.focusProxy().hasFocus()
    hands.press(KEY.Key_1, held=ALT)
    hands.wait(lambda: not window.editor.linked_lines, "no tint")


def test_a_panel_floats_by_a_double_click_and_comes_back_by_a_key(hands):
    window, docks = hands.window, hands.window.layout_.docks
    dock = docks["preview"]
    docked_at = dock.mapToGlobal(QPoint())
    hands.qtbot.mouseDClick(dock, LEFT, pos=QPoint(40, 8))
    hands.wait(dock.isFloating, "a window of its own")
    hands.wait(lambda: dock.mapToGlobal(QPoint()) != docked_at, "another place than before")
    window.activateWindow()
    hands.editor.setFocus()
    hands.press(KEY.Key_0, held=CTRL | ALT)
    hands.wait(lambda: not dock.isFloating(), "its place")
    hands.press(KEY.Key_B, held=CTRL)
    hands.wait(lambda: not any(each.isVisible() for each in docks.values()), "the text alone")
    hands.press(KEY.Key_B, held=CTRL)
    hands.wait(dock.isVisible, "the panels")
    assert {panel.name for panel in PANELS} == set(docks)


def test_colours_and_zoom_change_by_keys(hands):
    window, editor = hands.window, hands.editor
    hands.press(KEY.Key_3, held=CTRL | ALT)
    assert window.settings.theme is ThemeChoice.DARK
    hands.press(KEY.Key_2, held=CTRL | ALT)
    assert window.settings.theme is ThemeChoice.LIGHT
    before = editor.line_height
    hands.press(KEY.Key_Plus, KEY.Key_Plus, held=CTRL)
    assert editor.line_height > before
    hands.press(KEY.Key_Minus, KEY.Key_Minus, held=CTRL)
    assert editor.line_height == before
    hands.press(KEY.Key_1, held=CTRL | ALT)
