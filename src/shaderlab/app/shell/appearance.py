"""Colours everywhere in the window, from the user's choice and the desktop's scheme."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from shaderlab.app.qt import QApplication, QObject, QtGui, Signal
from shaderlab.app.settings import Settings
from shaderlab.app.shell.commands.actions import Actions
from shaderlab.app.shell.commands.table import THEME_COMMANDS
from shaderlab.app.widgets import theme
from shaderlab.app.widgets.theme import Theme, ThemeChoice


class Themed(Protocol):
    """A view that paints in the theme's colours."""

    def set_theme(self, theme: Theme) -> None: ...


class Appearance(QObject):
    """Keeps the application, the views and the commands' icons in one theme."""

    changed = Signal()

    def __init__(
        self, settings: Settings, actions: Actions, views: Sequence[Themed], parent: QObject
    ):
        super().__init__(parent)
        self._settings, self._actions, self._views = settings, actions, tuple(views)
        self.theme = theme.current(settings.theme)
        QApplication.styleHints().colorSchemeChanged.connect(self.apply)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.screenAdded.connect(self._on_screen)  # icons are as sharp as the screens are
        for screen in application.screens():
            screen.geometryChanged.connect(self.apply)

    def _on_screen(self, screen: QtGui.QScreen) -> None:
        screen.geometryChanged.connect(self.apply)
        self.apply()

    def choose(self, choice: ThemeChoice) -> None:
        self._settings.theme = choice
        self.apply()

    def apply(self) -> None:
        """Take the colours that the choice and the desktop ask for now."""
        self.theme = theme.current(self._settings.theme)
        theme.apply(self.theme)
        for view in self._views:
            view.set_theme(self.theme)
        self._actions.tint(self.theme)
        for choice, command_id in zip(ThemeChoice, THEME_COMMANDS, strict=True):
            self._actions[command_id].setChecked(self._settings.theme is choice)
        self.changed.emit()
