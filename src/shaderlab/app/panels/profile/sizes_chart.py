"""Time against resolution: one point per size, over the line through them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from shaderlab.app.qt import QColor
from shaderlab.app.widgets import plotting
from shaderlab.app.widgets.seconds_chart import SecondsChart
from shaderlab.app.widgets.theme import Theme
from shaderlab.stats import TimeLine, line_through

if TYPE_CHECKING:
    from shaderlab.gpu.measurement import Measurement

_APART = 0.2
"""Least distance between labels, as a share of the axis: the smaller sizes crowd."""


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


def ticks(sizes: Sequence[tuple[int, int]]) -> list[tuple[int, str]]:
    """A tick at every size, from the largest down, labelled where there is room."""
    found: list[tuple[int, str]] = []
    largest = labelled = max(width * height for width, height in sizes)
    for width, height in sorted(sizes, key=lambda size: -size[0] * size[1]):
        pixels = width * height
        room = not found or labelled - pixels >= _APART * largest
        if room:
            labelled = pixels
        found.append((pixels, f"{width} \u00d7 {height}" if room else ""))
    return found


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
        plotting.set_ranges(
            self.plot, (0, float(pixels.max()) * 1.1), (0, float(seconds.max()) * 1.15)
        )
        self.plot.getAxis("bottom").setTicks([ticks([m.size for m in self._measurements])])
        return (
            plotting.PlotDataItem(
                ends,
                line.intercept_s + line.slope_s * ends,
                pen={"color": theme.bars, "width": 1.4},
            ),
            plotting.ScatterPlotItem(pixels, seconds, size=8, brush=QColor(theme.bars), pen=None),
        )
