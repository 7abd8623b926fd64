"""A sweep's curves: times above, how far the picture is off below, over the same values."""

from __future__ import annotations

import numpy as np
import pyqtgraph

from shaderlab.app.panels.studies.rows import varied
from shaderlab.app.qt import QColor, Qt, QtWidgets, QWidget
from shaderlab.app.widgets import plotting
from shaderlab.app.widgets.theme import Theme
from shaderlab.studies.sweep import Sweep


class SweepChart(QWidget):
    """Forecast with its band, measured times as dots, the knee of the picture as a dashed line."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._found: Sweep | None = None
        self._target = ""
        self._times = plotting.plain_plot({"left": plotting.SecondsAxis("left")})
        self._pictures = plotting.plain_plot({})
        self._items: list[tuple] = []
        layout = QtWidgets.QVBoxLayout(self)
        layout.setContentsMargins(4, 4, 4, 0)
        layout.setSpacing(0)
        layout.addWidget(plotting.widget_of(self._times), 3)
        layout.addWidget(plotting.widget_of(self._pictures), 2)
        for plot in (self._times, self._pictures):
            plot.showGrid(x=False, y=True, alpha=0.18)
            plot.getAxis("left").setWidth(58)
        self._pictures.getAxis("left").setLabel("RMS, %")
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for plot in (self._times, self._pictures):
            plotting.tint(plot, theme)
            for side in ("left", "bottom"):
                plot.getAxis(side).setTickFont(self.font())
        self._redraw()

    def show_sweep(self, found: Sweep, target: str) -> None:
        self._found, self._target = found, target
        self._redraw()

    def _redraw(self) -> None:
        for plot, item in self._items:
            plot.removeItem(item)
        self._items = []
        if self._found is None or not self._found.points:
            return
        points = self._found.points
        ticks = [(place, ", ".join(each.values)) for place, each in enumerate(points)]
        span = (-0.4, len(points) - 0.6)
        off = [100 * each.difference.rms if each.difference else np.nan for each in points]
        has_pictures = bool(np.isfinite(off).any())  # not of a kernel that writes none
        plotting.widget_of(self._pictures).setVisible(has_pictures)
        unnamed = [(place, "") for place, _ in ticks]
        self._times.getAxis("bottom").setTicks([unnamed if has_pictures else ticks])
        self._draw_times(span)
        lowest = self._pictures if has_pictures else self._times
        self._times.getAxis("bottom").showLabel(False)
        lowest.getAxis("bottom").setLabel(varied(self._found))
        if has_pictures:
            self._pictures.getAxis("bottom").setTicks([ticks])
            plotting.set_ranges(self._pictures, span, (0, 1.15 * max(np.nanmax(off), 1e-3)))
            self._line(self._pictures, range(len(points)), off, self._theme.warning)
        knee = self._found.picture_knee
        if knee is not None:
            place = points.index(knee)
            pen = pyqtgraph.mkPen(QColor(self._theme.dim), style=Qt.PenStyle.DashLine)
            for plot in (self._times, self._pictures):
                self._add(plot, plotting.InfiniteLine(place, pen=pen))

    def _draw_times(self, span: tuple[float, float]) -> None:
        assert self._found is not None
        points, theme = self._found.points, self._theme
        chosen = [
            (place, each)
            for place, point in enumerate(points)
            for each in point.forecasts
            if each.target == self._target and each.time_s is not None
        ]
        measured = [(place, p.measured.time_s) for place, p in enumerate(points) if p.measured]
        shown = self._found.device == self._target
        tops = [each.high_s or each.time_s or 0.0 for _, each in chosen]
        tops += [seconds for _, seconds in measured] if shown else []
        plotting.set_ranges(self._times, span, (0, 1.1 * max([*tops, 1e-9])))
        if chosen:
            places = [place for place, _ in chosen]
            low = [each.low_s or each.time_s or 0.0 for _, each in chosen]
            high = [each.high_s or each.time_s or 0.0 for _, each in chosen]
            fill = QColor(theme.bars)
            fill.setAlphaF(0.18)
            ends = [pyqtgraph.PlotCurveItem(places, edge, pen=(0, 0, 0, 0)) for edge in (low, high)]
            for end in ends:
                self._add(self._times, end)
            self._add(self._times, pyqtgraph.FillBetweenItem(*ends, brush=fill))
            self._line(self._times, places, [each.time_s for _, each in chosen], theme.bars)
        if measured and shown:
            dots = plotting.ScatterPlotItem(
                *zip(*measured, strict=True), size=8, brush=QColor(theme.good), pen=None
            )
            self._add(self._times, dots)

    def _line(self, plot, places, values, colour: str) -> None:
        item = plotting.PlotDataItem(
            list(places), list(values), pen={"color": colour, "width": 1.6},
            symbol="o", symbolSize=6, symbolBrush=QColor(colour), symbolPen=None,
        )  # fmt: skip
        self._add(plot, item)

    def _add(self, plot, item) -> None:
        plot.addItem(item)
        self._items.append((plot, item))
