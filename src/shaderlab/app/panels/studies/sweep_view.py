"""The sweep: what to vary, curves and values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from shaderlab.app.panels.studies.rows import Knob, Row, rows, summary, varied
from shaderlab.app.panels.studies.study_parts import results_table
from shaderlab.app.panels.studies.study_view import TargetStudyView
from shaderlab.app.qt import Qt, QtWidgets, Signal
from shaderlab.app.widgets.row_model import Index, RowModel
from shaderlab.app.widgets.theme import Theme
from shaderlab.studies.curves import KNEE
from shaderlab.studies.sweep import Sweep

if TYPE_CHECKING:
    from shaderlab.app.panels.studies.sweep_chart import SweepChart

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


class SweepView(TargetStudyView[Sweep]):
    """Emits what to sweep; shows the result."""

    HEIGHTS = (200, 120)

    wanted = Signal(str, str, str, bool)
    """Name, values, target, whether to measure here."""

    def __init__(self, theme: Theme):
        super().__init__(theme, "Sweep")
        self._knobs: tuple[Knob, ...] = ()
        self.names = QtWidgets.QComboBox()
        self.names.setSizeAdjustPolicy(QtWidgets.QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.names.setPlaceholderText("No constants")
        self.names.setToolTip(
            "A #define, constant, specialisation constant or input of the shader. To sweep a "
            "number, name it: “const float SCALE = 0.5;”"
        )
        self.names.setAccessibleName("What to sweep")
        self.values = QtWidgets.QLineEdit()
        self.values.setToolTip(_HOW)
        self.values.setAccessibleName("Values")
        self.values.setMinimumWidth(130)
        self.measure = QtWidgets.QCheckBox("Measure here")
        self.measure.setToolTip("Also time every value on this machine's device")
        self.model = _Rows()
        self.table = results_table(self.model)
        self.names.currentIndexChanged.connect(self._on_name)
        self.start.clicked.connect(self._on_start)
        self.values.returnPressed.connect(self._on_start)
        self._arrange((self.names, self.values, self.targets, self.measure), self.table)
        self.say_none(
            "Vary a value and see what it costs",
            "Choose a constant or an input and its values: time on the target and the picture's "
            "difference are plotted together.",
        )

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

    def set_measurable(self, yes: bool) -> None:
        """Whether what is swept can be timed here as a whole: a captured frame cannot."""
        self.measure.setEnabled(yes)
        if not yes:
            self.measure.setChecked(False)

    @property
    def present_value(self) -> str:
        """Of what is chosen, in the shader as it stands; empty where nothing is."""
        place = self.names.currentIndex()
        return self._knobs[place].value if place >= 0 else ""

    def _new_chart(self) -> SweepChart:
        from shaderlab.app.panels.studies.sweep_chart import SweepChart

        return SweepChart(self._theme)

    def _show(self, found: Sweep) -> None:
        self._chart.show_sweep(found, self.target)
        self._chart.setVisible(len(found.points) > 1)
        self.model.columns = (varied(found), *_Rows.columns[1:])
        self.model.set_rows(rows(found, self.target))
        self._say(summary(found, self.target, self.targets.currentText()))

    def _on_name(self) -> None:
        place = self.names.currentIndex()
        self.values.setText(self._knobs[place].suggested if place >= 0 else "")

    def _on_start(self) -> None:
        if self.start.isEnabled():
            name = self.names.currentData()
            self.wanted.emit(name, self.values.text(), self.target, self.measure.isChecked())

    def _enable(self) -> None:
        self.start.setEnabled(not self._busy and bool(self._knobs) and self.targets.count() > 0)
        self.names.setEnabled(bool(self._knobs))
        self.values.setEnabled(bool(self._knobs))
