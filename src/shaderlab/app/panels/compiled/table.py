"""Statistics as rows, GPU families as columns, each value with its change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shaderlab.app.panels.compiled.statistics import (
    STATISTICS,
    Change,
    FamilyFigures,
    Statistic,
    change,
    time_details,
)
from shaderlab.app.qt import (
    QAbstractTableModel,
    QColor,
    QModelIndex,
    QRect,
    Qt,
    QtWidgets,
    QWidget,
    Signal,
)
from shaderlab.app.widgets.row_model import Index
from shaderlab.app.widgets.theme import LIGHT, Theme

_CHANGE_ROLE = Qt.ItemDataRole.UserRole
_GAP = 8
_ROOT = QModelIndex()


class CompiledModel(QAbstractTableModel):
    """Cells of `figures`, compared with `then`."""

    def __init__(self) -> None:
        super().__init__()
        self.figures: tuple[FamilyFigures, ...] = ()
        self.rows: tuple[Statistic, ...] = ()
        """Those that are known of any family."""
        self._then: tuple[FamilyFigures, ...] = ()
        self._against = ""

    def set_figures(
        self, figures: Sequence[FamilyFigures], then: Sequence[FamilyFigures], against: str
    ) -> None:
        """`then`: by column what to compare with; `against`: what that is, in words."""
        self.beginResetModel()
        self.figures, self._then, self._against = tuple(figures), tuple(then), against
        self.rows = tuple(s for s in STATISTICS if any(s.value(one) is not None for one in figures))
        self.rows = self.rows or STATISTICS[:1]  # where to say that all failed
        self.endResetModel()

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self.figures)

    def change(self, row: int, column: int) -> Change | None:
        value = self.rows[row].value
        return change(self.rows[row], value(self.figures[column]), value(self._then[column]))

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is Qt.Orientation.Vertical:
            if role == Qt.ItemDataRole.DisplayRole:
                return self.rows[section].name
            if role == Qt.ItemDataRole.ToolTipRole:
                return self.rows[section].tip
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
            return None
        family = self.figures[section].family
        if role == Qt.ItemDataRole.DisplayRole:
            return family.slug
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{family.name}\n{family.architecture}"
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        statistic, figures = self.rows[index.row()], self.figures[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            if figures.problem:
                return "failed" if index.row() == 0 else ""
            return statistic.shown(figures) or "\u2013"
        if role == _CHANGE_ROLE:
            return self.change(index.row(), index.column())
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tip(index.row(), index.column())
        return None

    def _tip(self, row: int, column: int) -> str:
        figures, then = self.figures[column], self._then[column]
        if figures.problem:
            return figures.problem
        statistic = self.rows[row]
        parts = [statistic.tip]
        if statistic is STATISTICS[0]:
            parts = [part for part in time_details(figures) if part] or parts
        if self._against and (former := statistic.shown(then)):
            parts.append(f"{self._against}: {former}")
        return "\n".join(parts)


class _ChangeDelegate(QtWidgets.QStyledItemDelegate):
    """The change after the value, green or red."""

    def __init__(self, parent: QWidget):
        super().__init__(parent)
        self.theme = LIGHT

    def paint(self, painter, option, index) -> None:
        super().paint(painter, option, index)
        shown: Change | None = index.data(_CHANGE_ROLE)
        if shown is None:
            return
        text = index.data(Qt.ItemDataRole.DisplayRole)
        left = option.rect.left() + 11 + option.fontMetrics.horizontalAdvance(text) + _GAP
        painter.save()
        painter.setPen(QColor(self.theme.good if shown.good else self.theme.error))
        box = QRect(left, option.rect.top(), option.rect.right() - left, option.rect.height())
        painter.drawText(
            box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown.text
        )
        painter.restore()


class CompiledTable(QtWidgets.QTableView):
    """A column is chosen as a whole."""

    family_chosen = Signal(str)
    """Slug."""

    def __init__(self, theme: Theme):
        super().__init__()
        self.figures = CompiledModel()
        self.setModel(self.figures)
        self._delegate = _ChangeDelegate(self)
        self.setItemDelegate(self._delegate)
        self.setSelectionBehavior(QtWidgets.QTableView.SelectionBehavior.SelectColumns)
        self.setSelectionMode(QtWidgets.QTableView.SelectionMode.SingleSelection)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setHorizontalScrollMode(QtWidgets.QTableView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QtWidgets.QTableView.ScrollMode.ScrollPerPixel)
        self.setCornerButtonEnabled(False)
        self.horizontalHeader().setHighlightSections(False)
        self.verticalHeader().setHighlightSections(False)
        self._filling = False
        self.selectionModel().selectionChanged.connect(self._on_selected)
        self.set_theme(theme)

    def show_figures(
        self,
        figures: Sequence[FamilyFigures],
        then: Sequence[FamilyFigures],
        against: str,
        chosen: str,
    ) -> None:
        """Replace the cells; `chosen` is the slug of the column to select."""
        places = [bar.value() for bar in (self.verticalScrollBar(), self.horizontalScrollBar())]
        self._filling = True
        self.figures.set_figures(figures, then, against)
        slugs = [f.family.slug for f in figures]
        if chosen in slugs:
            self.selectColumn(slugs.index(chosen))
        self._filling = False
        self._fit_columns()
        self._fit_height()
        for bar, place in zip(
            (self.verticalScrollBar(), self.horizontalScrollBar()), places, strict=True
        ):
            bar.setValue(place)

    def set_theme(self, theme: Theme) -> None:
        self._delegate.theme = theme
        line = self.fontMetrics().height()
        self.horizontalHeader().setFixedHeight(line + 15)
        header = self.verticalHeader()
        header.setMinimumSectionSize(10)
        header.setDefaultSectionSize(line + 2)
        self._fit_height()
        self.viewport().update()

    def _fit_height(self) -> None:
        """No higher than its rows."""
        line, bar = self.fontMetrics().height(), self.horizontalScrollBar().sizeHint().height()
        rows = line + 15 + self.figures.rowCount() * (line + 2)
        self.setMaximumHeight(rows + bar + 2 * self.frameWidth())

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Share the room among the columns, as long as a time and its change fit."""
        number = len(self.figures.figures)
        least = self.fontMetrics().horizontalAdvance("00.0 ms  +0.0 %") + 22
        for column in range(number):
            self.setColumnWidth(column, max(least, self.viewport().width() // number))

    def _on_selected(self) -> None:
        columns = self.selectionModel().selectedColumns()
        if columns and not self._filling:
            self.family_chosen.emit(self.figures.figures[columns[0].column()].family.slug)
