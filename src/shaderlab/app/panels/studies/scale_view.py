"""How the time follows the size of the picture, or the clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shaderlab.app.panels.studies import scale_rows as rows
from shaderlab.app.panels.studies.study_parts import results_table
from shaderlab.app.panels.studies.study_view import TargetStudyView
from shaderlab.app.qt import QtWidgets, Signal
from shaderlab.app.widgets.theme import Theme
from shaderlab.studies.scaling import ClockStudy, SizeStudy

if TYPE_CHECKING:
    from shaderlab.app.panels.studies.scale_chart import ScaleChart

SIZE, CLOCK = "size", "clock"
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


class ScaleView(TargetStudyView[SizeStudy | ClockStudy]):
    """Emits what to study; shows the result."""

    HEIGHTS = (200, 160)

    wanted = Signal(str)
    """`SIZE` or `CLOCK`."""

    def __init__(self, theme: Theme):
        super().__init__(theme, "Measure")
        self.over = QtWidgets.QComboBox()
        self.over.addItem("Over the size", SIZE)
        self.over.addItem("Over the clock", CLOCK)
        self.over.setAccessibleName("What varies")
        self.sizes, self.clocks = rows.SizeRows(), rows.ClockRows()
        self.table = results_table(self.sizes)
        self.over.currentIndexChanged.connect(self._on_over)
        self.start.clicked.connect(lambda: self.wanted.emit(self.over.currentData()))
        self._arrange((self.over, self.targets), self.table)
        self._on_over()

    def _enable(self) -> None:
        super()._enable()
        self.over.setEnabled(not self._busy)

    def _on_over(self) -> None:
        over = self.over.currentData()
        self.start.setText("Measure" if over == SIZE else "Look in the samples")
        self.targets.setVisible(over == SIZE)
        shown = SIZE if isinstance(self._found, SizeStudy) else CLOCK
        if self._found is None or shown != over:
            self.say_none(*_HINTS[over])

    def _new_chart(self) -> ScaleChart:
        from shaderlab.app.panels.studies.scale_chart import ScaleChart

        return ScaleChart(self._theme)

    def _show(self, found: SizeStudy | ClockStudy) -> None:
        if isinstance(found, SizeStudy):
            self.table.setModel(self.sizes)
            self._chart.show_study(rows.of_sizes(found, self.target), "pixels")
            self.sizes.set_rows(rows.size_rows(found, self.target))
            self._say(rows.size_summary(found, self.target, self.targets.currentText()))
        else:
            self.table.setModel(self.clocks)
            self._chart.show_study(rows.of_clocks(found), "clock, MHz")
            self.clocks.set_rows(rows.clock_rows(found))
            self._say(rows.clock_summary(found))
