"""The outline: a click goes to a part, the caret's part is marked."""

from __future__ import annotations

from collections.abc import Sequence

from shaderlab.app.panels.outline.rows import (
    LINE,
    SHARE,
    SYMBOL,
    OutlineModel,
    OutlineRow,
    row_at,
)
from shaderlab.app.qt import Qt, QtWidgets, QWidget, Signal
from shaderlab.app.widgets.empty_state import EmptyState
from shaderlab.app.widgets.share_bar import ShareBar
from shaderlab.app.widgets.theme import Theme


class OutlinePanel(QWidget):
    place_chosen = Signal(int, int)
    """Line and column to go to."""
    shown = Signal()
    """It came on screen."""

    def __init__(self, theme: Theme):
        super().__init__()
        self.model = OutlineModel()
        self.table = table = QtWidgets.QTableView()
        table.setModel(self.model)
        table.setSelectionBehavior(QtWidgets.QTableView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QtWidgets.QTableView.SelectionMode.SingleSelection)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setTabKeyNavigation(False)
        table.setAccessibleName("Outline of the text")
        table.verticalHeader().hide()
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(SYMBOL, QtWidgets.QHeaderView.ResizeMode.Stretch)
        self._bar = ShareBar(table)
        table.setItemDelegateForColumn(SHARE, self._bar)
        table.clicked.connect(self._on_chosen)
        table.activated.connect(self._on_chosen)
        self.empty = EmptyState(theme)
        self.empty.say("lines", "No functions, structs or uniforms yet")
        self._stack = QtWidgets.QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(table)
        self.set_theme(theme)

    def show_rows(self, rows: Sequence[OutlineRow], line: int) -> None:
        """Replace all rows; `line`: the caret's."""
        if tuple(rows) != self.model.rows:
            place = self.table.verticalScrollBar().value()
            self.model.set_rows(rows)
            self.table.verticalScrollBar().setValue(place)
        self.table.setColumnHidden(SHARE, all(row.share is None for row in rows))
        self._stack.setCurrentWidget(self.table if rows else self.empty)
        self.follow_line(line)

    @property
    def rows(self) -> tuple[OutlineRow, ...]:
        return self.model.rows

    def follow_line(self, line: int) -> None:
        """Mark the part that holds the caret's line."""
        found = row_at(self.model.rows, line)
        if found < 0:
            self.table.clearSelection()
        else:
            self.table.selectRow(found)

    def set_theme(self, theme: Theme) -> None:
        self._bar.theme = theme
        self.empty.set_theme(theme)
        metrics = self.table.fontMetrics()
        self.table.verticalHeader().setDefaultSectionSize(metrics.height() + 7)
        self.table.setColumnWidth(LINE, metrics.horizontalAdvance("00000") + 24)
        self.table.setColumnWidth(SHARE, metrics.horizontalAdvance("000000000 %") + 24)
        self.table.viewport().update()

    def showEvent(self, event) -> None:
        super().showEvent(event)
        self.shown.emit()

    def keyPressEvent(self, event) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.table.hasFocus():
            self._on_chosen(self.table.currentIndex())
        else:
            super().keyPressEvent(event)

    def _on_chosen(self, index) -> None:
        if index.isValid():
            self.place_chosen.emit(*self.model.rows[index.row()].place)
