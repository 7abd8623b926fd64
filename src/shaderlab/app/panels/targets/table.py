"""Targets as rows: what changed, the time, and its dot with whiskers on a common axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any

from shaderlab.app.panels.targets.bars import REFINED, Bar, Scale, scale_of
from shaderlab.app.panels.targets.cells import budget_colour, cell_texts, change_colour, tip_of
from shaderlab.app.qt import (
    QColor,
    QFont,
    QPainter,
    QPen,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    QtGui,
    QtWidgets,
    QWidget,
    Signal,
)
from shaderlab.app.widgets import icons
from shaderlab.app.widgets.phrases import round_seconds
from shaderlab.app.widgets.row_model import Index, RowModel
from shaderlab.app.widgets.theme import LIGHT, Theme, with_alpha
from shaderlab.app.widgets.veil import Veil
from shaderlab.prediction.forecast import Status

VENDOR, NAME, LAST, PINNED, TIME, PART, RESTS, AXIS = range(8)
COLUMNS = ("Vendor", "Target", "Vs previous", "Since pin", "Time", "This pass", "Rests on", "")
_TIPS = (
    "Vendor of the GPU or of its driver",
    "GPU the time is predicted for; a mark means that the forecast is unreliable",
    "Change since the previous version that compiled",
    "Change since the pinned variant",
    "Predicted time of one frame",
    "Time of the pass being edited, and its share of the frame's",
    "What the time rests on (times measured there, their published distribution, a law from data "
    "sheets, or a law that nothing tested), and the error validated for shaders like this one",
    "Predicted time (dot) and its error band (whiskers), on a logarithmic axis; "
    "the orange tick is the pinned variant, the dashed line the budget of a frame",
)
_PADDING = 11
_MARK = 14
"""Points of the warning mark."""
_DOT = 5.0
"""Radius of a dot at most, pixels."""
_LEAST_AXIS = 60
"""Pixels below which an axis shows nothing useful: the column is hidden."""
_GOOD_AXIS = 150
"""Pixels that an axis gets before what a time rests on has a column."""
_TICK_GAP = 10
"""Pixels between the texts of a scale."""
_MARKED = QtWidgets.QStyle.StateFlag.State_Selected | QtWidgets.QStyle.StateFlag.State_MouseOver
_ITEM = QtWidgets.QStyle.ControlElement.CE_ItemViewItem


class TargetModel(RowModel):
    columns, tips = COLUMNS, _TIPS
    words = frozenset({VENDOR, NAME, RESTS, AXIS})
    budget_s: float | None = None
    rows: tuple[Bar, ...]

    def __init__(self) -> None:
        super().__init__()
        self.texts: tuple[tuple[str, ...], ...] = ()
        """By row and column."""

    def set_rows(self, rows: Sequence[Bar]) -> None:
        self.texts = tuple(map(cell_texts, rows))
        if len(rows) != len(self.rows):
            super().set_rows(rows)
        elif rows:  # a reset would have the table laid out and painted once more
            self.rows = tuple(rows)
            last = self.index(len(rows) - 1, len(self.columns) - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        bar, column = self.rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self.texts[index.row()][column]
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip_of(bar, self.budget_s)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self.alignment(column)
        return None


class _RowDelegate(QtWidgets.QStyledItemDelegate):
    """Paints texts in their own colours, on chosen rows too, and the dots.

    All rows are painted at each keystroke: what a cell shows is asked of the rows, not through Qt.
    """

    def __init__(self, parent: QWidget, targets: TargetModel):
        super().__init__(parent)
        self._targets = targets
        self.theme = LIGHT
        self.scale: Scale | None = None
        self.budget_s: float | None = None

    def paint(self, painter, option, index) -> None:
        row, column = index.row(), index.column()
        bar = self._targets.rows[row]
        if option.state & _MARKED:
            option.state &= ~QtWidgets.QStyle.StateFlag.State_HasFocus
            option.widget.style().drawControl(_ITEM, option, painter, option.widget)
        painter.save()
        if column == AXIS:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._paint_time(painter, QRectF(option.rect), bar)
        else:
            self._paint_text(painter, option, row, column)
        painter.restore()

    def _paint_text(self, painter, option, row: int, column: int) -> None:
        theme, bar = self.theme, self._targets.rows[row]
        colour = theme.text
        if column in (LAST, PINNED):
            change = (bar.since_last, bar.since_pinned)[column - LAST]
            colour = change_colour(change, theme)
            font = QFont(option.font)
            font.setWeight(QFont.Weight.DemiBold if change else QFont.Weight.Normal)
            painter.setFont(font)
        elif column == TIME:
            colour = budget_colour(bar, self.budget_s, theme)
        elif column in (VENDOR, RESTS):
            colour = theme.dim
        box = option.rect.adjusted(_PADDING, 0, -_PADDING, 0)
        if column == NAME and bar.warnings:
            ratio = painter.device().devicePixelRatioF()
            mark = icons.pixmap("warning", theme.warning, _MARK, ratio)
            top = box.center().y() - _MARK // 2 + 1
            painter.drawPixmap(box.right() - _MARK + 1, top, mark)
            box.setRight(box.right() - _MARK - 4)
        painter.setPen(QColor(colour))
        text = self._targets.texts[row][column]
        text = option.fontMetrics.elidedText(text, Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, self._targets.alignment(column), text)

    def _paint_time(self, painter, box: QRectF, bar: Bar) -> None:
        scale, theme = self.scale, self.theme
        if scale is None:
            return
        left, room = box.left() + _PADDING, box.width() - 2 * _PADDING
        middle, half = box.center().y(), min(box.height() * 0.24, _DOT)

        def x(seconds: float) -> float:
            return left + room * scale.at(seconds)

        if (budget_s := self.budget_s) and scale.low_s <= budget_s <= scale.high_s:
            line = QPen(QColor(theme.error), 1.2, Qt.PenStyle.DashLine)
            painter.setPen(line)
            painter.drawLine(QPointF(x(budget_s), box.top()), QPointF(x(budget_s), box.bottom()))
        if not bar.timed:
            return
        ink, centre = with_alpha(theme.text, 0.85), QPointF(x(bar.time_s), middle)
        if bar.status is Status.LOWER_BOUND:  # open at the right: nothing says where it ends
            rest = QRectF(centre.x(), middle - 0.6, max(left + room - centre.x(), 0.0), 1.2)
            fading = QtGui.QLinearGradient(rest.topLeft(), rest.topRight())
            fading.setColorAt(0.0, ink)
            fading.setColorAt(1.0, with_alpha(theme.text, 0.0))
            painter.fillRect(rest, fading)
        else:
            low, high = x(bar.low_s), x(bar.high_s)
            painter.fillRect(QRectF(low, middle - 0.6, high - low, 1.2), ink)
            for end in (low, high):
                painter.fillRect(QRectF(end - 0.6, middle - half * 0.7, 1.2, half * 1.4), ink)
        doubtful = bool(bar.warnings) or bar.status is not Status.OK
        painter.setPen(QPen(QColor(theme.bars), 1.6))
        painter.setBrush(QColor(theme.base if doubtful else theme.bars))
        painter.drawEllipse(centre, half, half)
        if bar.pinned_s is not None:
            height = box.height() * 0.4
            tick = QRectF(x(bar.pinned_s) - 1.25, middle - height, 2.5, 2 * height)
            painter.fillRect(tick, QColor(theme.warning))


class _ScaleHeader(QtWidgets.QHeaderView):
    """Writes the scale over the dots."""

    def __init__(self, parent: QWidget):
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.theme = LIGHT
        self.scale: Scale | None = None

    def paintSection(self, painter, rect: QRect, section: int) -> None:
        painter.save()
        super().paintSection(painter, rect, section)
        painter.restore()
        if section != AXIS or self.scale is None:
            return
        painter.save()
        painter.setPen(QColor(self.theme.dim))
        width = self.fontMetrics().horizontalAdvance
        for start, text in tick_texts(self.scale, rect.width(), width):
            box = QRectF(rect.left() + start, rect.top() + 1, width(text) + 1, rect.height() - 2)
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text)
        painter.restore()


def tick_texts(scale: Scale, room: float, width: Callable[[str], float]) -> list[tuple[float, str]]:
    """Texts over the axis's column, each with its left edge, descending: every tick, or every
    second, third, … so that none touch.  `width` is a text's, in the unit of `room`."""
    ticks = scale.ticks_s[::-1]
    for stride in range(1, len(ticks) + 1):
        placed: list[tuple[float, str]] = []
        for seconds in ticks[::stride]:
            text = round_seconds(seconds)
            middle = _PADDING + (room - 2 * _PADDING) * scale.at(seconds)
            start = min(middle - width(text) / 2, room - width(text) - 2)
            placed.append((start, text))
        placed = [(start, text) for start, text in placed if start >= 0]
        ends = [start + width(text) + _TICK_GAP for start, text in placed[1:]]
        if all(end <= start for end, (start, _) in zip(ends, placed, strict=False)):
            return placed
    return []


