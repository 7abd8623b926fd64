"""Commands about shaderlab itself."""

from __future__ import annotations

from collections.abc import Callable

from shaderlab import __version__
from shaderlab.app.qt import QKeySequence, QtWidgets, QWidget
from shaderlab.app.session.session import Session
from shaderlab.app.shell import problem_report
from shaderlab.app.shell.commands.actions import Actions, Calls
from shaderlab.app.shell.commands.table import palette_text
from shaderlab.app.shell.manual import Manual
from shaderlab.app.shell.welcome import Welcome
from shaderlab.app.widgets.command_palette import CommandPalette, Entry
from shaderlab.app.widgets.notifications import NotificationCentre

_NATIVE = QKeySequence.SequenceFormat.NativeText


class HelpCommands:
    """See the module."""

    def __init__(
        self,
        window: QWidget,
        session: Session,
        actions: Actions,
        notices: NotificationCentre,
        facts: Callable[[], problem_report.Facts],
        welcome: Welcome,
    ):
        """`facts`: what a problem's report is made of."""
        self._window, self._session, self._actions = window, session, actions
        self._notices, self._facts = notices, facts
        self.calls: Calls = {
            "help.manual": self._manual,
            "help.welcome": welcome.begin,
            "help.commands": self._palette,
            "help.diagnostics": self.copy_diagnostics,
            "help.about": self._about,
        }

    def copy_diagnostics(self) -> None:
        """Put a report of the window's state in the clipboard."""
        self._session.bridge.watch(
            problem_report.gather(self._facts()),
            self._on_gathered,
            lambda error: self._notices.say("error", str(error)),
        )

    def _on_gathered(self, report: str) -> None:
        QtWidgets.QApplication.clipboard().setText(report)
        self._notices.say("note", "Diagnostics copied to the clipboard, without any shader text")

    def _palette(self) -> None:
        entries = []
        for command in self._actions.commands:
            action = self._actions[command.id]
            if action.isEnabled():
                keys = action.shortcut().toString(_NATIVE)
                entries.append(Entry(command.id, palette_text(command), keys, action.icon()))
        palette = CommandPalette(entries, "Type a command", self._window)
        palette.chosen.connect(lambda command_id: self._actions[command_id].trigger())
        palette.popup()

    def _manual(self) -> None:
        for manual in self._window.findChildren(Manual):
            manual.raise_()
            manual.activateWindow()
            return
        Manual(self._window).show()

    def _about(self) -> None:
        QtWidgets.QMessageBox.about(
            self._window,
            "About shaderlab",
            f"<b>shaderlab {__version__}</b><p>See what every line of a fragment shader costs, "
            "here and on GPUs you do not own.</p><p>Free software under the GPL, version 3 or "
            "later.</p>",
        )
