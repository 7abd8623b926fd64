"""The commands as QActions: what menus, toolbar, shortcuts and palette trigger."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from shaderlab.app.qt import QAction, QKeySequence, QObject, Qt
from shaderlab.app.shell.commands.table import COMMANDS, Command, When, plain_text
from shaderlab.app.widgets import icons
from shaderlab.app.widgets.theme import Theme

Calls = Mapping[str, Callable[..., object]]
"""What commands do, by id.  A checkable command's call is given the new state."""


class Actions(QObject):
    """One action per command; each is bound once to what it does."""

    def __init__(self, parent: QObject, commands: Iterable[Command] = COMMANDS):
        super().__init__(parent)
        self.commands = tuple(commands)
        self._actions: dict[str, QAction] = {}
        self._bound: set[str] = set()
        for command in self.commands:
            action = QAction(command.text, parent)
            action.setObjectName(command.id)
            action.setCheckable(command.checkable)
            action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
            self._actions[command.id] = action
        self.set_keys({each.id: each.shortcut.split("; ") for each in self.commands})

    def __getitem__(self, command_id: str) -> QAction:
        return self._actions[command_id]

    def set_keys(self, bindings: Mapping[str, Sequence[str]]) -> None:
        """Trigger each command by these portable key sequences; the first one is shown."""
        for command in self.commands:
            action, keys = self._actions[command.id], bindings[command.id]
            action.setShortcuts([QKeySequence(key) for key in keys])
            tip = command.tip or plain_text(command)
            shown = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            action.setToolTip(f"{tip} ({shown})" if shown else tip)

    def bind(self, calls: Calls) -> None:
        """Have these commands do this.

        Raises KeyError for what is no command, ValueError for one that does something already.
        """
        for command_id, call in calls.items():
            action = self._actions[command_id]
            if command_id in self._bound:
                raise ValueError(f"{command_id} is bound twice")
            self._bound.add(command_id)
            if action.isCheckable():
                action.triggered.connect(lambda checked, call=call: call(checked))
            else:
                action.triggered.connect(lambda _checked=False, call=call: call())

    @property
    def unbound(self) -> frozenset[str]:
        """Commands that do nothing yet."""
        return frozenset(self._actions) - self._bound

    def tint(self, theme: Theme) -> None:
        """Draw the icons in the theme's colours."""
        for command in self.commands:
            if command.icon:
                self._actions[command.id].setIcon(icons.icon(command.icon, theme))

    def enable(self, facts: Mapping[When, bool]) -> None:
        """Enable each command whose condition holds."""
        for command in self.commands:
            if command.when is not When.ALWAYS:
                self._actions[command.id].setEnabled(facts[command.when])

    def key_sequences(self) -> list[QKeySequence]:
        return [key for action in self._actions.values() for key in action.shortcuts()]
