"""Time against resolution: one point per size, over the line through them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from shaderlab.app import plotting
from shaderlab.app.qt import QColor
from shaderlab.app.seconds_chart import SecondsChart
from shaderlab.app.theme import Theme
from shaderlab.gpu.lines import TimeLine, line_through

if TYPE_CHECKING:
    from shaderlab.gpu.measurement import Measurement

_LEAST_LABELLED = 0.1
"""Sizes below this share of the largest crowd the axis: their points have no label."""


def line_of(measurements: Sequence[Measurement], software: bool) -> TimeLine | None:
    """Medians over pixels: the cost per pixel and what a pass costs beside it.

    By CPU time for software devices, which share their cores; None with fewer than two sizes.
    """
    on_cpu = software and all(m.cpu_trials_s for m in measurements)
    pixels = [m.size[0] * m.size[1] for m in measurements]
    seconds = [float(np.median(m.cpu_trials_s)) if on_cpu else m.median_s for m in measurements]
    if len(set(pixels)) < 2 or min(seconds) <= 0:
        return None
    return line_through(pixels, seconds)


class SizesChart(SecondsChart):
    """Empty until there are measurements at two sizes at least."""

    def __init__(self, theme: Theme):
        self._measurements: Sequence[Measurement] = ()
        self.line: TimeLine | None = None
        super().__init__(theme)

    def show_measurements(self, measurements: Sequence[Measurement], software: bool) -> None:
        self._measurements = measurements
        self.line = line_of(measurements, software)
        self.redraw()

    def _draw(self, theme: Theme) -> Sequence:
        line = self.line
        if line is None:
            return ()
        pixels, seconds = np.asarray(line.amounts), np.asarray(line.seconds)
        ends = np.array([0.0, pixels.max()])
        self.plot.setXRange(0, float(pixels.max()) * 1.1, padding=0)
        self.plot.setYRange(0, float(seconds.max()) * 1.15, padding=0)
        ticks = [
            (m.size[0] * m.size[1], f"{m.size[0]} \u00d7 {m.size[1]}") for m in self._measurements
        ]
        self.plot.getAxis("bottom").setTicks(
            [[tick for tick in ticks if tick[0] > _LEAST_LABELLED * pixels.max()]]
        )
        return (
            plotting.PlotDataItem(
                ends,
                line.intercept_s + line.slope_s * ends,
                pen={"color": theme.bars, "width": 1.4},
            ),
            plotting.ScatterPlotItem(pixels, seconds, size=8, brush=QColor(theme.bars), pen=None),
        )
