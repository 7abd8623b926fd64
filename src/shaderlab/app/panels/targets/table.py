"""Targets as rows: what changed, the time, and a bar with its band."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from shaderlab.app.panels.targets.bars import Bar, Scale, scale_of
from shaderlab.app.qt import (
    QColor,
    QPainter,
    QPen,
    QRect,
    QRectF,
    Qt,
    QtGui,
    QtWidgets,
    QWidget,
    Signal,
)
from shaderlab.app.widgets import icons
from shaderlab.app.widgets.phrases import FORM_NAMES, STATUS_WORDS, round_seconds
from shaderlab.app.widgets.row_model import Index, RowModel
from shaderlab.app.widgets.theme import LIGHT, Theme, with_alpha
from shaderlab.app.widgets.veil import Veil
from shaderlab.prediction.forecast import Status
from shaderlab.prediction.forecasts.time_changes import Change
from shaderlab.prediction.forms import Form

NAME, LAST, PINNED, TIME, PART, BAR = range(6)
COLUMNS = ("Target", "Since last", "Since pinned", "Time", "This pass", "")
_TIPS = (
    "GPU the time is predicted for; a mark means that the forecast is unreliable",
    "Change since the previous version that compiled",
    "Change since the pinned variant",
    "Predicted time of one frame",
    "Of that the pass being edited, and its share",
    "Predicted time with its error band; the vertical tick is the pinned variant",
)
_PADDING = 11
_MARK = 14
"""Points of the warning mark."""
_LEAST_BAR = 60
"""Pixels below which bars show nothing useful: the column is hidden."""
_TICK_GAP = 10
"""Pixels between the texts of a scale."""
_BAR_ROLE = Qt.ItemDataRole.UserRole


class TargetModel(RowModel):
    columns, tips = COLUMNS, _TIPS
    words = frozenset({NAME, BAR})
    rows: tuple[Bar, ...]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        bar, column = self.rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return cell_texts(bar)[column]
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip_of(bar)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self.alignment(column)
        if role == _BAR_ROLE:
            return bar
        return None


def cell_texts(bar: Bar) -> tuple[str, ...]:
    """One text per column."""
    return (
        bar.name,
        change_text(bar.since_last),
        change_text(bar.since_pinned),
        bar.time,
        bar.part,
        bar.band,
    )


def change_text(change: Change | None) -> str:
    """A dash where there is nothing to compare with."""
    if change is None:
        return "\u2013"
    return change.relative or "same"


def tip_of(bar: Bar) -> str:
    """All of a row, for the pointer that rests on it."""
    band = f" ({bar.band})" if bar.band else ""
    lines = [f"{bar.name}: {bar.time}{band}, {bar.method}"]
    if bar.status is not Status.OK:
        lines[0] += f"; {STATUS_WORDS[bar.status]}"
    if bar.finer is not None:
        lines.append(refining_text(bar.finer))
    for change, since in (
        (bar.since_last, "since the last compile"),
        (bar.since_pinned, "since the pinned variant"),
    ):
        if change:
            within = f"; 80 % of such changes: {change.within}" if change.within else ""
            lines.append(f"{change.relative} ({change.absolute}) {since}{within}")
    return "\n".join([*lines, *bar.warnings])


def refining_text(finer: Form) -> str:
    return f"refining: a forecast for the {FORM_NAMES[finer]} is on its way"


def change_colour(change: Change | None, theme: Theme) -> str:
    """Green for faster, red for slower, dim for neither and where it may be either."""
    if not change or not change.clear:
        return theme.dim
    return theme.error if change.slower else theme.good


class _RowDelegate(QtWidgets.QStyledItemDelegate):
    """Paints texts in their own colours, on chosen rows too, and the bars."""

    def __init__(self, parent: QWidget):
        super().__init__(parent)
        self.theme = LIGHT
        self.scale: Scale | None = None

    def initStyleOption(self, option, index) -> None:
        super().initStyleOption(option, index)
        option.text = ""
        option.state &= ~QtWidgets.QStyle.StateFlag.State_HasFocus

    def paint(self, painter, option, index) -> None:
        super().paint(painter, option, index)
        bar: Bar = index.data(_BAR_ROLE)
        painter.save()
        if index.column() == BAR:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._paint_bar(painter, QRectF(option.rect), bar)
        else:
            self._paint_text(painter, option, index, bar)
        painter.restore()

    def _paint_text(self, painter, option, index, bar: Bar) -> None:
        column, theme = index.column(), self.theme
        colour = theme.text
        if column in (LAST, PINNED):
            colour = change_colour((bar.since_last, bar.since_pinned)[column - LAST], theme)
        box = option.rect.adjusted(_PADDING, 0, -_PADDING, 0)
        if column == NAME and bar.warnings:
            ratio = painter.device().devicePixelRatioF()
            mark = icons.pixmap("warning", theme.warning, _MARK, ratio)
            top = box.center().y() - _MARK // 2 + 1
            painter.drawPixmap(box.right() - _MARK + 1, top, mark)
            box.setRight(box.right() - _MARK - 4)
        painter.setPen(QColor(colour))
        text = index.data(Qt.ItemDataRole.DisplayRole)
        text = option.fontMetrics.elidedText(text, Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, index.data(Qt.ItemDataRole.TextAlignmentRole), text)

    def _paint_bar(self, painter, box: QRectF, bar: Bar) -> None:
        scale, theme = self.scale, self.theme
        if scale is None or not bar.timed:
            return
        left, room = box.left() + _PADDING, box.width() - 2 * _PADDING
        middle, half = box.center().y(), box.height() * 0.24

        def x(seconds: float) -> float:
            return left + room * scale.at(seconds)

        doubtful = bool(bar.warnings) or bar.status is not Status.OK
        fill = QColor(theme.bars_faint if doubtful else theme.bars)
        body = QRectF(left, middle - half, x(bar.time_s) - left, 2 * half)
        painter.fillRect(body, fill)
        pen = QPen(QColor(theme.bars))
        if bar.status is Status.LOWER_BOUND:  # open at the right: nothing says where it ends
            rest = QRectF(body.right(), body.top(), max(left + room - body.right(), 0.0), 2 * half)
            fading = QtGui.QLinearGradient(rest.topLeft(), rest.topRight())
            fading.setColorAt(0.0, with_alpha(theme.bars, 0.35))
            fading.setColorAt(1.0, with_alpha(theme.bars, 0.0))
            painter.fillRect(rest, fading)
            painter.setPen(pen)
            painter.drawPolyline([rest.topRight(), body.topLeft(), body.bottomLeft(),
                                  rest.bottomRight()])  # fmt: skip
            return
        if doubtful:  # on a chosen row the faint colour alone would be lost
            pen.setStyle(
                Qt.PenStyle.DashLine if bar.status is Status.ESTIMATE else Qt.PenStyle.SolidLine
            )
            painter.setPen(pen)
            painter.drawRect(body)
        low, high = x(bar.low_s), x(bar.high_s)
        ink = with_alpha(theme.text, 0.85)
        painter.fillRect(QRectF(low, middle - 0.6, high - low, 1.2), ink)
        for end in (low, high):
            painter.fillRect(QRectF(end - 0.6, middle - half * 0.6, 1.2, half * 1.2), ink)
        if bar.pinned_s is not None:
            height = box.height() * 0.4
            tick = QRectF(x(bar.pinned_s) - 1.25, middle - height, 2.5, 2 * height)
            painter.fillRect(tick, QColor(theme.warning))


class _ScaleHeader(QtWidgets.QHeaderView):
    """Writes the scale over the bars."""

    def __init__(self, parent: QWidget):
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.theme = LIGHT
        self.scale: Scale | None = None

    def paintSection(self, painter, rect: QRect, section: int) -> None:
        painter.save()
        super().paintSection(painter, rect, section)
        painter.restore()
        if section != BAR or self.scale is None:
            return
        painter.save()
        painter.setPen(QColor(self.theme.dim))
        width = self.fontMetrics().horizontalAdvance
        for start, text in tick_texts(self.scale, rect.width(), width):
            box = QRectF(rect.left() + start, rect.top() + 1, width(text) + 1, rect.height() - 2)
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text)
        painter.restore()


def tick_texts(scale: Scale, room: float, width: Callable[[str], float]) -> list[tuple[float, str]]:
    """Texts over the bars' column, each with its left edge, descending: every tick, or every
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

    def __init__(self, theme: Theme):
        super().__init__()
        self.targets = TargetModel()
        self.setModel(self.targets)
        self._delegate = _RowDelegate(self)
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

    @property
    def logarithmic(self) -> bool:
        """Whether the bars shown are on a logarithmic scale."""
        return self._delegate.scale is not None and self._delegate.scale.logarithmic

    def show_bars(
        self, bars: Sequence[Bar], choice: str, pinned: bool, edited_pass: str = ""
    ) -> None:
        """Replace the rows; `choice` is the slug of the one to select, `pinned` whether there is a
        variant to compare with, `edited_pass` names the pass that has a column of its own."""
        place = self.verticalScrollBar().value()
        self._filling = True
        self.targets.set_rows(bars)
        self._delegate.scale = self._header.scale = scale_of(bars)
        self._pinned, self._edited_pass = pinned, edited_pass
        slugs = [bar.target for bar in bars]
        if choice in slugs:
            self.selectRow(slugs.index(choice))
        self._filling = False
        self._fit_columns()
        self.verticalScrollBar().setValue(place)

    def set_theme(self, theme: Theme) -> None:
        self._delegate.theme = self._header.theme = theme
        header = self.verticalHeader()
        header.setMinimumSectionSize(10)
        header.setDefaultSectionSize(self.fontMetrics().height() + 4)
        self._header.setFixedHeight(self.fontMetrics().height() + 10)
        self._fit_columns()
        self.viewport().update()

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Texts get what they need, the bars what is left, and nothing where that is too little."""
        width = self.fontMetrics().horizontalAdvance
        room = self.viewport().width()
        self.setColumnHidden(PINNED, not self._pinned)
        self.setColumnHidden(PART, not self._edited_pass)
        samples = ((NAME, ""), (LAST, "+000 %"), (PINNED, "+000 %"), (TIME, "000 ms"), (PART, ""))
        for column, sample in samples:
            targets = self.targets
            texts = [cell_texts(bar)[column] for bar in targets.rows]
            widest = max(width(text) for text in (*texts, COLUMNS[column], sample))
            marked = any(bar.warnings for bar in targets.rows)
            extra = _MARK + 4 if column == NAME and marked else 0
            self.setColumnWidth(column, widest + extra + 2 * _PADDING + 2)
            if not self.isColumnHidden(column):
                room -= self.columnWidth(column)
        self.setColumnHidden(BAR, room < _LEAST_BAR)
        self.setColumnWidth(BAR, max(room, _LEAST_BAR))

    def _on_selected(self) -> None:
        rows = self.selectionModel().selectedRows()
        if rows and not self._filling:
            self.chosen.emit(self.targets.rows[rows[0].row()].target)
