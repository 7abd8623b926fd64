"""A new name for one in the text, with every line that it changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from shaderlab.app.qt import QtWidgets, QWidget
from shaderlab.language.references import renamed
from shaderlab.language.syntax import Place


@dataclass(frozen=True)
class Uses:
    """Of the name in one text."""

    where: str
    """The file's name, and whether it is written at once."""
    text: str
    places: Sequence[Place]


class RenameDialog(QtWidgets.QDialog):
    """`new_name` is what the user accepted."""

    def __init__(
        self, old: str, uses: Sequence[Uses], refusal: Callable[[str], str], parent: QWidget
    ):
        """`refusal` says why a name cannot be used; empty if it can."""
        super().__init__(parent)
        self.setWindowTitle(f"Rename {old}")
        self._old, self._uses, self._refusal = old, uses, refusal
        self.line = QtWidgets.QLineEdit(old)
        self.line.setAccessibleName("New name")
        self.line.selectAll()
        count = sum(len(each.places) for each in uses)
        files = f" in {len(uses)} files" if len(uses) > 1 else ""
        label = QtWidgets.QLabel(f"New name, for {count} places{files}:")
        self.tree = QtWidgets.QTreeWidget()
        self.tree.setHeaderHidden(True)
        self.tree.setAccessibleName("Lines that change")
        self._rows: list[list[QtWidgets.QTreeWidgetItem]] = []
        """By text, its changing lines."""
        for each in uses:
            top = QtWidgets.QTreeWidgetItem([each.where])
            rows = [QtWidgets.QTreeWidgetItem() for _ in _lines(each)]
            top.addChildren(rows)
            self.tree.addTopLevelItem(top)
            self._rows.append(rows)
        self.tree.expandAll()
        self.problem = QtWidgets.QLabel()
        self.problem.setProperty("role", "error")
        self.problem.setWordWrap(True)
        kinds = QtWidgets.QDialogButtonBox.StandardButton
        self.buttons = QtWidgets.QDialogButtonBox(kinds.Ok | kinds.Cancel)
        self._rename = self.buttons.button(kinds.Ok)
        self._rename.setText("Rename")
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        column = QtWidgets.QVBoxLayout(self)
        column.addWidget(label)
        column.addWidget(self.line)
        column.addWidget(self.tree, 1)
        column.addWidget(self.problem)
        column.addWidget(self.buttons)
        self.resize(520, 320)
        self.line.textChanged.connect(self._show)
        self._show()

    @property
    def new_name(self) -> str:
        return self.line.text().strip()

    @property
    def shown(self) -> dict[str, list[str]]:
        """By text, the lines that change, as they will be."""
        pairs = zip(self._uses, self._rows, strict=True)
        return {each.where: [row.text(0) for row in rows] for each, rows in pairs}

    def _show(self) -> None:
        """The lines as they will be, and whether they can be."""
        new = self.new_name
        is_same = new == self._old
        why = "" if is_same else self._refusal(new)
        self.problem.setText(why)
        self._rename.setEnabled(not (why or is_same))
        for each, rows in zip(self._uses, self._rows, strict=True):
            lines = renamed(each.text, each.places, self._old, new).split("\n")
            for row, number in zip(rows, _lines(each), strict=True):
                row.setText(0, f"{number}: {lines[number - 1].strip()}")


def _lines(uses: Uses) -> list[int]:
    return sorted({place.line for place in uses.places})
