"""Find and replace under the editor."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.editor.search import Search
from shaderlab.app.qt import QKeySequence, QSize, Qt, QtGui, QtWidgets, QWidget
from shaderlab.app.widgets import icons
from shaderlab.app.widgets.theme import Theme


class FindBar(QWidget):
    """Hidden until asked for; Escape gives the keyboard back to the editor."""

    def __init__(self, editor: Editor, theme: Theme):
        super().__init__()
        self._editor = editor
        self._number = 0
        self.setProperty("role", "strip")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.pattern = QtWidgets.QLineEdit()
        self.pattern.setPlaceholderText("Find")
        self.pattern.setClearButtonEnabled(False)
        self.pattern.textChanged.connect(self._search_as_typed)
        self.pattern.returnPressed.connect(self.find_next)
        self.replacement = QtWidgets.QLineEdit()
        self.replacement.setPlaceholderText("Replace with")
        self.replacement.returnPressed.connect(self.replace)
        self._case = self._option("Aa", "Match case")
        self._word = self._option("W", "Whole words")
        self._regex = self._option(".*", "Regular expression")
        self._found = QtWidgets.QLabel()
        self._found.setProperty("role", "dim")
        self._previous = self._tool("Previous (Shift+F3)", self.find_previous)
        self._next = self._tool("Next (F3)", self.find_next)
        self._close = self._tool("Close (Escape)", self.close_bar)
        self._replace = QtWidgets.QPushButton("Replace")
        self._replace.clicked.connect(self.replace)
        self._all = QtWidgets.QPushButton("All")
        self._all.clicked.connect(self.replace_all)
        grid = QtWidgets.QGridLayout(self)
        grid.setContentsMargins(8, 5, 6, 5)
        grid.setHorizontalSpacing(3)
        grid.setVerticalSpacing(5)
        grid.addWidget(self.pattern, 0, 0)
        for column, widget in enumerate(
            (self._case, self._word, self._regex, self._previous, self._next, self._found), 1
        ):
            grid.addWidget(widget, 0, column)
        grid.addWidget(self._close, 0, 8)
        grid.addWidget(self.replacement, 1, 0)
        grid.addWidget(self._replace, 1, 1, 1, 3)
        grid.addWidget(self._all, 1, 4, 1, 2)
        grid.setColumnStretch(0, 1)
        self._found.setMinimumWidth(self._found.fontMetrics().horizontalAdvance("000 of 0000") + 6)
        QtGui.QShortcut(
            QKeySequence(Qt.Key.Key_Escape),
            self,
            self.close_bar,
            context=Qt.ShortcutContext.WidgetWithChildrenShortcut,
        )
        for former, following in pairwise(
            (self.pattern, self.replacement, self._replace, self._all, self._case, self._word,
             self._regex, self._previous, self._next, self._close)
        ):  # fmt: skip
            self.setTabOrder(former, following)
        self.set_theme(theme)
        self.hide()

    def open_bar(self, replacing: bool) -> None:
        selected = self._editor.selected_text
        if selected and "\n" not in selected:
            self.pattern.setText(selected)
        for widget in (self.replacement, self._replace, self._all):
            widget.setVisible(replacing)
        self.show()
        self.pattern.setFocus()
        self.pattern.selectAll()
        self._count()

    def close_bar(self) -> None:
        self.hide()
        self._editor.mark_found(Search(""))
        self._editor.setFocus()

    def find_next(self) -> None:
        self._editor.find_text(self._search)
        self._show_number()

    def find_previous(self) -> None:
        self._editor.find_text(self._search, forward=False)
        self._show_number()

    def replace(self) -> None:
        """Replace the occurrence selected, then go to the next; go to one where none is."""
        if not self._editor.read_only:
            self._try_to(self._replace_and_go_on)

    def replace_all(self) -> None:
        def replace() -> None:
            number = self._editor.replace_all(self._search, self.replacement.text())
            self._count()
            self._found.setText(f"{number} replaced")

        self._try_to(replace)

    def _replace_and_go_on(self) -> None:
        self._editor.replace_selected(self._search, self.replacement.text())
        self._editor.find_text(self._search, from_start_of_selection=True)
        self._count()

    def _try_to(self, replace: Callable[[], None]) -> None:
        try:
            replace()
        except (re.error, IndexError) as error:
            self._say_wrong(str(error))

    def set_theme(self, theme: Theme) -> None:
        self._previous.setIcon(icons.icon("up", theme))
        self._next.setIcon(icons.icon("down", theme))
        self._close.setIcon(icons.icon("close", theme))

    @property
    def _search(self) -> Search:
        return Search(
            self.pattern.text(),
            case=self._case.isChecked(),
            word=self._word.isChecked(),
            regex=self._regex.isChecked(),
        )

    def _search_as_typed(self) -> None:
        self._editor.find_text(self._search, from_start_of_selection=True)
        self._count()

    def _count(self) -> None:
        self._number = self._editor.mark_found(self._search)
        self._show_number()

    def _show_number(self) -> None:
        """`3 of 24` where an occurrence is selected."""
        self._found.setToolTip("")
        if not self.pattern.text():
            self._found.clear()
        elif problem := self._search.problem:
            self._say_wrong(problem)
        elif place := self._editor.found_number:
            self._found.setText(f"{place} of {self._number}")
        else:
            self._found.setText(f"{self._number} found")

    def _say_wrong(self, problem: str) -> None:
        """The whole sentence is the tip: there is little room in the bar."""
        self._found.setText("not valid")
        self._found.setToolTip(f"Regular expression: {problem}")

    def _option(self, text: str, tip: str) -> QtWidgets.QToolButton:
        button = QtWidgets.QToolButton()
        button.setText(text)
        button.setToolTip(tip)
        button.setCheckable(True)
        button.toggled.connect(self._search_as_typed)
        return button

    def _tool(self, tip: str, call) -> QtWidgets.QToolButton:
        button = QtWidgets.QToolButton()
        button.setToolTip(tip)
        button.setIconSize(QSize(16, 16))
        button.clicked.connect(call)
        return button
