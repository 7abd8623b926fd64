"""A change of theme in a real window: all of it, and in steps."""

from __future__ import annotations

import shiboken6

from shaderlab.app.qt import QApplication
from shaderlab.app.widgets.theme import DARK, LIGHT, ThemeChoice


def test_widgets_behind_tabs_get_the_colours_too(driven):
    window = driven.window
    styling = window.appearance._styling
    header = window.blocks_panel.table.horizontalHeader()
    driven.front("targets")
    try:
        for choice, theme in ((ThemeChoice.DARK, DARK), (ThemeChoice.LIGHT, LIGHT)):
            window.appearance.choose(choice)
            role = window.palette().ColorRole
            assert QApplication.palette().color(role.Window).name() == theme.window
            driven.wait(lambda: not styling._left, "every widget")
            assert not header.isVisible()
            for bar in (window.menuBar(), header):
                image = bar.grab().toImage()
                assert image.pixelColor(image.width() - 3, 3).name() == theme.window, bar
    finally:
        window.appearance.choose(ThemeChoice.SYSTEM)
        driven.wait(lambda: not styling._left, "every widget")


def test_a_widget_that_is_deleted_meanwhile_is_left_out(driven):
    window = driven.window
    styling = window.appearance._styling
    driven.window.actions_["help.shortcuts"].trigger()
    dialogs = [w for w in QApplication.topLevelWidgets() if w.isVisible() and w is not window]
    try:
        for dialog in dialogs:
            dialog.hide()
        window.appearance.choose(ThemeChoice.DARK)
        assert styling._left
        for dialog in dialogs:
            shiboken6.delete(dialog)
        driven.wait(lambda: not styling._left, "every widget")
    finally:
        window.appearance.choose(ThemeChoice.SYSTEM)
        driven.wait(lambda: not styling._left, "every widget")
