"""Commands that open the settings."""

from __future__ import annotations

from collections.abc import Callable

from shaderlab.app.qt import Qt, QWidget
from shaderlab.app.settings import Settings
from shaderlab.app.shell.appearance import Appearance
from shaderlab.app.shell.commands.actions import Calls
from shaderlab.app.shell.settings_dialog import KEYS, LIMITS, TEXT, SettingsDialog


class SettingsCommands:
    """See the module."""

    def __init__(
        self,
        window: QWidget,
        settings: Settings,
        appearance: Appearance,
        apply: Callable[[], None],
    ):
        """`apply`: the settings are others than before."""
        self._window, self._settings = window, settings
        self._appearance, self._apply = appearance, apply
        self.calls: Calls = {
            "file.settings": lambda: self._open(TEXT),
            "help.shortcuts": lambda: self._open(KEYS),
            "run.limits": lambda: self._open(LIMITS),
        }

    def _open(self, page: int) -> None:
        dialog = SettingsDialog(self._settings, self._appearance.theme, self._window, page)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.changed.connect(self._apply)
        dialog.open()
