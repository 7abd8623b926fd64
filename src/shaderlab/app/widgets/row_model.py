"""Rows of fixed columns for a Qt table, replaced as a whole; each table says what a cell shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shaderlab.app.qt import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

Index = QModelIndex | QPersistentModelIndex
"""What Qt asks a model with."""

_ROOT = QModelIndex()


class RowModel(QAbstractTableModel):
    """Subclasses name the columns and answer `data` from `rows`."""

    columns: Sequence[str] = ()
    tips: Sequence[str] = ()
    """What each column means, shown as tool tip."""
    words: frozenset[int] = frozenset()
    """Columns that begin at the left; the others hold numbers, which end at the right."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple = ()

    def set_rows(self, rows: Sequence) -> None:
        self.beginResetModel()
        self.rows = tuple(rows)
        self.endResetModel()

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = _ROOT) -> int:  # noqa: ARG002, a table has no tree
        return len(self.columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal:
            if role == Qt.ItemDataRole.DisplayRole:
                return self.columns[section]
            if role == Qt.ItemDataRole.ToolTipRole:
                return self.tips[section]
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return self.alignment(section)
        return None

    def alignment(self, column: int) -> Qt.AlignmentFlag:
        left, right = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
        return (left if column in self.words else right) | Qt.AlignmentFlag.AlignVCenter


class SortedRowModel(RowModel):
    """Keeps its rows in the order of a column; Qt's proxy would ask Python twice a comparison."""

    def __init__(self, column: int) -> None:
        """Descending by `column` until the user sorts otherwise."""
        super().__init__()
        self._by, self._order = column, Qt.SortOrder.DescendingOrder

    def sort_key(self, row: Any, column: int) -> Any:
        """What rows are ordered by, one comparable with another."""
        raise NotImplementedError

    def set_rows(self, rows: Sequence) -> None:
        super().set_rows(self._sorted(rows))

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        if column < 0:
            return
        self.layoutAboutToBeChanged.emit()
        self._by, self._order = column, order
        kept = self.persistentIndexList()
        before = [self.rows[index.row()] for index in kept]
        self.rows = self._sorted(self.rows)
        place = {id(row): number for number, row in enumerate(self.rows)}
        self.changePersistentIndexList(
            kept,
            [
                self.index(place[id(row)], index.column())
                for row, index in zip(before, kept, strict=True)
            ],
        )
        self.layoutChanged.emit()

    def _sorted(self, rows: Sequence) -> tuple:
        falling = self._order == Qt.SortOrder.DescendingOrder
        return tuple(sorted(rows, key=lambda row: self.sort_key(row, self._by), reverse=falling))
