"""This device: what it is, and the shader's time on it as the profiler measures it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from shaderlab import units
from shaderlab.app.panels.profile.figures import (
    clock_text,
    device_text,
    fewer_text,
    figures_of,
    sizes_text,
    statistics_text,
)
from shaderlab.app.qt import QAction, Qt, QtGui, QtWidgets, QWidget, Signal
from shaderlab.app.widgets.boxes import pages, vertical
from shaderlab.app.widgets.empty_state import EmptyState
from shaderlab.app.widgets.flow_layout import FlowLayout
from shaderlab.app.widgets.push_button import push_button
from shaderlab.app.widgets.theme import Theme
from shaderlab.app.widgets.veil import Veil

_FIGURES = 8
_COLUMNS = 4
_CHARTS = (
    ("Trials", "All trials in order"),
    ("Sizes", "Time over resolution: cost per pixel and per pass"),
    ("Passes", "Every pass of the frame, and their sum"),
)
PASSES = 2
"""Its place among them."""
_NO_SIZES = "Not measured at several resolutions yet"

if TYPE_CHECKING:
    from shaderlab.app.panels.profile.passes_view import PassesView
    from shaderlab.app.panels.profile.sizes_chart import SizesChart
    from shaderlab.app.panels.profile.trials_chart import TrialsChart
    from shaderlab.app.session.profile_run import FrameProfile
    from shaderlab.gpu.device_info import DeviceInfo
    from shaderlab.gpu.measurement import Measurement


class ProfilePanel(QWidget):
    """Emits what to do; shows the result."""

    plan_changed = Signal(int, int)
    """Trials, draws per trial."""

    def __init__(
        self, theme: Theme, profile: QAction, sizes: QAction, stop: QAction, trials: int, draws: int
    ):
        super().__init__()
        self._theme = theme
        self._measurement: Measurement | None = None
        self._asked: tuple[int, int] | None = None
        self._software = self._stale = False
        self._device = QtWidgets.QLabel()
        self._device.setProperty("role", "dim")
        self._device.setWordWrap(True)
        self._trials = _NumberField(trials, 2, 200, "Trials: independent timings")
        self._draws = _NumberField(draws, 1, 1000, "Draws per trial, each in its own render pass")
        for field in (self._trials, self._draws):
            field.changed.connect(lambda: self.plan_changed.emit(*self.plan))
        self._profile, self._sizes = push_button(profile), push_button(sizes)
        self._sizes.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        self._stop = push_button(stop)
        self._estimate = QtWidgets.QLabel()
        self._estimate.setProperty("role", "dim")
        row = FlowLayout()
        row.addWidget(self._profile)
        row.addWidget(self._sizes)
        row.addWidget(self._stop)
        row.addWidget(self._trials)
        row.addWidget(QtWidgets.QLabel("trials of"))
        row.addWidget(self._draws)
        row.addWidget(QtWidgets.QLabel("draws"))
        row.addWidget(self._estimate)
        head = QWidget()
        head.setProperty("role", "content")
        head.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        column = QtWidgets.QVBoxLayout(head)
        column.setContentsMargins(10, 8, 10, 8)
        column.setSpacing(8)
        self._top = QtWidgets.QHBoxLayout()
        self._top.addWidget(self._device, 1)
        column.addLayout(self._top)
        column.addLayout(row)

        self._figures = QtWidgets.QGridLayout()
        self._figures.setHorizontalSpacing(6)
        self._figures.setVerticalSpacing(2)
        self._values: list[QtWidgets.QLabel] = []
        for i in range(_FIGURES):
            caption, value = QtWidgets.QLabel(), QtWidgets.QLabel()
            caption.setProperty("role", "dim")
            value.setProperty("role", "title")
            at, column = divmod(i, _COLUMNS)
            self._figures.addWidget(caption, at, 3 * column)
            self._figures.addWidget(value, at, 3 * column + 1)
            self._figures.setColumnMinimumWidth(3 * column + 2, 12)
            self._values += [caption, value]
        self._figures.setColumnStretch(3 * _COLUMNS, 1)
        self._about = QtWidgets.QLabel()
        self._about.setProperty("role", "dim")
        self._about.setContentsMargins(0, 4, 0, 0)
        self._about.setWordWrap(True)
        self._made_charts: tuple[TrialsChart, SizesChart, PassesView] | None = None
        self._charts = QtWidgets.QStackedWidget()
        self._kinds = QtWidgets.QButtonGroup(self)
        kinds = QtWidgets.QVBoxLayout()
        kinds.setSpacing(0)
        for number, (text, tip) in enumerate(_CHARTS):
            kind = QtWidgets.QToolButton()
            kind.setText(text)
            kind.setToolTip(tip)
            kind.setCheckable(True)
            kind.setChecked(number == 0)
            kind.setSizePolicy(
                QtWidgets.QSizePolicy.Policy.Expanding, QtWidgets.QSizePolicy.Policy.Fixed
            )
            self._kinds.addButton(kind, number)
            kinds.addWidget(kind)
        self._kinds.idClicked.connect(self.show_chart)
        self._by_size: tuple[Measurement, ...] = ()
        self._note = ""
        result = QWidget()
        result.setProperty("role", "content")
        result.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        inside = QtWidgets.QVBoxLayout(result)
        inside.setContentsMargins(10, 0, 10, 6)
        inside.setSpacing(6)
        top = QtWidgets.QHBoxLayout()
        top.addLayout(self._figures, 1)
        top.addLayout(kinds)
        inside.addLayout(top)
        inside.addWidget(self._charts, 1)
        inside.addWidget(self._about)
        self._result = result
        self.veil = Veil(result)
        self.empty = EmptyState(theme)
        self._stack = pages(self.empty, result)
        vertical(self, head, self._stack, largest=self._stack)
        self.set_running(False)
        self.set_theme(theme)

    @property
    def charts(self) -> tuple[TrialsChart, SizesChart, PassesView]:
        """Of trials, sizes and passes; made on first use, to keep them out of the start."""
        if self._made_charts is None:
            from shaderlab.app.panels.profile.passes_view import PassesView
            from shaderlab.app.panels.profile.sizes_chart import SizesChart
            from shaderlab.app.panels.profile.trials_chart import TrialsChart

            theme = self._theme
            self._made_charts = TrialsChart(theme), SizesChart(theme), PassesView(theme)
            for chart in self._made_charts:
                self._charts.addWidget(chart)
        return self._made_charts

    def show_chart(self, number: int) -> None:
        """0 for the trials, 1 for time against resolution, PASSES."""
        self._charts.setCurrentWidget(self.charts[number])
        self._kinds.button(number).setChecked(True)
        self._describe()

    def offer(self, action: QAction) -> None:
        """A button beside the device's name, for what concerns the device and not the shader."""
        self._top.addWidget(push_button(action), 0, Qt.AlignmentFlag.AlignTop)

    @property
    def plan(self) -> tuple[int, int]:
        """Trials, draws per trial."""
        return self._trials.value, self._draws.value

    def show_device(self, info: DeviceInfo) -> None:
        self._device.setText(device_text(info))

    def show_estimate(self, seconds: float | None) -> None:
        if seconds is None or not math.isfinite(seconds) or seconds <= 0:
            self._estimate.setText("")
        else:
            self._estimate.setText(f"about {units.seconds(seconds)}")

    def set_running(self, running: bool) -> None:
        self._profile.setVisible(not running)
        self._sizes.setVisible(not running)
        self._stop.setVisible(running)
        self._trials.setEnabled(not running)
        self._draws.setEnabled(not running)

    def set_stale(self, stale: bool) -> None:
        """Dim the times, and say so, where the text or the inputs changed since."""
        self._stale = stale
        self.veil.set_drawn(stale)
        self._describe()

    @property
    def about(self) -> str:
        """The text below the chart."""
        return self._about.text()

    def _describe(self) -> None:
        m = self._measurement
        if m is None:
            return
        parts = ["before the last change" * self._stale, self._note]
        sizes = self.charts[1]
        if self._charts.currentWidget() is sizes:
            line = sizes.line
            parts.append(sizes_text(line, self._software) if line else _NO_SIZES)
        else:
            plan_text = f"{len(m.trials_s)} trials of {m.draws} draw{'s' * (m.draws > 1)}"
            plan_text += fewer_text(m, self._asked)
            width, height = m.size
            parts += [f"{plan_text} at {width} \u00d7 {height}", statistics_text(m)]
        parts.append(clock_text(m.clocks, self._software))
        self._about.setText(" \u00b7 ".join(filter(None, parts)))

    def show_measurement(
        self, measurement: Measurement, software: bool, asked: tuple[int, int] | None = None
    ) -> None:
        """`asked`: trials, draws per trial that were wanted, where that is known."""
        self._measurement, self._software, self._asked = measurement, software, asked
        figures = figures_of(measurement, software)
        for i in range(_FIGURES):
            caption, value, tip = figures[i] if i < len(figures) else ("", "", "")
            self._values[2 * i].setText(caption)
            self._values[2 * i + 1].setText(value)
            self._values[2 * i].setToolTip(tip)
            self._values[2 * i + 1].setToolTip(tip)
        self.set_stale(False)
        self.charts[0].show_measurement(measurement)
        self._stack.setCurrentWidget(self._result)

    def show_sizes(self, measurements: tuple[Measurement, ...]) -> None:
        """Measurements of the program on screen at several sizes, if there are any."""
        fresh = measurements and measurements != self._by_size
        self._by_size = measurements
        self.charts[1].show_measurements(measurements, self._software)
        self.show_chart(1 if fresh else self._charts.currentIndex() if measurements else 0)

    def show_passes(self, profile: FrameProfile | None, note: str = "") -> None:
        """Of the frame that the program is one pass of; `note`: what to know of it."""
        view = self.charts[PASSES]
        fresh = profile is not None and profile is not view.profile
        view.show_profile(profile, self._software)
        self._note = note
        self._kinds.button(PASSES).setVisible(profile is not None)
        if fresh or (profile is None and self._charts.currentWidget() is view):
            self.show_chart(PASSES if fresh else 0)
        self._describe()

    def show_empty(self) -> None:
        """Show what `empty` says in place of a result."""
        self._measurement = None
        self._stack.setCurrentWidget(self.empty)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for chart in self._made_charts or ():
            chart.set_theme(theme)
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
