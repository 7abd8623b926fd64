"""Shares of shaders within an error, by method, over the error from 1 to 50 %."""

from __future__ import annotations

import numpy as np
import pyqtgraph

from shaderlab.app.qt import QColor, Qt
from shaderlab.app.widgets import plotting
from shaderlab.app.widgets.theme import Theme
from shaderlab.prediction.catalogue.pair_tables import CURVE, MethodLine, PairTable

_LONGEST_NAME = "running median"
_TICKS = (1, 2, 5, 10, 20, 50)


class PairsChart(plotting.Chart):
    """The higher, the better.  What is best of all, both competitors and the forecast are in
    colour, the chosen row is bold, other regressions are faint."""

    def __init__(self, theme: Theme):
        super().__init__(theme)
        self._table: PairTable | None = None
        self._chosen, self._tolerance = "", 10
        self._plot.getAxis("bottom").setLabel("error of at most, %")
        self._plot.getAxis("left").setLabel("shaders, %")
        self._plot.showGrid(x=False, y=True, alpha=0.18)
        self.set_theme(theme)

    def show_table(self, table: PairTable, chosen: str, tolerance: int) -> None:
        """`chosen`: method of the row the user is at; `tolerance`: in percent."""
        self._table, self._chosen, self._tolerance = table, chosen, tolerance
        self.redraw()

    def _draw(self) -> None:
        if self._table is None:
            return
        percents = np.log10(np.arange(1, CURVE + 1))
        ticks = [(float(np.log10(each)), str(each)) for each in _TICKS]
        self._plot.getAxis("bottom").setTicks([ticks])
        last = float(percents[-1])
        plotting.set_ranges(self._plot, (0, last + self._room_for_names(last)), (0, 104))
        pen = pyqtgraph.mkPen(QColor(self._theme.dim), style=Qt.PenStyle.DashLine)
        self._add(plotting.InfiniteLine(float(np.log10(self._tolerance)), pen=pen))
        named: list[tuple[float, str, str]] = []
        for line in sorted(self._table.methods, key=self._prominence):
            if not line.curve:
                continue
            colour, width, label = self._look(line)
            shares = 100 * np.array(line.curve)
            dotted = line.kind == "competitor"
            style = Qt.PenStyle.DotLine if dotted else Qt.PenStyle.SolidLine
            pen = pyqtgraph.mkPen(colour, width=width, style=style)
            self._add(plotting.PlotDataItem(percents, shares, pen=pen))
            if label:
                name = "forecast" if line.kind == "learned" else line.method
                named.append((float(shares[-1]), name, colour.name()))
        self._label(named, float(percents[-1]))

    def _room_for_names(self, curves: float) -> float:
        """On the axis, beside curves of that extent, for the names at their ends."""
        across = self._plot.getViewBox().width()
        names = 1.0 * self.fontMetrics().horizontalAdvance(f"{_LONGEST_NAME}  ")
        return curves * names / max(across - names, names)

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        self.redraw()

    def _prominence(self, line: MethodLine) -> int:
        assert self._table is not None
        prominent = line.method in (self._table.best, self._chosen)
        return 2 if prominent else 0 if line.kind in ("linear", "trees") else 1

    def _look(self, line: MethodLine) -> tuple[QColor, float, bool]:
        """Colour, width, and whether the name stands beside it."""
        theme, table = self._theme, self._table
        assert table is not None
        width = 2.6 if line.method == self._chosen else 1.6
        if line.kind == "learned":
            return QColor(theme.good), width, True
        if line.method == table.best:
            return QColor(theme.bars), width, True
        if line.kind == "competitor":
            return QColor(theme.warning), width, True
        if line.method == self._chosen:
            return QColor(theme.text), width, True
        faint = QColor(theme.dim)
        faint.setAlphaF(0.45)
        return faint, 1.0, False

    def _label(self, named: list[tuple[float, str, str]], x: float) -> None:
        """Names at the curves' right ends, apart from one another."""
        place = 200.0
        for share, name, colour in sorted(named, reverse=True):
            place = min(share, place - 9)
            label = pyqtgraph.TextItem(name, QColor(colour), anchor=(0, 0.5))
            label.setFont(self.font())
            label.setPos(x + 0.01, place)
            self._add(label)
