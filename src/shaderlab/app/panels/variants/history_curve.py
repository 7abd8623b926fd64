"""Predicted time over the document's versions: one curve per target, a click brings one back."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from shaderlab import units
from shaderlab.app.panels.variants.rows import Point
from shaderlab.app.qt import (
    QColor,
    QPainter,
    QPen,
    QPoint,
    QPointF,
    QRectF,
    QSize,
    Qt,
    QtGui,
    QWidget,
    Signal,
)
from shaderlab.app.widgets.theme import Theme

_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 12, 10, 20
_LEAST_SPAN = math.log(1.1)
"""Of the axis: times that differ by less than a tenth must not look like a cliff."""
_REACH = 14
"""Pixels from a point at which a click still means it."""


class HistoryCurve(QWidget):
    """All curves are drawn relative to their own latest time, so that they can be compared; the
    axis has the chosen target's times.  Arrow keys step through the versions."""

    chosen = Signal(int)
    """Number of the version whose text is wanted."""
    menu_wanted = Signal(int, QPoint)
    """Number of a version, and where on the screen."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme = theme
        self._curves: Mapping[str, Sequence[Point]] = {}
        self._target = self._name = ""
        self._numbers: tuple[int, ...] = ()
        self._named: Mapping[int, str] = {}
        self._said: Mapping[int, str] = {}
        self._at = 0
        """Number of the version pointed at, by mouse or keys."""
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("History of predicted times")

    def show_curves(
        self,
        numbers: Sequence[int],
        curves: Mapping[str, Sequence[Point]],
        target: str,
        name: str,
        named: Mapping[int, str],
        said: Mapping[int, str],
    ) -> None:
        """`numbers`: of all versions, oldest first; `named`: names of variants; `said`: when each
        version was."""
        self._numbers, self._curves = tuple(numbers), curves
        self._target, self._name = target, name
        self._named, self._said = named, said
        if self._at not in self._numbers:
            self._at = 0
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    @property
    def pointed(self) -> int:
        """Number of the version pointed at; 0 for none."""
        return self._at

    def sizeHint(self) -> QSize:
        return QSize(300, 160)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, 60)

    # -- where things are -------------------------------------------------------------------

    @property
    def _own(self) -> Sequence[Point]:
        return self._curves.get(self._target, ())

    @property
    def _span(self) -> tuple[float, float]:
        """Lowest and highest logarithm of a time relative to the latest of its curve."""
        own = self._own
        if not own:
            return -_LEAST_SPAN, _LEAST_SPAN
        ratios = [math.log(point.time_s / own[-1].time_s) for point in own]
        low, high = min(ratios), max(ratios)
        spare = max(_LEAST_SPAN - (high - low), 0.16 * (high - low)) / 2
        return low - spare, high + spare

    @property
    def _field(self) -> QRectF:
        width, height = self.width() - _LEFT - _RIGHT, self.height() - _TOP - _BOTTOM
        return QRectF(_LEFT, _TOP, max(width, 1), max(height, 1))

    def _x(self, number: int) -> float:
        field, count = self._field, len(self._numbers)
        place = self._numbers.index(number)
        return field.left() + field.width() * (place / (count - 1) if count > 1 else 0.5)

    def _y(self, ratio: float) -> float:
        field, (low, high) = self._field, self._span
        return field.bottom() - field.height() * (ratio - low) / (high - low)

    def place_of(self, number: int) -> QPoint | None:
        """Where a version's point on the chosen target's curve is."""
        own = self._own
        found = next((point for point in own if point.number == number), None)
        if found is None or number not in self._numbers:
            return None
        ratio = math.log(found.time_s / own[-1].time_s)
        return QPointF(self._x(number), self._y(ratio)).toPoint()

    def _nearest(self, at: QPoint) -> int:
        """Number of the version whose place along the axis is nearest; 0 where none is near."""
        own = self._own
        if not own:
            return 0
        found = min(own, key=lambda point: abs(self._x(point.number) - at.x()))
        reach = max(_REACH, self._field.width() / max(len(self._numbers) - 1, 1) / 2)
        return found.number if abs(self._x(found.number) - at.x()) <= reach else 0

    # -- events -----------------------------------------------------------------------------

    def mouseMoveEvent(self, event) -> None:
        self._point(self._nearest(event.position().toPoint()))

    def leaveEvent(self, event) -> None:
        self._point(0)
        super().leaveEvent(event)

    def mousePressEvent(self, event) -> None:
        number = self._nearest(event.position().toPoint())
        if number and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(number)

    def contextMenuEvent(self, event) -> None:
        number = self._at or self._nearest(event.pos())
        if number:
            self.menu_wanted.emit(number, event.globalPos())

    def keyPressEvent(self, event) -> None:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        numbers = [point.number for point in self._own]
        if event.key() in steps and numbers:
            at = numbers.index(self._at) if self._at in numbers else len(numbers) - 1
            at += steps[event.key()] if self._at in numbers else 0
            self._point(numbers[min(max(at, 0), len(numbers) - 1)])
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._at:
            self.chosen.emit(self._at)
        else:
            super().keyPressEvent(event)

    def _point(self, number: int) -> None:
        if number == self._at:
            return
        self._at = number
        self.setCursor(Qt.CursorShape.PointingHandCursor if number else Qt.CursorShape.ArrowCursor)
        self.update()

    # -- painting ---------------------------------------------------------------------------

    def paintEvent(self, _event) -> None:
        painter, theme = QPainter(self), self._theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(theme.base))
        if not self._own:
            return
        self._paint_axis(painter)
        painter.setClipRect(self._field.adjusted(-8, -8, 8, 8))
        for target, points in self._curves.items():
            if target != self._target:
                self._paint_curve(painter, points, QPen(QColor(theme.line), 1))
        self._paint_curve(painter, self._own, QPen(QColor(theme.bars), 2))
        self._paint_points(painter)
        painter.setClipping(False)
        self._paint_caption(painter)
        painter.end()

    def _paint_axis(self, painter: QPainter) -> None:
        theme, field, (low, high) = self._theme, self._field, self._span
        latest_s = self._own[-1].time_s
        for part in (0.0, 0.5, 1.0):
            ratio = low + part * (high - low)
            y = self._y(ratio)
            painter.setPen(QPen(QColor(theme.line), 1, Qt.PenStyle.DotLine))
            painter.drawLine(QPointF(field.left(), y), QPointF(field.right(), y))
            painter.setPen(QColor(theme.dim))
            box = QRectF(0, y - 9, _LEFT - 8, 18)
            flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(box, flags, units.seconds(latest_s * math.exp(ratio)))

    def _paint_curve(self, painter: QPainter, points: Sequence[Point], pen: QPen) -> None:
        if len(points) < 2:
            return
        latest_s = points[-1].time_s
        line = QtGui.QPolygonF(
            [
                QPointF(self._x(each.number), self._y(math.log(each.time_s / latest_s)))
                for each in points
            ]
        )
        painter.setPen(pen)
        painter.drawPolyline(line)

    def _paint_points(self, painter: QPainter) -> None:
        theme = self._theme
        crowded = len(self._numbers) > self._field.width() / 8
        for point in self._own:
            number = point.number
            place = self.place_of(number)
            if place is None:
                continue
            is_named, is_at = number in self._named, number == self._at
            if crowded and not is_named and not is_at and number != self._own[-1].number:
                continue
            painter.setPen(QPen(QColor(theme.base), 1.5))
            painter.setBrush(QColor(theme.warning if is_named else theme.bars))
            size = 6.0 if is_at else 4.5 if is_named else 3.5
            painter.drawEllipse(QPointF(place), size, size)

    def _paint_caption(self, painter: QPainter) -> None:
        point = next((each for each in self._own if each.number == self._at), None)
        if point is not None:
            parts = [self._named.get(self._at, ""), self._said.get(self._at, "")]
            latest = units.change(point.time_s, self._own[-1].time_s)
            parts += [units.seconds(point.time_s), f"{latest} from now" if latest else ""]
            text = " \u00b7 ".join(part for part in parts if part)
        else:
            text = f"{self._name} \u00b7 {len(self._own)} versions; click one to restore it"
            if len(self._own) == 1:
                text = f"{self._name} \u00b7 the curve grows with each version that compiles"
        painter.setPen(QColor(self._theme.dim))
        box = QRectF(_LEFT, self.height() - _BOTTOM, self.width() - _LEFT - 4, _BOTTOM)
        shown = painter.fontMetrics().elidedText(
            text, Qt.TextElideMode.ElideRight, round(box.width())
        )
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)
