"""How many samples take how long: bars by decade, with the published distribution's line."""

from __future__ import annotations

import numpy as np
import pyqtgraph

from shaderlab.app.qt import QColor
from shaderlab.app.widgets import plotting
from shaderlab.app.widgets.phrases import round_seconds
from shaderlab.app.widgets.theme import Theme
from shaderlab.samples.statistics import PUBLISHED, DeviceStatistics


class DecadesChart(plotting.Chart):
    """Decades with too few samples are in the warning's colour."""

    def __init__(self, theme: Theme):
        super().__init__(theme)
        self._found: DeviceStatistics | None = None
        self._plot.getAxis("left").setLabel("samples")
        self.setFixedHeight(150)
        self.set_theme(theme)

    def show_statistics(self, found: DeviceStatistics) -> None:
        self._found = found
        self.redraw()

    def _draw(self) -> None:
        if self._found is None:
            return
        found, theme = self._found, self._theme
        exponents = list(found.decades)
        own = PUBLISHED["ln_time"]
        span = (min(*exponents, -6) - 0.05, max(*exponents, 0) + 1.05)
        at = np.linspace(*span, 200)
        z = (at * np.log(10) - own["mean"]) / own["deviation"]
        # Of a decade: density over log10, times as many samples.
        density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi) / own["deviation"] * np.log(10)
        line = density * sum(found.decades.values())
        top = 1.1 * max(*found.decades.values(), float(line.max()))
        plotting.set_ranges(self._plot, span, (0, top))
        ticks = [
            (n, round_seconds(10.0**n)) for n in range(int(np.ceil(span[0])), int(span[1]) + 1)
        ]
        self._plot.getAxis("bottom").setTicks([ticks])
        for colour, chosen in (
            (theme.bars, [n for n in exponents if n not in found.sparse]),
            (theme.warning, list(found.sparse)),
        ):
            heights = [found.decades[n] for n in chosen]
            x = [n + 0.5 for n in chosen]
            bars = pyqtgraph.BarGraphItem(
                x=x, height=heights, width=0.9, brush=QColor(colour), pen=None
            )
            self._add(bars)
        self._add(plotting.PlotDataItem(at, line, pen={"color": theme.dim, "width": 1.4}))
