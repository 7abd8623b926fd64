"""Products as dots over the years; or times over compute units and clock as colours, with rates and
budget as lines and products as dots."""

from __future__ import annotations

from math import ceil, floor, isfinite, log10

import numpy as np
import pyqtgraph

from shaderlab import units
from shaderlab.app.qt import QColor, Qt, QtWidgets
from shaderlab.app.widgets import plotting
from shaderlab.app.widgets.theme import Theme
from shaderlab.studies.explore import EveryProduct, Space


class ExploreChart(plotting.Chart):
    """Of a family: the darker, the longer; each cell also says its time."""

    def __init__(self, theme: Theme):
        super().__init__(theme)
        self._found: Space | EveryProduct | None = None
        self._budget_s = 0.0
        self.set_theme(theme)

    def show_found(self, found: Space | EveryProduct, budget_s: float) -> None:
        self._found, self._budget_s = found, budget_s
        self.redraw()

    def _draw(self) -> None:
        if isinstance(self._found, EveryProduct):
            self._draw_products(self._found)
        elif self._found is not None:
            self._draw_space(self._found)

    def _draw_products(self, found: EveryProduct) -> None:
        """Year and time of each, one colour a vendor, the budget as a line."""
        self._plot.getAxis("bottom").setLabel("year")
        self._plot.getAxis("left").setLabel("time of a frame")
        timed = [each for each in found.products if isfinite(each.least_s) and each.info.year]
        if not timed:
            return
        years = [each.info.year or 0 for each in timed]
        powers = [log10(each.least_s) for each in timed] + [log10(self._budget_s)]
        low, high = floor(min(powers)), ceil(max(powers))
        self._plot.getAxis("bottom").setTicks([[(y, str(y)) for y in sorted(set(years))]])
        self._plot.getAxis("left").setTicks(
            [[(power, units.seconds(10.0**power)) for power in range(low, high + 1)]]
        )
        plotting.set_ranges(self._plot, (min(years) - 0.5, max(years) + 0.5), (low, high))
        colours = (self._theme.bars, self._theme.warning, self._theme.good, self._theme.dim)
        vendors = sorted({each.info.vendor for each in timed})
        for place, vendor in enumerate(vendors):
            dots = [
                (each.info.year or 0, log10(each.least_s))
                for each in timed
                if each.info.vendor == vendor
            ]
            colour = QColor(colours[min(place, len(colours) - 1)])
            self._add(
                plotting.ScatterPlotItem(
                    *zip(*dots, strict=True), size=7, brush=colour, pen=pyqtgraph.mkPen(None)
                )
            )
            label = pyqtgraph.TextItem(vendor, colour, anchor=(0, 0))
            label.setFont(self.font())
            label.setPos(min(years) - 0.5 + 0.9 * place, high)
            self._add(label)
        pen = pyqtgraph.mkPen(QColor(self._theme.error), width=1.2, style=Qt.PenStyle.DashLine)
        self._add(plotting.InfiniteLine(log10(self._budget_s), angle=0, pen=pen))

    def _draw_space(self, space: Space) -> None:
        theme = self._theme
        self._plot.getAxis("bottom").setLabel("clock, MHz")
        self._plot.getAxis("left").setLabel("compute units")
        clocks = np.array(space.clocks_hz) / 1e6
        rows = np.array(space.units, float)
        x, y = _edges(clocks), _edges(rows)
        self._plot.getAxis("bottom").setTicks([[(c, f"{c:.0f}") for c in clocks]])
        self._plot.getAxis("left").setTicks([[(n, f"{n:.0f}") for n in rows]])
        plotting.set_ranges(self._plot, (x[0], x[-1]), (y[0], y[-1]))
        times = np.array([[each.time_s for each in row] for row in space.estimates])
        level = np.log(times / times.min()) / max(np.log(times.max() / times.min()), 1e-9)
        for i in range(len(rows)):
            for j in range(len(clocks)):
                self._cell((x[j], x[j + 1]), (y[i], y[i + 1]), level[i, j], times[i, j])
        lines = {f"{rate} Hz": line for rate, line in space.lines.items()}
        lines[units.seconds(self._budget_s)] = space.line_of(self._budget_s)
        for name, line in lines.items():
            known = [(clock / 1e6, n) for n, clock in zip(space.units, line, strict=True) if clock]
            if len(known) > 1 and any(x[0] <= clock <= x[-1] for clock, _ in known):
                self._line(name, known, x)
        dots = [((each.product.clock_hz or 0) / 1e6, each.product.units) for each in space.products]
        if dots:
            pen = pyqtgraph.mkPen(QColor(theme.base))
            brush = QColor(theme.warning)
            self._add(
                plotting.ScatterPlotItem(*zip(*dots, strict=True), size=9, brush=brush, pen=pen)
            )

    def _cell(
        self, x: tuple[float, float], y: tuple[float, float], level: float, seconds: float
    ) -> None:
        colour = QColor(self._theme.bars)
        colour.setAlphaF(0.08 + 0.55 * float(level))
        box = QtWidgets.QGraphicsRectItem(x[0], y[0], x[1] - x[0], y[1] - y[0])
        box.setBrush(colour)
        box.setPen(Qt.PenStyle.NoPen)
        self._add(box)
        label = pyqtgraph.TextItem(
            units.seconds(seconds), QColor(self._theme.text), anchor=(0.5, 0)
        )
        label.setFont(self.font())
        label.setPos((x[0] + x[1]) / 2, y[1])
        self._add(label)

    def _line(self, name: str, known: list[tuple[float, int]], x: np.ndarray) -> None:
        clocks, rows = zip(*known, strict=True)
        pen = pyqtgraph.mkPen(QColor(self._theme.text), width=1.4)
        self._add(plotting.PlotDataItem(clocks, rows, pen=pen))
        place = min(known, key=lambda each: abs(each[0] - x.mean()))
        label = pyqtgraph.TextItem(name, QColor(self._theme.text), anchor=(0, 1))
        label.setFont(self.font())
        label.setPos(*place)
        self._add(label)


def _edges(middles: np.ndarray) -> np.ndarray:
    """Bounds of cells around their middles."""
    if len(middles) == 1:
        return np.array([0.9 * middles[0], 1.1 * middles[0]])
    between = (middles[1:] + middles[:-1]) / 2
    first, last = 2 * middles[0] - between[0], 2 * middles[-1] - between[-1]
    return np.array([first, *between, last])
