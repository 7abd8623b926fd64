"""The trials of a measurement, one point each, over the mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shaderlab.app import plotting
from shaderlab.app.qt import QColor, QtWidgets, QWidget
from shaderlab.app.theme import Theme

if TYPE_CHECKING:
    from shaderlab.gpu.measurement import Measurement


class TrialsChart(QWidget):
    """Rejected trials are crosses."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._measurement: Measurement | None = None
        self._items: list = []
        self._axis = plotting.SecondsAxis("left")
        self.plot = plotting.plain_plot({"left": self._axis})
        self.plot.showGrid(x=False, y=True, alpha=0.18)
        layout = QtWidgets.QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.plot)
        self.set_theme(theme)

    def show_measurement(self, measurement: Measurement) -> None:
        self._measurement = measurement
        self._draw()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        plotting.tint(self.plot, theme)
        for axis in (self._axis, self.plot.getAxis("bottom")):
            axis.setTickFont(self.font())
        self._draw()

    def _draw(self) -> None:
        for item in self._items:
            self.plot.removeItem(item)
        self._items = []
        m, theme = self._measurement, self._theme
        if m is None:
            return
        times = np.asarray(m.trials_s)
        trials = np.arange(1, len(times) + 1)
        kept = np.ones(len(times), bool)
        kept[list(m.rejected)] = False
        mean = plotting.InfiniteLine(m.time_s, 0, pen={"color": theme.bars, "width": 1.4})
        points = plotting.ScatterPlotItem(
            trials[kept], times[kept], size=8, brush=QColor(theme.bars), pen=None
        )
        outliers = plotting.ScatterPlotItem(
            trials[~kept], times[~kept], size=9, symbol="x", brush=QColor(theme.error), pen=None
        )
        for item in (mean, points, outliers):
            self.plot.addItem(item)
            self._items.append(item)
        self.plot.setXRange(0.5, len(times) + 0.5, padding=0)
        self.plot.setYRange(0, max(float(times.max()), m.floor_s) * 1.15, padding=0)
        step = max(1, len(times) // 10)
        self.plot.getAxis("bottom").setTicks([[(int(t), str(t)) for t in trials[::step]]])
