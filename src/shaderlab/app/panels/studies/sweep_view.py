"""The sweep: what to vary, curves and values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from shaderlab.app.panels.studies.rows import Knob, Row, rows, summary
from shaderlab.app.panels.studies.study_parts import controls_bar, offer_targets, results_table
from shaderlab.app.qt import Qt, QtWidgets, QWidget, Signal
from shaderlab.app.widgets.boxes import pages, vertical
from shaderlab.app.widgets.empty_state import EmptyState
from shaderlab.app.widgets.row_model import Index, RowModel
from shaderlab.app.widgets.theme import Theme
from shaderlab.app.widgets.veil import Veil
from shaderlab.studies.curves import KNEE

if TYPE_CHECKING:
    from shaderlab.app.panels.studies.sweep_chart import SweepChart
    from shaderlab.studies.sweep import Sweep

_VALUE = 0
_HOW = "A list (8,16,32) or a range with both ends (10:50:10; 8:128:x2 doubles)"


class _Rows(RowModel):
    columns = ("Value", "Predicted", "Band", "Measured here", "Changed", "PSNR")
    tips = (
        "The value used in this row",
        "Time per draw on the target; every value is compiled, counted and predicted separately",
        "Holds the share of held-out shaders that the target's details give",
        "Time per draw on this machine's device",
        "Pixels off by more than 1 of 255 from the picture of the reference",
        "Peak signal-to-noise ratio: above 40 dB hardly anyone sees the difference",
    )
    words = frozenset({_VALUE})
    rows: tuple[Row, ...]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row, column = self.rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            mark = " (knee)" if row.is_knee else " (reference)" if row.is_reference else ""
            cells = (row.value + mark, row.predicted, row.band, row.measured, row.changed, row.psnr)
            return cells[column]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self.alignment(column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"Knee: {KNEE}" if row.is_knee and column == _VALUE else row.tip
        return None


class SweepView(QWidget):
    """Emits what to sweep; shows the result."""

    sweep_wanted = Signal(str, str, str, bool)
    """Name, values, target, whether to measure here."""
    stop_wanted = Signal()

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme = theme
        self._knobs: tuple[Knob, ...] = ()
        self._found: Sweep | None = None
        self._chart: SweepChart | None = None
        self.names = QtWidgets.QComboBox()
        self.names.setSizeAdjustPolicy(QtWidgets.QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.names.setToolTip("A #define, constant, specialisation constant or input of the shader")
        self.names.setAccessibleName("What to sweep")
        self.values = QtWidgets.QLineEdit()
        self.values.setToolTip(_HOW)
        self.values.setAccessibleName("Values")
        self.values.setMinimumWidth(130)
        self.targets = QtWidgets.QComboBox()
        self.targets.setToolTip("The target whose times are drawn")
        self.targets.setAccessibleName("Target")
        self.measure = QtWidgets.QCheckBox("Measure here")
        self.measure.setToolTip("Also time every value on this machine's device")
        self.start = QtWidgets.QPushButton("Sweep")
        self.stop = QtWidgets.QPushButton("Stop")
        self.state = QtWidgets.QLabel()
        self.state.setProperty("role", "dim")
        head = controls_bar(
            (self.names, self.values, self.targets, self.measure, self.start, self.stop, self.state)
        )
        self.model = _Rows()
        self.table = results_table(self.model)
        self.summary = QtWidgets.QLabel()
        self.summary.setProperty("role", "dim")
        self.summary.setWordWrap(True)
        self.summary.setContentsMargins(10, 5, 10, 5)
        self._result = QtWidgets.QSplitter(Qt.Orientation.Vertical)
        self._result.setHandleWidth(1)
        self._result.addWidget(self.table)
        self.veil = Veil(self._result)
        self.empty = EmptyState(theme)
        self._stack = pages(self.empty, self._result)
        vertical(self, head, self._stack, self.summary, largest=self._stack)
        self.names.currentIndexChanged.connect(self._on_name)
        self.targets.currentIndexChanged.connect(self._redraw)
        self.start.clicked.connect(self._on_start)
        self.values.returnPressed.connect(self._on_start)
        self.stop.clicked.connect(self.stop_wanted)
        self.summary.hide()
        self.show_state("", busy=False)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.empty.set_theme(theme)
        if self._chart is not None:
            self._chart.set_theme(theme)
        metrics = self.table.fontMetrics()
        self.table.verticalHeader().setDefaultSectionSize(metrics.height() + 9)

    def offer(self, knobs: Sequence[Knob]) -> None:
        """What the shader has to sweep; the choice and its values stay where they still hold."""
        if tuple(knobs) == self._knobs:
            return
        chosen = self.names.currentData()
        self._knobs = tuple(knobs)
        self.names.blockSignals(True)
        self.names.clear()
        for each in self._knobs:
            self.names.addItem(each.text, each.name)
        place = self.names.findData(chosen) if chosen else -1
        self.names.setCurrentIndex(max(place, 0) if self._knobs else -1)
        self.names.blockSignals(False)
        if place < 0:
            self._on_name()
        self._enable()

    def offer_targets(self, names: Mapping[str, str], chosen: str) -> None:
        """Targets by slug with the name to show."""
        offer_targets(self.targets, names, chosen)
        self._enable()

    @property
    def target(self) -> str:
        """Slug; empty before there are targets."""
        return self.targets.currentData() or ""

    @property
    def present_value(self) -> str:
        """Of what is chosen, in the shader as it stands; empty where nothing is."""
        place = self.names.currentIndex()
        return self._knobs[place].value if place >= 0 else ""

    def show_state(self, text: str, *, busy: bool) -> None:
        self._busy = busy
        self.state.setText(text)
        self.stop.setVisible(busy)
        self._enable()

    def show_sweep(self, found: Sweep) -> None:
        """Replace the result."""
        from shaderlab.app.panels.studies.sweep_chart import SweepChart  # needs pyqtgraph

        if self._chart is None:
            self._chart = SweepChart(self._theme)
            self._result.insertWidget(0, self._chart)
            self._result.setSizes([200, 120])
        self._found = found
        self._redraw()
        self.set_stale("")
        self._stack.setCurrentWidget(self._result)

    def show_empty(self) -> None:
        """Show what `empty` says in place of a result."""
        self._found = None
        self.summary.hide()
        self._stack.setCurrentWidget(self.empty)

    def set_stale(self, why: str) -> None:
        """Dim a result that is of another text."""
        self.veil.set_drawn(bool(why))
        if self._found is not None:
            shown = summary(self._found, self.target, self.targets.currentText())
            self.summary.setText(f"{shown} · {why}" if why else shown)

    def _redraw(self) -> None:
        if self._found is None or self._chart is None:
            return
        self._chart.show_sweep(self._found, self.target)
        self._chart.setVisible(len(self._found.points) > 1)
        self.model.set_rows(rows(self._found, self.target))
        shown = summary(self._found, self.target, self.targets.currentText())
        self.summary.setText(shown)
        self.summary.setVisible(bool(shown))

    def _on_name(self) -> None:
        place = self.names.currentIndex()
        self.values.setText(self._knobs[place].suggested if place >= 0 else "")

    def _on_start(self) -> None:
        if self.start.isEnabled():
            name = self.names.currentData()
            self.sweep_wanted.emit(name, self.values.text(), self.target, self.measure.isChecked())

    def _enable(self) -> None:
        self.start.setEnabled(not self._busy and bool(self._knobs) and self.targets.count() > 0)
        self.names.setEnabled(bool(self._knobs))
        self.values.setEnabled(bool(self._knobs))
