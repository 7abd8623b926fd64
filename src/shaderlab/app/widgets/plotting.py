"""pyqtgraph on PySide6, in our colours: what both charts share."""

from __future__ import annotations

from typing import Any

import pyqtgraph

from shaderlab.app.qt import QColor, QtWidgets, QWidget
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


class Chart(QWidget):
    """One still plot, redrawn when what it shows or the theme changes."""

    def __init__(self, theme: Theme):
        """Whoever extends it calls `set_theme` once it is ready to draw."""
        super().__init__()
        self._theme = theme
        self._items: list = []
        self._plot = plain_plot({})
        layout = QtWidgets.QVBoxLayout(self)
        layout.setContentsMargins(4, 4, 4, 0)
        layout.addWidget(widget_of(self._plot))

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        tint(self._plot, theme)
        for side in ("left", "bottom"):
            self._plot.getAxis(side).setTickFont(self.font())
        self.redraw()

    def redraw(self) -> None:
        for item in self._items:
            self._plot.removeItem(item)
        self._items = []
        self._draw()

    def _draw(self) -> None:
        """Add what is to be seen; nothing of before is there."""
        raise NotImplementedError

    def _add(self, item: Any) -> None:
        self._plot.addItem(item)
        self._items.append(item)
