"""Rows of fixed columns for a Qt table, replaced as a whole; each table says what a cell shows."""

from __future__ import annotations

from collections.abc import Sequence

from shaderlab.app.qt import QAbstractTableModel, QModelIndex, Qt


class RowModel(QAbstractTableModel):
    """Subclasses name the columns and answer `data` from `rows`."""

    columns: Sequence[str] = ()
    tips: Sequence[str] = ()
    """What each column means, said under the mouse."""
    words: frozenset[int] = frozenset()
    """Columns that begin at the left; the others hold numbers, which end at the right."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple = ()

    def set_rows(self, rows: Sequence) -> None:
        self.beginResetModel()
        self.rows = tuple(rows)
        self.endResetModel()

    def rowCount(self, parent: QModelIndex | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def columnCount(self, parent: QModelIndex | None = None) -> int:
        return len(self.columns)

    def headerData(self, section: int, orientation, role=Qt.ItemDataRole.DisplayRole):
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
