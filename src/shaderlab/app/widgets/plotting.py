"""pyqtgraph on PySide6, in our colours: what both charts share."""

from __future__ import annotations

import pyqtgraph

from shaderlab.app.qt import QColor, QWidget
from shaderlab.app.widgets.phrases import round_seconds
from shaderlab.app.widgets.theme import Theme

pyqtgraph.setConfigOptions(antialias=True)

InfiniteLine = pyqtgraph.InfiniteLine
PlotDataItem = pyqtgraph.PlotDataItem
PlotWidget = pyqtgraph.PlotWidget
FillBetweenItem = pyqtgraph.FillBetweenItem
ScatterPlotItem = pyqtgraph.ScatterPlotItem


class SecondsAxis(pyqtgraph.AxisItem):
    """Ticks in seconds, with a unit."""

    def __init__(self, orientation: str):
        super().__init__(orientation)
        self.enableAutoSIPrefix(False)

    def tickStrings(self, values, scale, spacing) -> list[str]:  # noqa: ARG002, pyqtgraph's
        return [round_seconds(v) if v else "0" for v in values]


class _StillPlot(PlotWidget):
    """Leaves the wheel to whatever scrolls around it."""

    def wheelEvent(self, ev) -> None:
        ev.ignore()


def plain_plot(axes: dict[str, pyqtgraph.AxisItem]) -> PlotWidget:
    """A static plot: no menu, no buttons, no dragging."""
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


def set_ranges(plot: PlotWidget, x: tuple[float, float], y: tuple[float, float]) -> None:
    """Show exactly this part of the plane."""
    plot.getViewBox().setRange(xRange=x, yRange=y, padding=0)


def widget_of(plot: PlotWidget) -> QWidget:
    """The plot as what it is on PySide6, which pyqtgraph's own types leave open."""
    assert isinstance(plot, QWidget)
    return plot
