"""pyqtgraph on PySide6, in our colours: what both charts share."""

from __future__ import annotations

import pyqtgraph

from shaderlab import units
from shaderlab.app.qt import QColor, QFont, QPen
from shaderlab.app.theme import Theme

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
        return [units.seconds(10**v if self.log else v) if self.log or v else "0" for v in values]

    def tickValues(self, minVal, maxVal, size):
        if not self.log:
            return super().tickValues(minVal, maxVal, size)
        decades = [float(v) for v in range(int(minVal // 1), int(maxVal // 1) + 1)]
        return [(1.0, [v for v in decades if minVal <= v <= maxVal])]


class NamesAxis(pyqtgraph.AxisItem):
    """One text per row, no line and no ticks."""

    def __init__(self, orientation: str):
        super().__init__(orientation)
        self.setStyle(tickLength=0)

    def set_names(self, names: dict[float, str]) -> None:
        self.setTicks([list(names.items())])

    def tint(self, colour: str, font: QFont) -> None:
        self.setPen(QPen(QColor(0, 0, 0, 0)))
        self.setTextPen(QColor(colour))
        self.setTickFont(font)


def plain_plot(axes: dict[str, pyqtgraph.AxisItem]) -> PlotWidget:
    """A plot that shows and does nothing of its own: no menu, no buttons, no dragging."""
    plot = PlotWidget(axisItems=axes)
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
