"""Commands about the text and the places in it."""

from __future__ import annotations

from shaderlab.app.editor.find_bar import FindBar
from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.qt import QtWidgets, QWidget
from shaderlab.app.shell.commands.actions import Calls
from shaderlab.app.shell.navigation import Navigation


class EditCommands:
    """See the module."""

    def __init__(self, window: QWidget, editor: Editor, find_bar: FindBar, navigation: Navigation):
        self._window, self._editor = window, editor
        self.calls: Calls = {
            "edit.undo": editor.undo,
            "edit.redo": editor.redo,
            "edit.find": lambda: find_bar.open_bar(replacing=False),
            "edit.find_next": find_bar.find_next,
            "edit.find_previous": find_bar.find_previous,
            "edit.replace": lambda: find_bar.open_bar(replacing=True),
            "edit.comment": editor.toggle_comment,
            "edit.go_to_line": self._go_to_line,
            "edit.hot_line": navigation.to_next_hot_line,
            "edit.next_problem": navigation.to_next_problem,
            "edit.previous_problem": navigation.to_previous_problem,
        }

    def _go_to_line(self) -> None:
        number, agreed = QtWidgets.QInputDialog.getInt(
            self._window, "Go to line", "Line:", self._editor.caret[0], 1,
            self._editor.line_count,
        )  # fmt: skip
        if agreed:
            self._editor.go_to(number)
            self._editor.setFocus()
