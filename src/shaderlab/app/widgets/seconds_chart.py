"""The frame of a small chart with seconds on its y axis, redrawn when data or theme change."""

from __future__ import annotations

from collections.abc import Sequence

from shaderlab.app.qt import QtWidgets, QWidget
from shaderlab.app.widgets import plotting
from shaderlab.app.widgets.theme import Theme


class SecondsChart(QWidget):
    """Subclasses say what to draw (`_draw`) and call `redraw` when that changes."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._items: Sequence = ()
        self.plot = plotting.plain_plot({"left": plotting.SecondsAxis("left")})
        self.plot.showGrid(x=False, y=True, alpha=0.18)
        layout = QtWidgets.QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(plotting.widget_of(self.plot))
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        plotting.tint(self.plot, theme)
        for side in ("left", "bottom"):
            self.plot.getAxis(side).setTickFont(self.font())
        self.redraw()

    def redraw(self) -> None:
        for item in self._items:
            self.plot.removeItem(item)
        self._items = self._draw(self._theme)
        for item in self._items:
            self.plot.addItem(item)

    def _draw(self, theme: Theme) -> Sequence:
        """Sets ranges and ticks; returns pyqtgraph items, none while there is nothing to show."""
        raise NotImplementedError