class TargetTable(QtWidgets.QTableView):
    """Rows are chosen by click, or by the arrow keys."""

    chosen = Signal(str)
    """Slug of the target."""
    hidden = Signal(str)
    """The user wants this target out of the table."""
    moved = Signal(str, int)
    """The user wants this target so many rows further down."""

    def __init__(self, theme: Theme):
        super().__init__()
        self.targets = TargetModel()
        self.setModel(self.targets)
        self._delegate = _RowDelegate(self, self.targets)
        self.setItemDelegate(self._delegate)
        self._header = _ScaleHeader(self)
        self.setHorizontalHeader(self._header)
        self._header.setHighlightSections(False)
        self._header.setSectionsClickable(False)
        self._header.setMinimumSectionSize(20)
        self.verticalHeader().hide()
        self.setSelectionBehavior(QtWidgets.QTableView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QtWidgets.QTableView.SelectionMode.SingleSelection)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setHorizontalScrollMode(QtWidgets.QTableView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QtWidgets.QTableView.ScrollMode.ScrollPerPixel)
        self._filling = False
        self._pinned, self._edited_pass = False, ""
        self.veil = Veil(self)
        self.selectionModel().selectionChanged.connect(self._on_selected)
        self.set_theme(theme)

    def show_bars(
        self,
        bars: Sequence[Bar],
        choice: str,
        pinned: bool,
        edited_pass: str = "",
        budget_s: float | None = None,
        *,
        grouped: bool = False,
    ) -> None:
        """Replace the rows; `choice` is the slug of the one to select, `pinned` whether there is a
        variant to compare with, `edited_pass` names the pass that has a column of its own.
        `grouped`: rows of one vendor stand together, with its name before them."""
        place = self.verticalScrollBar().value()
        self._filling = True
        self.targets.set_rows(bars)
        self._delegate.scale = self._header.scale = scale_of(bars, budget_s)
        self._delegate.budget_s = self.targets.budget_s = budget_s
        self._group(grouped)
        self._pinned, self._edited_pass = pinned, edited_pass
        slugs = [bar.target for bar in bars]
        if choice in slugs:
            self.selectRow(slugs.index(choice))
        self._filling = False
        self._fit_columns()
        self.verticalScrollBar().setValue(place)

    def _group(self, grouped: bool) -> None:
        """One cell before all rows of a vendor."""
        self.clearSpans()
        self.setColumnHidden(VENDOR, not grouped)
        start = 0
        for _, rows in groupby(self.targets.rows, lambda bar: bar.vendor):
            count = len(tuple(rows))
            if grouped and count > 1:
                self.setSpan(start, VENDOR, count, 1)
            start += count

    def set_theme(self, theme: Theme) -> None:
        self._delegate.theme = self._header.theme = theme
        header = self.verticalHeader()
        header.setMinimumSectionSize(10)
        header.setDefaultSectionSize(self.fontMetrics().height() + 4)
        self._header.setFixedHeight(self.fontMetrics().height() + 10)
        self._fit_columns()
        self.viewport().update()

    def contextMenuEvent(self, event) -> None:
        rows = self.selectionModel().selectedRows()
        if not rows:
            return
        row, last = rows[0].row(), len(self.targets.rows) - 1
        bar = self.targets.rows[row]
        menu = QtWidgets.QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        hide = menu.addAction(f"Hide {bar.name.replace('&', '&&')}")
        hide.triggered.connect(lambda: self.hidden.emit(bar.target))
        for text, steps, able in (("Move up", -1, row > 0), ("Move down", 1, row < last)):
            entry = menu.addAction(text)
            entry.setEnabled(able)
            entry.triggered.connect(lambda _=False, n=steps: self.moved.emit(bar.target, n))
        menu.popup(event.globalPos())

    def sizeHint(self) -> QSize:
        """Room for a few rows: more is what the panel has left."""
        return QSize(super().sizeHint().width(), self.minimumSizeHint().height())

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Texts get what they need, the axis what is left, and nothing where that is too little."""
        width = self.fontMetrics().horizontalAdvance
        room = self.viewport().width()
        self.setColumnHidden(PINNED, not self._pinned)
        self.setColumnHidden(PART, not self._edited_pass)
        samples = (
            (VENDOR, ""), (NAME, ""), (LAST, "+000 %"), (PINNED, "+000 %"), (TIME, "000 ms"),
            (PART, ""), (RESTS, ""),
        )  # fmt: skip
        marked = any(bar.warnings for bar in self.targets.rows)
        for column, sample in samples:
            if self.isColumnHidden(column) and column != RESTS:
                continue
            texts = {row[column] for row in self.targets.texts}
            if column == TIME:  # room for what comes and goes with each edit
                texts |= {f"{text.rstrip(REFINED)}{REFINED}" for text in texts}
            widest = max(width(text) for text in (*texts, COLUMNS[column], sample))
            extra = _MARK + 4 if column == NAME and marked else 0
            needed = widest + extra + 2 * _PADDING + 2
            if column == RESTS:
                self.setColumnHidden(RESTS, room - needed < _GOOD_AXIS)
            self.setColumnWidth(column, needed)
            room -= self.columnWidth(column)  # none where it is hidden
        self.setColumnHidden(AXIS, room < _LEAST_AXIS)
        self.setColumnWidth(AXIS, max(room, _LEAST_AXIS))

    def _on_selected(self) -> None:
        rows = self.selectionModel().selectedRows()
        if rows and not self._filling:
            self.chosen.emit(self.targets.rows[rows[0].row()].target)
