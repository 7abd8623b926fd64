"""How the time follows the size of the picture, or the clock."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from shaderlab.app.panels.studies import scale_rows as rows
from shaderlab.app.panels.studies.study_parts import (
    controls_bar,
    offer_targets,
    results_table,
    summary_label,
)
from shaderlab.app.qt import Qt, QtWidgets, QWidget, Signal
from shaderlab.app.widgets.boxes import pages, vertical
from shaderlab.app.widgets.empty_state import EmptyState
from shaderlab.app.widgets.theme import Theme
from shaderlab.app.widgets.veil import Veil
from shaderlab.studies.scaling import ClockStudy, SizeStudy

if TYPE_CHECKING:
    from shaderlab.app.panels.studies.scale_chart import ScaleChart

SIZE, CLOCK = "size", "clock"
_OLD = "from an earlier version of the shader"
_HINTS = {
    SIZE: (
        "See how the time follows the size of the picture",
        "Measures it here at five sizes, projects to larger ones, and counts it at each size for "
        "the target.",
    ),
    CLOCK: (
        "See how the time follows the clock",
        "Uses samples that you recorded of this shader at different clocks. shaderlab reads "
        "clocks and never sets them: hold the clock with the vendor's tool, and record at each.",
    ),
}


class ScaleView(QWidget):
    """Emits what to study; shows the result."""

    study_wanted = Signal(str)
    """`SIZE` or `CLOCK`."""
    stop_wanted = Signal()

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme = theme
        self._found: SizeStudy | ClockStudy | None = None
        self._chart: ScaleChart | None = None
        self._busy = False
        self.over = QtWidgets.QComboBox()
        self.over.addItem("Over the size", SIZE)
        self.over.addItem("Over the clock", CLOCK)
        self.over.setAccessibleName("What varies")
        self.targets = QtWidgets.QComboBox()
        self.targets.setSizeAdjustPolicy(QtWidgets.QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.targets.setToolTip("The target whose times are drawn")
        self.targets.setAccessibleName("Target")
        self.start = QtWidgets.QPushButton("Measure")
        self.stop = QtWidgets.QPushButton("Stop")
        self.state = QtWidgets.QLabel()
        self.state.setProperty("role", "dim")
        head = controls_bar((self.over, self.targets, self.start, self.stop, self.state))
        self.sizes, self.clocks = rows.SizeRows(), rows.ClockRows()
        self.table = results_table(self.sizes)
        self.summary = summary_label()
        self._result = QtWidgets.QSplitter(Qt.Orientation.Vertical)
        self._result.setHandleWidth(1)
        self._result.addWidget(self.table)
        self.veil = Veil(self._result)
        self.empty = EmptyState(theme)
        self._stack = pages(self.empty, self._result)
        vertical(self, head, self._stack, self.summary, largest=self._stack)
        self.over.currentIndexChanged.connect(self._on_over)
        self.targets.currentIndexChanged.connect(self._redraw)
        self.start.clicked.connect(lambda: self.study_wanted.emit(self.over.currentData()))
        self.stop.clicked.connect(self.stop_wanted)
        self.show_state("", busy=False)
        self._on_over()
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.empty.set_theme(theme)
        if self._chart is not None:
            self._chart.set_theme(theme)
        metrics = self.table.fontMetrics()
        self.table.verticalHeader().setDefaultSectionSize(metrics.height() + 9)

    def offer_targets(self, names: Mapping[str, str], chosen: str) -> None:
        """Targets by slug with the name to show."""
        offer_targets(self.targets, names, chosen)

    @property
    def target(self) -> str:
        """Slug; empty before there are targets."""
        return self.targets.currentData() or ""

    def show_state(self, text: str, *, busy: bool) -> None:
        self._busy = busy
        self.state.setText(text)
        self.stop.setVisible(busy)
        self.start.setEnabled(not busy)
        self.over.setEnabled(not busy)

    def show_study(self, found: SizeStudy | ClockStudy) -> None:
        """Replace the result."""
        from shaderlab.app.panels.studies.scale_chart import ScaleChart  # needs pyqtgraph

        if self._chart is None:
            self._chart = ScaleChart(self._theme)
            self._result.insertWidget(0, self._chart)
            self._result.setSizes([200, 160])
        self._found = found
        self.table.setModel(self.sizes if isinstance(found, SizeStudy) else self.clocks)
        self._redraw()
        self.set_stale(False)
        self._stack.setCurrentWidget(self._result)

    def say_none(self, title: str, hint: str) -> None:
        """Why there is no result."""
        self.empty.say("targets", title, hint)
        self._stack.setCurrentWidget(self.empty)
        self.summary.hide()

    def set_stale(self, stale: bool) -> None:
        """Dim a result that is of another text."""
        self.veil.set_drawn(stale)
        if self._found is not None:
            shown = self._summary()
            self.summary.setText(f"{shown} · {_OLD}" if stale else shown)

    def _on_over(self) -> None:
        over = self.over.currentData()
        self.start.setText("Measure" if over == SIZE else "Look in the samples")
        self.targets.setVisible(over == SIZE)
        shown = SIZE if isinstance(self._found, SizeStudy) else CLOCK
        if self._found is None or shown != over:
            self._found = None
            self.veil.set_drawn(False)
            self.say_none(*_HINTS[over])

    def _summary(self) -> str:
        if isinstance(self._found, SizeStudy):
            return rows.size_summary(self._found, self.target, self.targets.currentText())
        return rows.clock_summary(self._found) if self._found is not None else ""

    def _redraw(self) -> None:
        if self._found is None or self._chart is None:
            return
        if isinstance(self._found, SizeStudy):
            self._chart.show_study(rows.of_sizes(self._found, self.target), "pixels")
            self.sizes.set_rows(rows.size_rows(self._found, self.target))
        else:
            self._chart.show_study(rows.of_clocks(self._found), "clock, MHz")
            self.clocks.set_rows(rows.clock_rows(self._found))
        self.summary.setText(self._summary())
        self.summary.show()
