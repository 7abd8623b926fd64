"""The menu bar and the toolbar, filled from the table of commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from shaderlab.app.qt import QActionGroup, QSize, Qt, QtWidgets
from shaderlab.app.settings import Settings
from shaderlab.app.shell.commands.actions import Actions
from shaderlab.app.shell.commands.table import (
    HEAT_COMMANDS,
    MENUS,
    PANEL_COMMANDS,
    SEPARATOR,
    TEXT_BESIDE_ICON,
    THEME_COMMANDS,
    TOOLBAR,
)


def fill_menu_bar(
    window: QtWidgets.QMainWindow,
    actions: Actions,
    others: Mapping[str, QtWidgets.QMenu],
) -> None:
    """Add all menus, and to the window what is in none, so that its shortcut works.

    `others`: sub-menus that fill themselves, by their name in the table.
    """
    themes = QtWidgets.QMenu("Colou&rs", window)
    group = QActionGroup(window)
    for command_id in THEME_COMMANDS:
        themes.addAction(group.addAction(actions[command_id]))
    heat = QtWidgets.QMenu("&Heat map", window)
    switch, *kinds = (actions[command_id] for command_id in HEAT_COMMANDS)
    heat.addAction(switch)
    heat.addSeparator()
    group = QActionGroup(window)
    for kind in kinds:
        heat.addAction(group.addAction(kind))
    panels = QtWidgets.QMenu("&Panels", window)
    for command_id in PANEL_COMMANDS:
        if command_id == SEPARATOR:
            panels.addSeparator()
        else:
            panels.addAction(actions[command_id])
    menus = {"panels": panels, "theme": themes, "heat": heat, **others}
    for title, entries in MENUS:
        menu = window.menuBar().addMenu(title)
        for entry in entries:
            if entry == SEPARATOR:
                menu.addSeparator()
            elif entry in menus:
                menu.addMenu(menus[entry])
            else:
                menu.addAction(actions[entry])
    for command in actions.commands:
        if actions[command.id] not in window.actions():
            window.addAction(actions[command.id])


def fill_toolbar(toolbar: QtWidgets.QToolBar, actions: Actions) -> None:
    toolbar.setObjectName("toolbar")
    toolbar.setMovable(False)
    toolbar.setIconSize(QSize(20, 20))
    toolbar.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
    for entry in TOOLBAR:
        if entry == SEPARATOR:
            toolbar.addSeparator()
            continue
        toolbar.addAction(actions[entry])
        button = toolbar.widgetForAction(actions[entry])
        if entry in TEXT_BESIDE_ICON and isinstance(button, QtWidgets.QToolButton):
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)


class RecentMenu(QtWidgets.QMenu):
    """The files opened last, filled when it is about to be shown."""

    def __init__(
        self, settings: Settings, open_file: Callable[[Path], object], parent: QtWidgets.QWidget
    ):
        super().__init__("Open &recent", parent)
        self._settings, self._open_file = settings, open_file
        self.aboutToShow.connect(self._fill)

    def _fill(self) -> None:
        self.clear()
        for name in self._settings.recent:
            path = Path(name)
            text = f"{path.name}  \u2013  {path.parent}".replace("&", "&&")
            entry = self.addAction(text)
            entry.triggered.connect(lambda _=False, path=path: self._open_file(path))
        if not self._settings.recent:
            self.addAction("No recent files").setEnabled(False)
