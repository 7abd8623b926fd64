"""All GPUs there are forecasts for: the user ticks those to list."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from shaderlab.app.qt import QSize, Qt, QtWidgets, QWidget, Signal
from shaderlab.app.widgets.search_line import SearchLine

if TYPE_CHECKING:
    from shaderlab.prediction.catalogue.targets import TargetInfo

NAME, YEAR, EVIDENCE, ERROR = range(4)
_COLUMNS = ("GPU", "Year", "Rests on", "Error")
_EVIDENCE = {
    "measured": "Times of this very GPU",
    "distribution": "Published times of this GPU over many shaders; a relative says which is which",
    "law": "Times of a measured relative and both data sheets; the error is that of another GPU "
    "whose times were kept apart",
    "untested": "Times of a measured relative and both data sheets; its error has not been "
    "measured",
}
_GROUPS = ("By vendor", "By year")
_SLUG = Qt.ItemDataRole.UserRole
_CHECKED, _UNCHECKED = Qt.CheckState.Checked, Qt.CheckState.Unchecked


class TargetsDialog(QtWidgets.QDialog):
    """A line to type in over a tree of vendors, or years, with their GPUs."""

    agreed = Signal(object)
    """The slugs that are ticked, a frozenset."""

    def __init__(self, targets: Sequence[TargetInfo], listed: Collection[str], parent: QWidget):
        """`listed`: slugs of the targets that are ticked at first."""
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("GPUs to predict")
        self._targets = {each.target: each for each in targets}
        self._ticked = set(listed)
        self.tree = QtWidgets.QTreeWidget()
        self.tree.setAccessibleName("GPUs")
        self.tree.setHeaderLabels(_COLUMNS)
        self.tree.setUniformRowHeights(True)
        self.tree.header().setStretchLastSection(False)
        sizing = QtWidgets.QHeaderView.ResizeMode
        for column in range(len(_COLUMNS)):
            self.tree.header().setSectionResizeMode(
                column, sizing.Stretch if column == NAME else sizing.ResizeToContents
            )
        self.tree.itemChanged.connect(self._on_ticked)
        self.line = SearchLine("Search by name, vendor or year", "Search the GPUs", self.tree)
        self.line.textChanged.connect(self._fill)
        self.line.entered.connect(self._switch_current)
        self.grouping = QtWidgets.QComboBox()
        self.grouping.setAccessibleName("Group the GPUs")
        self.grouping.addItems(_GROUPS)
        self.grouping.currentIndexChanged.connect(self._fill)
        self.count = QtWidgets.QLabel()
        self.count.setProperty("role", "dim")
        kinds = QtWidgets.QDialogButtonBox.StandardButton
        self.buttons = QtWidgets.QDialogButtonBox(kinds.Ok | kinds.Cancel)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        head, foot = QtWidgets.QHBoxLayout(), QtWidgets.QHBoxLayout()
        head.addWidget(self.line, 1)
        head.addWidget(self.grouping)
        foot.addWidget(self.count, 1)
        foot.addWidget(self.buttons)
        layout = QtWidgets.QVBoxLayout(self)
        layout.addLayout(head)
        layout.addWidget(self.tree, 1)
        layout.addLayout(foot)
        self.resize(QSize(620, 640).boundedTo(parent.window().size()))
        self._fill()

    def _fill(self) -> None:
        words = self.line.text().lower().split()
        by_year = self.grouping.currentIndex() == _GROUPS.index("By year")

        def group(each: TargetInfo) -> str:
            return (str(each.year) if each.year else "No product") if by_year else each.vendor

        ordered = sorted(self._targets.values(), key=lambda each: each.name.casefold())
        ordered.sort(key=group, reverse=by_year)
        matching = [
            each
            for each in ordered
            if all(word in f"{each.name} {each.vendor} {each.year}".lower() for word in words)
        ]
        self.tree.blockSignals(True)
        self.tree.clear()
        for name, members in groupby(matching, group):
            top = QtWidgets.QTreeWidgetItem([name])
            top.addChildren([self._row(each) for each in members])
            self.tree.addTopLevelItem(top)
            top.setFirstColumnSpanned(True)
        self.tree.expandAll()
        self.tree.blockSignals(False)
        first = self.tree.topLevelItem(0)
        row = first.child(0) if first is not None else None
        if row is not None:
            self.tree.setCurrentItem(row)
        self._count()

    def _row(self, info: TargetInfo) -> QtWidgets.QTreeWidgetItem:
        row = QtWidgets.QTreeWidgetItem(
            [info.name, str(info.year or ""), info.evidence, info.validated.text]
        )
        row.setData(NAME, _SLUG, info.target)
        row.setCheckState(NAME, _CHECKED if info.target in self._ticked else _UNCHECKED)
        row.setToolTip(EVIDENCE, _EVIDENCE[info.evidence])
        row.setToolTip(ERROR, info.validated.source)
        return row

    def _on_ticked(self, row: QtWidgets.QTreeWidgetItem, column: int) -> None:
        slug = row.data(NAME, _SLUG)
        if column == NAME and slug is not None:
            change = self._ticked.add if row.checkState(NAME) is _CHECKED else self._ticked.discard
            change(slug)
            self._count()

    def _switch_current(self) -> None:
        """Return in the search line ticks what the arrow keys chose."""
        row = self.tree.currentItem()
        if row is not None and row.data(NAME, _SLUG) is not None:
            ticked = row.checkState(NAME) is _CHECKED
            row.setCheckState(NAME, _UNCHECKED if ticked else _CHECKED)

    def _count(self) -> None:
        self.count.setText(f"{len(self._ticked)} of {len(self._targets)} listed")
        ok = self.buttons.button(QtWidgets.QDialogButtonBox.StandardButton.Ok)
        ok.setEnabled(bool(self._ticked))

    def accept(self) -> None:
        super().accept()
        self.agreed.emit(frozenset(self._ticked))
