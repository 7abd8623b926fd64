"""Macros and include folders of the document, as a form."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from shaderlab.app.qt import Qt, QtWidgets, QWidget
from shaderlab.app.session.reading_choice import ReadingChoice
from shaderlab.errors import WrongUse
from shaderlab.frontend.reading import macro


def macros_in(text: str) -> tuple[tuple[str, str], ...]:
    """Names and replacements, one macro a line; the last of a name holds.

    Raises WrongUse with the number of the first line that is none.
    """
    found: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                name, value = macro(line.strip())
            except WrongUse as error:
                raise WrongUse(f"Line {number}: {error}") from None
            found[name] = value
    return tuple(found.items())


class ReadingDialog(QtWidgets.QDialog):
    """Changes what it was given when it is accepted."""

    def __init__(self, reading: ReadingChoice, folder: Path | None, parent: QWidget):
        super().__init__(parent)
        self.setWindowTitle("Macros and include folders")
        self._reading, self._folder = reading, folder
        value = reading.value
        self.macros = QtWidgets.QPlainTextEdit(
            "\n".join(f"{name}={replacement}" for name, replacement in value.defines)
        )
        self.macros.setAccessibleName("Macros, one a line")
        self.macros.setPlaceholderText("QUALITY=2")
        self.macros.setTabChangesFocus(True)
        self.folders = QtWidgets.QListWidget()
        self.folders.setAccessibleName("Include folders, searched from top to bottom")
        self._add(value.search)
        self.problem = QtWidgets.QLabel()
        self.problem.setProperty("role", "error")
        self.problem.setWordWrap(True)
        self.problem.hide()
        kinds = QtWidgets.QDialogButtonBox.StandardButton
        self.buttons = QtWidgets.QDialogButtonBox(kinds.Ok | kinds.Cancel)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        add, remove = QtWidgets.QPushButton("Add…"), QtWidgets.QPushButton("Remove")
        add.clicked.connect(self._choose_folder)
        remove.clicked.connect(lambda: self.folders.takeItem(self.folders.currentRow()))
        column = QtWidgets.QVBoxLayout(self)
        column.addWidget(QtWidgets.QLabel("Macros: NAME or NAME=VALUE, one a line"))
        column.addWidget(self.macros, 1)
        column.addWidget(QtWidgets.QLabel("Folders to include from, after the shader's own"))
        row = QtWidgets.QHBoxLayout()
        row.addWidget(self.folders, 1)
        beside = QtWidgets.QVBoxLayout()
        beside.addWidget(add)
        beside.addWidget(remove)
        beside.addStretch(1)
        row.addLayout(beside)
        column.addLayout(row, 1)
        column.addWidget(self.problem)
        column.addWidget(self.buttons)
        self.resize(480, 340)

    def accept(self) -> None:
        try:
            defines = macros_in(self.macros.toPlainText())
        except WrongUse as error:
            self.problem.setText(str(error))
            self.problem.show()
            return
        folders = (self.folders.item(row).text() for row in range(self.folders.count()))
        search = tuple(map(Path, folders))
        self._reading.choose(replace(self._reading.value, defines=defines, search=search))
        super().accept()

    def _add(self, folders: Iterable[Path]) -> None:
        self.folders.addItems([str(each) for each in folders])

    def _choose_folder(self) -> None:
        start = str(self._folder or Path.home())
        name = QtWidgets.QFileDialog.getExistingDirectory(self, "A folder to include from", start)
        if name and not self.folders.findItems(name, Qt.MatchFlag.MatchExactly):
            self._add([Path(name).resolve()])
