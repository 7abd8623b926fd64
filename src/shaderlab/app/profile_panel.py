"""This device: what it is, and the shader's time on it as the profiler measures it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from shaderlab import units
from shaderlab.app.empty_state import EmptyState
from shaderlab.app.qt import QAction, Qt, QtGui, QtWidgets, QWidget, Signal
from shaderlab.app.theme import Theme
from shaderlab.gpu.trials import plan
from shaderlab.gpu.uniforms import Uniforms

_FIGURES = 6

if TYPE_CHECKING:
    from shaderlab.app.trials_chart import TrialsChart
    from shaderlab.gpu.device_info import DeviceInfo
    from shaderlab.gpu.measurement import Measurement


def device_text(info: DeviceInfo) -> str:
    """The device in one line, a software driver named as such."""
    if info.kind == "software":
        return f"{info.name}: a software driver, so this is the time of the CPU"
    return f"{info.name} · {info.driver}"


def figures_of(measurement: Measurement, software: bool) -> tuple[tuple[str, str, str], ...]:
    """Caption, value and explanation of each number worth showing.

    The time of all cores is told for software drivers only.
    """
    rejected = len(measurement.rejected)
    figures = [
        ("mean", units.seconds(measurement.time_s), "Mean time per draw over the trials kept"),
        ("median", units.seconds(measurement.median_s), "Median over the trials kept"),
        (
            "variation",
            units.percent(measurement.cv),
            "Standard deviation over mean of the trials kept",
        ),
        (
            "floor",
            units.seconds(measurement.floor_s),
            "Time of a render pass on this device that draws one colour: nothing can be faster",
        ),
        (
            "rejected",
            f"{rejected} of {len(measurement.trials_s)}",
            "Trials further than 7 median absolute deviations from the median",
        ),
    ]
    if software and measurement.cpu_trials_s:
        cpu_s = float(np.mean(np.delete(measurement.cpu_trials_s, measurement.rejected)))
        tip = "Seconds of all cores per draw: what other programs do matters less to it"
        figures.append(("CPU time", units.seconds(cpu_s), tip))
    return tuple(figures)


def estimate_s(frame_gpu_s: float, frame_size: tuple[int, int], trials: int, draws: int) -> float:
    """Seconds a profile at the canonical size will take about, from the time of a preview frame."""
    width, height = Uniforms().size
    draw_s = frame_gpu_s * (width * height) / (frame_size[0] * frame_size[1])
    if not math.isfinite(draw_s):
        return math.nan
    chosen = plan(draw_s, trials, draws)
    return draw_s * (2 + (chosen.trials + 1) * chosen.draws)


class ProfilePanel(QWidget):
    """Emits what to do; shows what came of it."""

    plan_changed = Signal(int, int)
    """Trials, draws per trial."""

    def __init__(self, theme: Theme, profile: QAction, stop: QAction, trials: int, draws: int):
        super().__init__()
        self._theme = theme
        self._measurement: Measurement | None = None
        self._device = QtWidgets.QLabel()
        self._device.setProperty("role", "dim")
        self._device.setWordWrap(True)
        self._trials = _NumberField(trials, 2, 200, "Trials: independent timings")
        self._draws = _NumberField(
            draws, 1, 1000, "Draws per trial, each in a render pass of its own"
        )
        for field in (self._trials, self._draws):
            field.changed.connect(lambda: self.plan_changed.emit(*self.plan))
        self._profile = _push(profile)
        self._stop = _push(stop)
        self._estimate = QtWidgets.QLabel()
        self._estimate.setProperty("role", "dim")
        row = QtWidgets.QHBoxLayout()
        row.setSpacing(6)
        row.addWidget(self._profile)
        row.addWidget(self._stop)
        row.addSpacing(6)
        row.addWidget(self._trials)
        row.addWidget(QtWidgets.QLabel("trials of"))
        row.addWidget(self._draws)
        row.addWidget(QtWidgets.QLabel("draws"))
        row.addSpacing(6)
        row.addWidget(self._estimate)
        row.addStretch(1)
        head = QWidget()
        head.setProperty("role", "content")
        head.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        column = QtWidgets.QVBoxLayout(head)
        column.setContentsMargins(10, 8, 10, 8)
        column.setSpacing(8)
        column.addWidget(self._device)
        column.addLayout(row)

        self._figures = QtWidgets.QGridLayout()
        self._figures.setHorizontalSpacing(22)
        self._figures.setVerticalSpacing(0)
        self._values: list[QtWidgets.QLabel] = []
        for i in range(_FIGURES):
            caption, value = QtWidgets.QLabel(), QtWidgets.QLabel()
            caption.setProperty("role", "dim")
            value.setProperty("role", "title")
            self._figures.addWidget(caption, 0, i)
            self._figures.addWidget(value, 1, i)
            self._values += [caption, value]
        self._figures.setColumnStretch(_FIGURES, 1)
        self._about = QtWidgets.QLabel()
        self._about.setProperty("role", "dim")
        self._about.setContentsMargins(0, 4, 0, 0)
        self.chart: TrialsChart | None = None
        result = QWidget()
        result.setProperty("role", "content")
        result.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._inside = inside = QtWidgets.QVBoxLayout(result)
        inside.setContentsMargins(10, 0, 10, 6)
        inside.setSpacing(6)
        inside.addLayout(self._figures)
        inside.addWidget(self._about)
        self._result = result
        self.empty = EmptyState(theme)
        self._stack = QtWidgets.QStackedWidget()
        self._stack.addWidget(self.empty)
        self._stack.addWidget(result)
        layout = QtWidgets.QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(head)
        layout.addWidget(self._stack, 1)
        self.set_running(False)
        self.set_theme(theme)

    def prepare(self) -> None:
        """Load the chart, which is left out of the start."""
        if self.chart is None:
            from shaderlab.app.trials_chart import TrialsChart

            self.chart = TrialsChart(self._theme)
            self._inside.insertWidget(1, self.chart, 1)

    @property
    def plan(self) -> tuple[int, int]:
        """Trials, draws per trial."""
        return self._trials.value, self._draws.value

    def show_device(self, info: DeviceInfo) -> None:
        self._device.setText(device_text(info))

    def show_estimate(self, seconds: float | None) -> None:
        known = seconds is not None and math.isfinite(seconds) and seconds > 0
        self._estimate.setText(f"about {units.seconds(seconds)}" if known else "")

    def set_running(self, running: bool) -> None:
        self._profile.setVisible(not running)
        self._stop.setVisible(running)
        self._trials.setEnabled(not running)
        self._draws.setEnabled(not running)

    def set_stale(self, stale: bool) -> None:
        """Say whether the text changed since it was profiled."""
        if self._measurement is not None:
            m = self._measurement
            plan_text = f"{len(m.trials_s)} trials of {m.draws} draw{'s' * (m.draws > 1)}"
            width, height = m.size
            about = f"{plan_text} at {width} \u00d7 {height}"
            self._about.setText(f"{about} \u00b7 before the latest change" if stale else about)

    def show_measurement(self, measurement: Measurement, software: bool) -> None:
        self.prepare()
        self._measurement = measurement
        figures = figures_of(measurement, software)
        for i in range(_FIGURES):
            caption, value, tip = figures[i] if i < len(figures) else ("", "", "")
            self._values[2 * i].setText(caption)
            self._values[2 * i + 1].setText(value)
            self._values[2 * i].setToolTip(tip)
            self._values[2 * i + 1].setToolTip(tip)
        self.set_stale(False)
        self.chart.show_measurement(measurement)
        self._stack.setCurrentWidget(self._result)

    def show_empty(self) -> None:
        """Show what `empty` says in place of a result."""
        self._measurement = None
        self._stack.setCurrentWidget(self.empty)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        if self.chart is not None:
            self.chart.set_theme(theme)
        self.empty.set_theme(theme)


class _NumberField(QtWidgets.QLineEdit):
    """A whole number between limits; the arrow keys count."""

    changed = Signal()

    def __init__(self, value: int, low: int, high: int, tip: str):
        super().__init__(str(value))
        self._low, self._high, self._value = low, high, value
        self.setValidator(QtGui.QIntValidator(low, high, self))
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setToolTip(f"{tip} ({low} to {high})")
        self.setFixedWidth(self.fontMetrics().horizontalAdvance("00000") + 16)
        self.editingFinished.connect(lambda: self._set(int(self.text())))

    @property
    def value(self) -> int:
        return self._value

    def keyPressEvent(self, event) -> None:
        step = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1}.get(event.key())
        if step is None:
            super().keyPressEvent(event)
        else:
            self._set(self._value + step)

    def focusOutEvent(self, event) -> None:
        if not self.hasAcceptableInput():
            self.setText(str(self._value))
        super().focusOutEvent(event)

    def _set(self, value: int) -> None:
        value = min(max(value, self._low), self._high)
        self.setText(str(value))
        if value != self._value:
            self._value = value
            self.changed.emit()


def _push(action: QAction) -> QtWidgets.QToolButton:
    button = QtWidgets.QToolButton()
    button.setDefaultAction(action)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    button.setProperty("role", "push")
    return button
