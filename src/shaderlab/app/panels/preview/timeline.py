"""The preview's time as a slider: dragged, stepped, looped."""

from __future__ import annotations

from shaderlab.app.qt import QActionGroup, QSize, Qt, QtWidgets, QWidget, Signal
from shaderlab.app.widgets import icons
from shaderlab.app.widgets.theme import Theme

Loop = tuple[float, float]
"""Start and end, seconds."""

_HORIZONS_S = (10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0)
"""Ends of the slider while nothing is looped: the first that the time has not passed."""
_STEPS_PER_S = 60
_LENGTHS_S = (1.0, 2.0, 5.0, 10.0)
_LEAST_S = 1 / 30
"""Of a loop."""


def horizon_s(time_s: float) -> float:
    """Where the slider ends for a time that may go on."""
    return next((end for end in _HORIZONS_S if time_s <= end), time_s)


class Timeline(QWidget):
    """One row over the preview's bar."""

    sought = Signal(float)
    """The user wants to see this time, seconds."""
    loop_chosen = Signal(object)
    """The `Loop` that the user wants, or None."""

    def __init__(self, theme: Theme):
        super().__init__()
        self.setProperty("role", "strip")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._time_s = 0.0
        self.loop: Loop | None = None
        self.slider = QtWidgets.QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName("Time (iTime)")
        self.slider.setPageStep(_STEPS_PER_S)
        self.slider.setMinimumWidth(60)
        self.slider.valueChanged.connect(self._on_slider)
        self.button = QtWidgets.QToolButton()
        self.button.setIconSize(QSize(16, 16))
        self.button.setPopupMode(QtWidgets.QToolButton.ToolButtonPopupMode.InstantPopup)
        self._menu = QtWidgets.QMenu(self)
        self._menu.aboutToShow.connect(self._fill)
        self.button.setMenu(self._menu)
        self._start, self._end = QtWidgets.QLabel(), QtWidgets.QLabel()
        for label in (self._start, self._end):
            label.setProperty("role", "dim")
        row = QtWidgets.QHBoxLayout(self)
        row.setContentsMargins(8, 2, 8, 0)
        row.setSpacing(6)
        for widget in (self._start, self.slider, self._end, self.button):
            row.addWidget(widget, int(widget is self.slider))
        self.set_theme(theme)
        self.show_time(0.0)

    def show_time(self, seconds: float) -> None:
        """Where the preview is; while the slider is held it stays under the pointer."""
        self._time_s = seconds
        if not self.slider.isSliderDown():
            self._draw()

    def show_loop(self, loop: Loop | None) -> None:
        self.loop = loop
        self._draw()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._show_button()

    def _draw(self) -> None:
        start, end = self.loop or (0.0, horizon_s(self._time_s))
        blocked = self.slider.blockSignals(True)
        self.slider.setRange(round(start * _STEPS_PER_S), round(end * _STEPS_PER_S))
        self.slider.setValue(round(self._time_s * _STEPS_PER_S))
        self.slider.blockSignals(blocked)
        self._start.setText(f"{start:g} s")
        self._end.setText(f"{end:g} s")
        self._show_button()

    def _show_button(self) -> None:
        looped = self.loop is not None
        colour = self._theme.accent if looped else None
        self.button.setIcon(icons.icon("loop", self._theme, colour))
        text = "Loop {:g} to {:g} s".format(*self.loop) if self.loop else "Loop a range of time"
        if self.button.toolTip() != text:
            self.button.setToolTip(text)
            self.button.setAccessibleName(text)

    def _on_slider(self, value: int) -> None:
        self.sought.emit(value / _STEPS_PER_S)

    def _fill(self) -> None:
        menu, now, group = self._menu, self._time_s, QActionGroup(self._menu)
        menu.clear()
        start, end = self.loop or (0.0, horizon_s(now))
        here = round(now, 2)
        choices: list[tuple[str, Loop | None]] = [("No loop", None)]
        choices += [(f"Loop 0 to {length:g} s", (0.0, length)) for length in _LENGTHS_S]
        if self.loop is not None and self.loop not in [loop for _, loop in choices]:
            choices.append(("Loop {:g} to {:g} s".format(*self.loop), self.loop))
        for text, loop in choices:
            entry = group.addAction(text)
            entry.setCheckable(True)
            entry.setChecked(loop == self.loop)
            entry.triggered.connect(lambda _=False, loop=loop: self.loop_chosen.emit(loop))
            menu.addAction(entry)
        menu.addSeparator()
        for text, loop in (
            (f"Loop from here ({here:g} s)", (here, max(end, here + 1.0))),
            (f"Loop up to here ({here:g} s)", (min(start, here), here)),
        ):
            entry = menu.addAction(text)
            entry.setEnabled(loop[1] - loop[0] >= _LEAST_S)
            entry.triggered.connect(lambda _=False, loop=loop: self.loop_chosen.emit(loop))
