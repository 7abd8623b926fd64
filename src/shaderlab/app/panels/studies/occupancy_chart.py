"""Waves that stay resident, by local size."""

from __future__ import annotations

import pyqtgraph

from shaderlab.app.qt import QColor, Qt, QtWidgets, QWidget
from shaderlab.app.widgets import plotting
from shaderlab.app.widgets.theme import Theme
from shaderlab.scene.launch import shown
from shaderlab.studies.occupancy import Occupancy


class OccupancyChart(QWidget):
    """A bar for each local size; what the chip has room for as a dashed line."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._found: Occupancy | None = None
        self._items: list = []
        self._plot = plotting.plain_plot({})
        self._plot.showGrid(x=False, y=True, alpha=0.18)
        self._plot.getAxis("left").setLabel("waves per SIMD")
        self._plot.getAxis("left").setWidth(52)
        layout = QtWidgets.QVBoxLayout(self)
        layout.setContentsMargins(4, 4, 4, 0)
        layout.addWidget(plotting.widget_of(self._plot))
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        plotting.tint(self._plot, theme)
        for side in ("left", "bottom"):
            self._plot.getAxis(side).setTickFont(self.font())
        self._redraw()

    def show_occupancy(self, found: Occupancy) -> None:
        self._found = found
        self._redraw()

    def _redraw(self) -> None:
        for item in self._items:
            self._plot.removeItem(item)
        self._items = []
        if self._found is None or not self._found.rows:
            return
        rows = self._found.rows
        heights = [each.resident or 0.0 for each in rows]
        most = rows[0].most or max(heights)
        bars = pyqtgraph.BarGraphItem(
            x=list(range(len(rows))), height=heights, width=0.6,
            brush=QColor(self._theme.bars), pen=None,
        )  # fmt: skip
        pen = pyqtgraph.mkPen(QColor(self._theme.dim), style=Qt.PenStyle.DashLine)
        self._items = [bars, plotting.InfiniteLine(most, angle=0, pen=pen)]
        for item in self._items:
            self._plot.addItem(item)
        ticks = [(place, shown(each.local)) for place, each in enumerate(rows)]
        self._plot.getAxis("bottom").setTicks([ticks])
        plotting.set_ranges(self._plot, (-0.6, len(rows) - 0.4), (0, 1.1 * max(most, 1)))
