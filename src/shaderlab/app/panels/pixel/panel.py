"""One pixel of the preview: its colour, its cost, and the values of a line's variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from shaderlab import units
from shaderlab.app.panels.pixel.rows import Cell, Column, columns_of, rows_of
from shaderlab.app.qt import QColor, QPainter, QSize, Qt, QtWidgets, QWidget
from shaderlab.app.widgets.boxes import vertical
from shaderlab.app.widgets.elided_label import ElidedLabel
from shaderlab.app.widgets.empty_state import EmptyState
from shaderlab.app.widgets.row_model import Index, RowModel
from shaderlab.app.widgets.theme import Theme
from shaderlab.app.widgets.veil import Veil

if TYPE_CHECKING:
    from shaderlab.gpu.pixel_values import PixelValues

_RUN_TIP = "1 for the first time that the pixel ran the line, 2 for the second, and so on"


class _StepModel(RowModel):
    rows: tuple[tuple[Cell, ...], ...]

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme

    def show(self, columns: Sequence[Column], rows: Sequence[tuple[Cell, ...]]) -> None:
        self.columns = ("Run", *(each.title for each in columns))
        self.tips = (_RUN_TIP, *(each.tip for each in columns))
        self.set_rows(rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row, column = index.row(), index.column()
        cell = self.rows[row][column - 1] if column else Cell(str(row + 1), False)
        if role == Qt.ItemDataRole.DisplayRole:
            return cell.text
        if role == Qt.ItemDataRole.ToolTipRole:
            return cell.text
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self.alignment(column)
        if role == Qt.ItemDataRole.ForegroundRole and (cell.odd or not column):
            return QColor(self.theme.error if cell.odd else self.theme.dim)
        return None


class PixelPanel(QWidget):
    """See the module."""

    def __init__(self, theme: Theme):
        super().__init__()
        self.empty = EmptyState(theme)
        self._swatch = _Swatch(theme)
        self._head = QtWidgets.QLabel()
        self._head.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._head.setWordWrap(True)
        self._caption = ElidedLabel()
        self._caption.setProperty("role", "dim")
        self._caption.setContentsMargins(11, 3, 6, 3)
        row = QtWidgets.QHBoxLayout()
        row.setContentsMargins(11, 6, 6, 6)
        row.setSpacing(10)
        row.addWidget(self._swatch)
        row.addWidget(self._head, 1)
        self.model = _StepModel(theme)
        self.table = QtWidgets.QTableView()
        self.table.setModel(self.model)
        self.table.setShowGrid(False)
        self.table.setWordWrap(False)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 4)
        self.table.setSelectionBehavior(QtWidgets.QTableView.SelectionBehavior.SelectRows)
        self.table.setHorizontalScrollMode(QtWidgets.QTableView.ScrollMode.ScrollPerPixel)
        self.table.setTabKeyNavigation(False)
        self.table.setAccessibleName("Values of the line's variables, run by run")
        self.veil = Veil(self.table)
        content = QWidget()
        column = vertical(content)
        column.addLayout(row)
        column.addWidget(self.table, 1)
        column.addWidget(self._caption)
        self._content = content
        self._stack = QtWidgets.QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(content)
        self.set_theme(theme)

    def show_values(self, values: PixelValues, text: str, caption: str) -> None:
        """`text`: the line's, empty where it is not known; `caption`: which picture it is of."""
        columns = columns_of(values, text)
        self.model.show(columns, rows_of(values, columns))
        self.table.resizeColumnsToContents()
        self._swatch.set_colour(values.colour)
        x, y = values.pixel
        colour = "#{:02x}{:02x}{:02x}".format(*values.colour[:3])
        times = "once" if values.runs == 1 else f"{units.grouped(values.runs)} times"
        ran = f"ran {times}" if values.runs else "did not run"
        self._head.setText(
            f"Pixel ({x + 0.5}, {y + 0.5}): {colour}, "
            f"rgba{tuple(values.colour)}, {units.grouped(values.instructions)} instructions. "
            f"Line {values.line.line} {ran}."
        )
        if values.runs and not columns:
            caption += " \u00b7 the line reads and writes no variable"
        if not values.complete:
            caption += f" \u00b7 the first {units.grouped(len(values.steps))} runs"
        self._caption.setText(caption)
        self._stack.setCurrentWidget(self._content)

    def show_empty(self) -> None:
        """Show what `empty` says in place of values."""
        self._stack.setCurrentWidget(self.empty)

    @property
    def head(self) -> str:
        """Colour, cost and runs, as they are shown; empty where nothing is."""
        return self._head.text() if self._stack.currentWidget() is self._content else ""

    @property
    def caption(self) -> str:
        return self._caption.text()

    def set_theme(self, theme: Theme) -> None:
        self.model.theme = theme
        self.empty.set_theme(theme)
        self._swatch.set_theme(theme)
        self.table.viewport().update()


class _Swatch(QWidget):
    """A square of the pixel's colour."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._colour = QColor()
        self.set_theme(theme)
        self.setFixedSize(QSize(28, 28))

    def set_colour(self, colour: tuple[int, int, int, int]) -> None:
        self._colour = QColor(*colour[:3])
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._line = QColor(theme.line)
        self.update()

    def paintEvent(self, _event) -> None:
        painter = QPainter(self)
        painter.setPen(self._line)
        painter.setBrush(self._colour)
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
