"""pyqtgraph on PySide6, in our colours: what both charts share."""

from __future__ import annotations

import math

import pyqtgraph

from shaderlab import units
from shaderlab.app.qt import QColor, QFont, QFontMetrics, QPen, QRectF, Qt
from shaderlab.app.widgets.theme import Theme

pyqtgraph.setConfigOptions(antialias=True)

BarGraphItem = pyqtgraph.BarGraphItem
InfiniteLine = pyqtgraph.InfiniteLine
PlotDataItem = pyqtgraph.PlotDataItem
PlotWidget = pyqtgraph.PlotWidget
ScatterPlotItem = pyqtgraph.ScatterPlotItem


class SecondsAxis(pyqtgraph.AxisItem):
    """Ticks in seconds with a unit; with `log`, positions are decimal logarithms of seconds."""

    def __init__(self, orientation: str):
        super().__init__(orientation)
        self.log = False
        self.enableAutoSIPrefix(False)

    def tickStrings(self, values, scale, spacing) -> list[str]:
        if self.log:
            return [_round_text(10**v) for v in values]
        return [_round_text(v) if v else "0" for v in values]

    def tickValues(self, minVal, maxVal, size):
        if not self.log:
            return super().tickValues(minVal, maxVal, size)
        decades = range(math.ceil(minVal), math.floor(maxVal) + 1)
        return [(1.0, [float(v) for v in decades])]


def _round_text(seconds: float) -> str:
    """`10 ms`, where the exact value of a measured time would be `10.0 ms`."""
    number, _, unit = units.seconds(seconds).partition(" ")
    return f"{float(number):g} {unit}"


class TextAxis(pyqtgraph.AxisItem):
    """A row of texts per position, in columns; no line and no ticks.

    The first column is in the strong colour, the others in the dim one; all are aligned to the
    right, as numbers want it.
    """

    _GAP = 12

    def __init__(self, orientation: str):
        super().__init__(orientation)
        self.setStyle(tickLength=0, tickAlpha=0)
        self._rows: dict[float, tuple[str, ...]] = {}
        self._widths: list[float] = []
        self._strong = self._dim = QColor()

    def set_rows(self, rows: dict[float, tuple[str, ...]]) -> None:
        """Texts by position; every row has as many."""
        self._rows = rows
        self.setTicks([[(at, "") for at in rows]])
        metrics = QFontMetrics(self.style["tickFont"])
        self._widths = [
            max(metrics.horizontalAdvance(text) for text in column)
            for column in zip(*rows.values(), strict=True)
        ]
        self.setWidth(round(sum(self._widths) + self._GAP * (len(self._widths) + 1)))
        self.picture = None
        self.update()

    def tint(self, strong: str, dim: str, font: QFont) -> None:
        self._strong, self._dim = QColor(strong), QColor(dim)
        self.setPen(QPen(QColor(0, 0, 0, 0)))
        self.setTickFont(font)

    def drawPicture(self, painter, axis, ticks, texts) -> None:
        """Paint the columns ourselves: pyqtgraph knows but one text per tick."""
        view = self.linkedView()
        if view is None:
            return
        painter.setFont(self.style["tickFont"])
        box = self.boundingRect()
        low, high = view.viewRange()[1]
        for at, row in self._rows.items():
            middle = (at - low) / (high - low) * view.height()
            middle = middle if view.yInverted() else view.height() - middle
            right = box.left() + (self._GAP if self.orientation == "right" else self._GAP / 2)
            for number, (text, width) in enumerate(zip(row, self._widths, strict=True)):
                place = QRectF(right, middle - 12, width, 24)
                painter.setPen(self._dim if number or at < 0 else self._strong)
                flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
                painter.drawText(place, flags, text)
                right += width + self._GAP


class _StillPlot(PlotWidget):
    """Leaves the wheel to whatever scrolls around it."""

    def wheelEvent(self, event) -> None:
        event.ignore()


def plain_plot(axes: dict[str, pyqtgraph.AxisItem]) -> PlotWidget:
    """A plot that shows and does nothing of its own: no menu, no buttons, no dragging."""
    plot = _StillPlot(axisItems=axes)
    plot.setMenuEnabled(False)
    plot.hideButtons()
    plot.setMouseEnabled(False, False)
    plot.getViewBox().setDefaultPadding(0)
    plot.setFrameShape(plot.Shape.NoFrame)
    return plot


def tint(plot: PlotWidget, theme: Theme) -> None:
    """The theme's colours for background, axes and grid."""
    plot.setBackground(theme.base)
    for side in ("left", "bottom"):
        axis = plot.getAxis(side)
        axis.setPen(QColor(theme.line))
        axis.setTextPen(QColor(theme.dim))
