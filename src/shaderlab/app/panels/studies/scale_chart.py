"""Time over pixels or clock, both axes logarithmic."""

from __future__ import annotations

import numpy as np
import pyqtgraph

from shaderlab.app.panels.studies.scale_rows import Drawn
from shaderlab.app.qt import QColor, Qt
from shaderlab.app.widgets import plotting
from shaderlab.app.widgets.phrases import round_seconds
from shaderlab.app.widgets.theme import Theme

_APART = 10
"""Pixels between labels of the axis."""


class ScaleChart(plotting.Chart):
    """Measured times as green dots, their law as a line that is dashed where it projects, the
    target's forecasts in blue with their band."""

    def __init__(self, theme: Theme):
        super().__init__(theme)
        self._drawn: Drawn | None = None
        self._plot.getAxis("left").setWidth(64)
        self._plot.showGrid(x=False, y=True, alpha=0.18)
        self._plot.getViewBox().sigResized.connect(lambda *_: self._mark())
        self.set_theme(theme)

    def show_study(self, drawn: Drawn, axis: str) -> None:
        """`axis`: what is varied, with its unit."""
        self._drawn = drawn
        self._plot.getAxis("bottom").setLabel(axis)
        self.redraw()

    def _draw(self) -> None:
        drawn, theme = self._drawn, self._theme
        if drawn is None:
            return
        self._frame(drawn)
        self._curve(drawn.inside, theme.good, dashed=False)
        for part in drawn.outside:
            self._curve(part, theme.good, dashed=True)
        self._dots([(x, y) for x, y in drawn.measured], theme.good, "o")
        if drawn.traced:
            x = np.log10([each[0] for each in drawn.traced])
            low, high = (np.log10([each[n] for each in drawn.traced]) for n in (2, 3))
            fill = QColor(theme.bars)
            fill.setAlphaF(0.18)
            ends = [pyqtgraph.PlotCurveItem(x, edge, pen=(0, 0, 0, 0)) for edge in (low, high)]
            for end in ends:
                self._add(end)
            self._add(plotting.FillBetweenItem(*ends, brush=fill))
            self._curve([(each[0], each[1]) for each in drawn.traced], theme.bars, dashed=False)
            self._dots([(each[0], each[1]) for each in drawn.traced], theme.bars, "s")

    def _frame(self, drawn: Drawn) -> None:
        """Ranges and ticks around all there is."""
        points = [*drawn.measured, *drawn.inside, *(p for part in drawn.outside for p in part)]
        x = np.log10([each[0] for each in (*points, *drawn.traced)])
        y = np.log10([*(each[1] for each in points), *(e for t in drawn.traced for e in t[1:])])
        width = max(float(np.ptp(x)), 0.1)
        span_y = (float(y.min()) - 0.12, float(y.max()) + 0.12)
        plotting.set_ranges(
            self._plot, (float(x.min()) - 0.08 * width, float(x.max()) + 0.1 * width), span_y
        )
        self._mark()
        decades = [
            (float(np.log10(m * 10.0**e)), round_seconds(m * 10.0**e))
            for e in range(int(np.floor(span_y[0])), int(np.ceil(span_y[1])) + 1)
            for m in ((1, 2, 5) if np.ptp(span_y) < 1.5 else (1,))
        ]
        self._plot.getAxis("left").setTicks([decades])

    def _mark(self) -> None:
        """A tick at every size or clock, named where there is room, the largest first."""
        if self._drawn is None:
            return
        view, metrics = self._plot.getViewBox(), self.fontMetrics()
        (low, high), _ = view.viewRange()
        scale = view.width() / (high - low)
        ticks, free = [], view.width()  # pyqtgraph leaves out what reaches beyond
        for at, name in sorted(self._drawn.ticks, reverse=True):
            place = float(np.log10(at))
            middle, half = (place - low) * scale, metrics.horizontalAdvance(name) / 2
            if has_room := middle + half <= free:
                free = middle - half - _APART
            ticks.append((place, name if has_room else ""))
        self._plot.getAxis("bottom").setTicks([ticks])

    def _curve(self, points, colour: str, *, dashed: bool) -> None:
        if len(points) < 2:
            return
        x, y = np.log10(np.array(points).T)
        style = Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine
        pen = pyqtgraph.mkPen(QColor(colour), width=1.6, style=style)
        self._add(plotting.PlotDataItem(x, y, pen=pen))

    def _dots(self, points: list[tuple[float, float]], colour: str, symbol: str) -> None:
        x, y = np.log10(np.array(points).T)
        brush = QColor(colour)
        self._add(plotting.ScatterPlotItem(x, y, size=8, symbol=symbol, brush=brush, pen=None))
