"""The plot of predicted time against iTime."""

from __future__ import annotations

from collections.abc import Sequence

from shaderlab.app.panels.targets.moments import Moment, is_even, worst
from shaderlab.app.qt import QColor, Qt, QtWidgets
from shaderlab.app.widgets import plotting
from shaderlab.app.widgets.seconds_chart import SecondsChart
from shaderlab.app.widgets.theme import Theme, with_alpha


class MomentsCurve(SecondsChart):
    """The curve in its band; the worst moment as a ring, the budget as a dashed line."""

    def __init__(self, theme: Theme):
        self.moments: Sequence[Moment] = ()
        self.budget_s: float | None = None
        super().__init__(theme)
        self.plot.setLabel("bottom", "iTime, seconds")
        self.setMinimumHeight(110)
        # What a plot would like to have is more than the panel has: it takes what is left.
        ignored = QtWidgets.QSizePolicy.Policy.Ignored
        plotting.widget_of(self.plot).setSizePolicy(ignored, ignored)

    def show_moments(self, moments: Sequence[Moment], budget_s: float | None) -> None:
        """`moments` ascend in time; `budget_s`: seconds a frame may take."""
        self.moments, self.budget_s = moments, budget_s
        self.redraw()

    def _draw(self, theme: Theme) -> Sequence:
        found = worst(self.moments)
        for side in ("left", "bottom"):  # without a curve its numbers would mean nothing
            self.plot.showAxis(side, found is not None)
        if found is None:
            return ()
        times, seconds, low, high = (
            [each[n] for each in self.moments] for n in range(len(Moment._fields))
        )
        top = max(high)
        top = self.budget_s if self.budget_s and top < self.budget_s < 3 * top else top
        plotting.set_ranges(self.plot, (0, max(times[-1], 1e-3) * 1.02), (0, top * 1.1))
        line = {"color": theme.bars, "width": 1.6}
        edges = [plotting.PlotDataItem(times, end, pen=None) for end in (low, high)]
        items = [
            *edges,
            plotting.FillBetweenItem(*edges, brush=with_alpha(theme.bars, 0.18)),
            plotting.PlotDataItem(times, seconds, pen=line),
            plotting.ScatterPlotItem(times, seconds, size=4, brush=QColor(theme.bars), pen=None),
        ]
        if not is_even(self.moments):
            ring = {"color": theme.error, "width": 2}
            items.append(
                plotting.ScatterPlotItem(
                    [found.time_s], [found.seconds], size=12, brush=None, pen=ring
                )
            )
        if self.budget_s and self.budget_s <= top:
            pen = {"color": theme.error, "width": 1.2, "style": Qt.PenStyle.DashLine}
            items.append(plotting.InfiniteLine(self.budget_s, angle=0, pen=pen))
        return items
