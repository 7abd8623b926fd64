"""Commands about the text and the places in it."""

from __future__ import annotations

from shaderlab.app.documents.documents import Documents
from shaderlab.app.editor.find_bar import FindBar
from shaderlab.app.editor.formatting import Formatting
from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.qt import QtWidgets, QWidget
from shaderlab.app.shell.commands.actions import Calls
from shaderlab.app.shell.navigation import Navigation
from shaderlab.app.widgets.boxes import input_dialog
from shaderlab.app.widgets.notifications import NotificationCentre


class EditCommands:
    """See the module."""

    def __init__(
        self,
        window: QWidget,
        editor: Editor,
        find_bar: FindBar,
        navigation: Navigation,
        documents: Documents,
        notices: NotificationCentre,
    ):
        self._window, self._editor = window, editor
        self._documents, self._notices = documents, notices
        self._formatting = Formatting(editor)
        self._formatting.refused.connect(lambda why: notices.say("warning", why))
        self._formatting.finished.connect(self._on_formatted)
        self.calls: Calls = {
            "edit.undo": editor.undo,
            "edit.redo": editor.redo,
            "edit.find": lambda: find_bar.open_bar(replacing=False),
            "edit.find_next": find_bar.find_next,
            "edit.find_previous": find_bar.find_previous,
            "edit.replace": lambda: find_bar.open_bar(replacing=True),
            "edit.comment": editor.toggle_comment,
            "edit.format": lambda: self._format(selection=False),
            "edit.format_selection": lambda: self._format(selection=True),
            "edit.go_to_line": self._go_to_line,
            "edit.hot_line": navigation.to_next_hot_line,
            "edit.next_problem": navigation.to_next_problem,
            "edit.previous_problem": navigation.to_previous_problem,
        }

    def _format(self, *, selection: bool) -> None:
        vertex = self._documents.vertex
        path = vertex.path if vertex.is_shown else self._documents.document.path
        self._formatting.format(path, selection=selection)

    def _on_formatted(self, changed: bool) -> None:
        if not changed:
            self._notices.say("note", "The text is already formatted")

    def _go_to_line(self) -> None:
        dialog = input_dialog(self._window, "Go to line", f"Line (1 to {self._editor.line_count}):")
        dialog.setInputMode(QtWidgets.QInputDialog.InputMode.IntInput)
        dialog.setIntRange(1, self._editor.line_count)
        dialog.setIntValue(self._editor.caret[0])
        dialog.intValueSelected.connect(self._to_line)
        dialog.open()

    def _to_line(self, number: int) -> None:
        self._editor.go_to(number)
        self._editor.setFocus()
