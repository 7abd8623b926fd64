"""The trials of a measurement, one point each, over the mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from shaderlab.app.qt import QColor
from shaderlab.app.widgets import plotting
from shaderlab.app.widgets.seconds_chart import SecondsChart
from shaderlab.app.widgets.theme import Theme

if TYPE_CHECKING:
    from shaderlab.gpu.measurement import Measurement


class TrialsChart(SecondsChart):
    """Rejected trials are crosses."""

    def __init__(self, theme: Theme):
        self._measurement: Measurement | None = None
        super().__init__(theme)

    def show_measurement(self, measurement: Measurement) -> None:
        self._measurement = measurement
        self.redraw()

    def _draw(self, theme: Theme) -> Sequence:
        m = self._measurement
        if m is None:
            return ()
        times = np.asarray(m.trials_s)
        trials = np.arange(1, len(times) + 1)
        kept = np.ones(len(times), bool)
        kept[list(m.rejected)] = False
        top = max(float(times.max()), m.floor_s) * 1.15
        plotting.set_ranges(self.plot, (0.5, len(times) + 0.5), (0, top))
        step = max(1, len(times) // 10)
        self.plot.getAxis("bottom").setTicks([[(int(t), str(t)) for t in trials[::step]]])
        return (
            plotting.InfiniteLine(m.time_s, 0, pen={"color": theme.bars, "width": 1.4}),
            plotting.ScatterPlotItem(
                trials[kept], times[kept], size=8, brush=QColor(theme.bars), pen=None
            ),
            plotting.ScatterPlotItem(
                trials[~kept], times[~kept], size=9, symbol="x", brush=QColor(theme.error), pen=None
            ),
        )
