"""What one's own samples, or a data set, are like beside the published one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from shaderlab.app.qt import Qt, QtWidgets, QWidget, Signal
from shaderlab.app.widgets.empty_state import EmptyState
from shaderlab.app.widgets.flow_layout import FlowLayout
from shaderlab.app.widgets.theme import Theme

if TYPE_CHECKING:
    from shaderlab.app.panels.samples.decades_chart import DecadesChart
    from shaderlab.samples.statistics import DeviceStatistics

_FILES = "Data sets and stores (*.parquet *.jsonl *.db);;All files (*)"


class StatisticsView(QWidget):
    """Emits what to describe; shows it, a device at a time."""

    wanted = Signal(object)
    """Path of a data set, None for this machine's samples."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme = theme
        self._found: Sequence[DeviceStatistics] = ()
        self._chart: DecadesChart | None = None
        self.own = QtWidgets.QPushButton("These samples")
        self.own.setToolTip("Describe the samples kept on this machine")
        self.other = QtWidgets.QPushButton("Data set…")
        self.other.setToolTip("Describe a data set in a file, for example one to calibrate with")
        self.devices = QtWidgets.QComboBox()
        self.devices.setAccessibleName("Device")
        self.devices.setSizeAdjustPolicy(QtWidgets.QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.devices.hide()
        self.state = QtWidgets.QLabel()
        self.state.setProperty("role", "dim")
        row = FlowLayout()
        for each in (self.own, self.other, self.devices, self.state):
            row.addWidget(each)
        head = QWidget()
        head.setProperty("role", "content")
        head.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        column = QtWidgets.QVBoxLayout(head)
        column.setContentsMargins(10, 8, 10, 8)
        column.addLayout(row)
        self.text = QtWidgets.QLabel()
        self.text.setTextFormat(Qt.TextFormat.RichText)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.text.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.text.setWordWrap(True)
        self.text.setContentsMargins(10, 6, 10, 6)
        page = QWidget()
        page.setProperty("role", "content")
        page.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._page = QtWidgets.QVBoxLayout(page)
        self._page.setContentsMargins(0, 0, 0, 0)
        self._page.addWidget(self.text, 1)
        scroll = QtWidgets.QScrollArea()
        scroll.setWidget(page)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QtWidgets.QFrame.Shape.NoFrame)
        self.empty = EmptyState(theme)
        self.empty.say(
            "record",
            "Is this set of samples any good?",
            "Shows how many samples pass each check, what they execute and how long they take, "
            "beside the published set.",
        )
        self._stack = QtWidgets.QStackedWidget()
        self._stack.addWidget(self.empty)
        self._stack.addWidget(scroll)
        layout = QtWidgets.QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(head)
        layout.addWidget(self._stack, 1)
        self.own.clicked.connect(lambda: self._ask(None))
        self.other.clicked.connect(self._choose)
        self.devices.currentIndexChanged.connect(self._redraw)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.empty.set_theme(theme)
        if self._chart is not None:
            self._chart.set_theme(theme)
        self._redraw()

    def show_error(self, text: str) -> None:
        self.state.setText(text)
        self._enable(True)

    def show_statistics(self, name: str, found: Sequence[DeviceStatistics]) -> None:
        """`name`: of the data set."""
        from shaderlab.app.panels.samples.decades_chart import DecadesChart  # needs pyqtgraph
        from shaderlab.app.panels.samples.statistics_text import summary

        self._enable(True)
        if not found:
            self.state.setText(f"{name}: no samples")
            return
        if self._chart is None:
            self._chart = DecadesChart(self._theme)
            self._page.insertWidget(0, self._chart)
        self.state.setText(f"{name}: {summary(found)}")
        self._found = found
        self.devices.blockSignals(True)
        self.devices.clear()
        self.devices.addItems([each.device for each in found])
        self.devices.blockSignals(False)
        self.devices.setVisible(len(found) > 1)
        self._redraw()
        self._stack.setCurrentIndex(1)

    def _choose(self) -> None:
        name, _ = QtWidgets.QFileDialog.getOpenFileName(self, "Describe a data set", "", _FILES)
        if name:
            self._ask(Path(name))

    def _ask(self, path: Path | None) -> None:
        self.state.setText("Reading…")
        self._enable(False)
        self.wanted.emit(path)

    def _enable(self, able: bool) -> None:
        self.own.setEnabled(able)
        self.other.setEnabled(able)

    def _redraw(self) -> None:
        place = self.devices.currentIndex()
        if self._chart is None or not 0 <= place < len(self._found):
            return
        from shaderlab.app.panels.samples.statistics_text import html

        self._chart.show_statistics(self._found[place])
        self.text.setText(html(self._found[place], self._theme))
