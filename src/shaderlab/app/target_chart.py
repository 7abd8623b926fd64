"""Predicted times as bars with their bands, names at the left, exact values at the right."""

from __future__ import annotations

import math
from collections.abc import Sequence

from shaderlab.app import plotting
from shaderlab.app.qt import QColor, Qt, QtWidgets, QWidget, Signal
from shaderlab.app.target_bars import HEADINGS, Bar, scale_of
from shaderlab.app.theme import Theme, with_alpha

_BAR = 0.52
"""Thickness of a bar; 1 is the distance of two rows."""


class TargetChart(QWidget):
    """Rows are chosen by click, or by the arrow keys."""

    chosen = Signal(str)
    """Slug of the target."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._bars: tuple[Bar, ...] = ()
        self._choice = ""
        self._items: list = []
        self._names = plotting.TextAxis("left")
        self._values = plotting.TextAxis("right")
        self._seconds = plotting.SecondsAxis("bottom")
        self.plot = plotting.plain_plot(
            {"left": self._names, "right": self._values, "bottom": self._seconds}
        )
        self.plot.invertY(True)
        self.plot.showAxis("right")
        self.plot.showGrid(x=True, y=False, alpha=0.18)
        self.plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.plot.scene().sigMouseClicked.connect(self._on_clicked)
        layout = QtWidgets.QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.plot)
        self.set_theme(theme)

    @property
    def logarithmic(self) -> bool:
        """Whether the bars shown are on a logarithmic scale."""
        return self._seconds.log

    def show_bars(self, bars: Sequence[Bar], choice: str) -> None:
        """Replace the rows; `choice` is the slug of the one to stress."""
        self._bars, self._choice = tuple(bars), choice
        # Rows never get closer than their texts need; the panel scrolls instead.
        self.plot.setMinimumHeight(round((len(bars) + 2) * (self.fontMetrics().height() + 3)))
        self._draw()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        plotting.tint(self.plot, theme)
        self._seconds.setTickFont(self.font())
        self._names.tint(theme.text, theme.dim, self.font())
        self._values.tint(theme.text, theme.dim, self.font())
        self._draw()

    def _draw(self) -> None:
        for item in self._items:
            self.plot.removeItem(item)
        self._items = []
        bars, theme = self._bars, self._theme
        if not bars:
            return
        log, low, high = scale_of(bars)
        self._seconds.log = log

        def at(seconds: float) -> float:
            clipped = min(max(seconds, low), high)
            return math.log10(clipped) if log else clipped

        left, right = at(low), at(high)
        rows = list(range(len(bars)))
        stressed = [row for row in rows if bars[row].target == self._choice]
        for row in stressed:
            self._add(
                plotting.BarGraphItem(
                    x0=[left],
                    x1=[right],
                    y=[row],
                    height=0.92,
                    brush=with_alpha(theme.selection, 0.45),
                    pen=None,
                )
            )
        self._add(
            plotting.BarGraphItem(
                x0=[left] * len(bars),
                x1=[at(b.time_s) for b in bars],
                y=rows,
                height=_BAR,
                brushes=[QColor(theme.bars_faint if b.doubtful else theme.bars) for b in bars],
                pen=None,
            )
        )
        xs, ys = [], []
        for row, bar in enumerate(bars):
            a, b = at(bar.low_s), at(bar.high_s)
            for x, y in (
                ((a, b), (row, row)),
                *(((e, e), (row - 0.13, row + 0.13)) for e in (a, b)),
            ):
                xs += [*x, math.nan]
                ys += [*y, math.nan]
        pen = {"color": theme.text, "width": 1.2}
        self._add(plotting.PlotDataItem(xs, ys, connect="finite", pen=pen))
        ticks_x: list[float] = []
        ticks_y: list[float] = []
        for row, bar in enumerate(bars):
            if bar.pinned_s is not None:
                ticks_x += [at(bar.pinned_s)] * 2 + [math.nan]
                ticks_y += [row - 0.42, row + 0.42, math.nan]
        if ticks_x:
            pen = {"color": theme.warning, "width": 2.5}
            self._add(plotting.PlotDataItem(ticks_x, ticks_y, connect="finite", pen=pen))
        self._names.set_rows({-1: ("",), **{i: (b.name,) for i, b in enumerate(bars)}})
        self._values.set_rows({-1: HEADINGS, **{i: b.columns for i, b in enumerate(bars)}})
        self.plot.setXRange(left, right, padding=0)
        self.plot.setYRange(-1.5, len(bars) - 0.4, padding=0)

    def _add(self, item) -> None:
        self.plot.addItem(item)
        self._items.append(item)

    def _on_clicked(self, event) -> None:
        self.setFocus()
        row = round(self.plot.getViewBox().mapSceneToView(event.scenePos()).y())
        if 0 <= row < len(self._bars):
            self.chosen.emit(self._bars[row].target)

    def keyPressEvent(self, event) -> None:
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        targets = [bar.target for bar in self._bars]
        if event.key() in steps and self._choice in targets:
            row = targets.index(self._choice) + steps[event.key()]
            self.chosen.emit(targets[row % len(targets)])
        else:
            super().keyPressEvent(event)
