"""Predicted time of the chosen target against iTime, with its worst moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from shaderlab import units
from shaderlab.app.panels.targets.moments import Moment, is_even, worst
from shaderlab.app.qt import QtWidgets, QWidget, Signal
from shaderlab.app.widgets.elided_label import ElidedLabel
from shaderlab.app.widgets.theme import Theme
from shaderlab.app.widgets.veil import Veil

if TYPE_CHECKING:
    from shaderlab.app.panels.targets.moments_curve import MomentsCurve

ENDS_S = (5.0, 10.0, 30.0, 60.0, 120.0)


class TimeChart(QWidget):
    """A curve, and the controls that have it traced."""

    wanted = Signal(float)
    """Trace from time 0 to so many seconds."""
    stopped = Signal()
    moment_chosen = Signal(float)
    """Predict at this time from now on."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._curves: Mapping[str, Sequence[Moment]] = {}
        self._target = ""
        self._running, self._note = False, ""
        self.end = QtWidgets.QComboBox()
        for end_s in ENDS_S:
            self.end.addItem(f"0 to {end_s:g} s", end_s)
        self.end.setCurrentIndex(ENDS_S.index(30.0))
        self.end.setAccessibleName("Range of iTime")
        self.button = QtWidgets.QPushButton()
        self.button.clicked.connect(self._on_button)
        self.go = QtWidgets.QPushButton("Predict the worst moment")
        self.go.clicked.connect(self._on_go)
        self._text = ElidedLabel()
        self._text.setProperty("role", "dim")
        row = QtWidgets.QHBoxLayout()
        row.setContentsMargins(11, 2, 6, 2)
        row.setSpacing(8)
        row.addWidget(self.end)
        row.addWidget(self.button)
        row.addWidget(self._text, 1)
        row.addWidget(self.go)
        self._theme, self._budget_s, self._outdated = theme, None, False
        self.curve: MomentsCurve | None = None
        """Made when the chart is first seen: pyqtgraph takes a second to import."""
        self._veil: Veil | None = None
        self._column = column = QtWidgets.QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row)
        self._draw()

    def show_curves(
        self,
        curves: Mapping[str, Sequence[Moment]],
        running: bool,
        note: str,
        *,
        outdated: bool = False,
    ) -> None:
        """By target, ascending in time.  `note`: progress, or what went wrong."""
        self._curves, self._running, self._note = curves, running, note
        self._outdated = outdated
        self._draw()

    def choose(self, target: str, budget_s: float | None) -> None:
        """Show this target's curve, and the budget as a line."""
        if (target, budget_s) != (self._target, self._budget_s):
            self._target, self._budget_s = target, budget_s
            self._draw()

    @property
    def worst(self) -> Moment | None:
        return worst(self._curves.get(self._target, ()))

    @property
    def text(self) -> str:
        return self._text.text()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        if self.curve is not None:
            self.curve.set_theme(theme)

    def showEvent(self, event) -> None:
        super().showEvent(event)
        if self.curve is None:
            from shaderlab.app.panels.targets.moments_curve import MomentsCurve

            self.curve = MomentsCurve(self._theme)
            self._veil = Veil(self.curve)
            self._column.addWidget(self.curve, 1)
            self._draw()

    def _draw(self) -> None:
        if self.curve is not None and self._veil is not None:
            self.curve.show_moments(self._curves.get(self._target, ()), self._budget_s)
            self._veil.set_drawn(self._outdated and bool(self._curves))
        self.button.setText("Stop" if self._running else "Compute")
        self.end.setEnabled(not self._running)
        found, parts = self.worst, [self._note] if self._note else []
        if found is not None and is_even(self._curves[self._target]):
            found = None
            parts.insert(0, "The time is the same at all these moments")
        elif found is not None:
            parts.insert(0, f"Worst: {units.seconds(found.seconds)} at t = {found.time_s:.3g} s")
        elif not parts:
            parts.append("Counts the frame at several values of iTime and predicts each")
        self._text.setText(" \u00b7 ".join(parts))
        self.go.setVisible(found is not None)

    def _on_button(self) -> None:
        if self._running:
            self.stopped.emit()
        else:
            self.wanted.emit(self.end.currentData())

    def _on_go(self) -> None:
        if self.worst is not None:
            self.moment_chosen.emit(self.worst.time_s)
