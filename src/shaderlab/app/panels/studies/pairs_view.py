"""How well times of one device follow from another's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from shaderlab.app.panels.studies.pair_rows import FeatureRows, MethodRows, verdict
from shaderlab.app.panels.studies.study_parts import controls_bar, results_table, summary_label
from shaderlab.app.qt import Qt, QtWidgets, QWidget, Signal
from shaderlab.app.widgets.boxes import pages, vertical
from shaderlab.app.widgets.empty_state import EmptyState
from shaderlab.app.widgets.number_boxes import whole_number_box
from shaderlab.app.widgets.theme import Theme
from shaderlab.prediction.catalogue.pair_tables import CAVEAT, CURVE, PairTable

if TYPE_CHECKING:
    from shaderlab.app.panels.studies.pairs_chart import PairsChart

_FILES = "Data sets and stores (*.parquet *.jsonl *.db);;All files (*)"


class PairsView(QWidget):
    """Shows a pair; emits that tables are wanted, or a pair of files."""

    shown = Signal()
    files_wanted = Signal(Path, Path)
    """Data sets of the host and of the target."""
    stop_wanted = Signal()
    chosen = Signal(str, str)
    """Host and target, by slug."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme = theme
        self._table: PairTable | None = None
        self._chart: PairsChart | None = None
        self._pairs: tuple[tuple[str, str], ...] = ()
        self._names: dict[str, str] = {}
        self.hosts, self.targets = QtWidgets.QComboBox(), QtWidgets.QComboBox()
        for box, name, tip in (
            (self.hosts, "Host", "The device whose times are known"),
            (self.targets, "Target", "The device whose times are wanted"),
        ):
            box.setAccessibleName(name)
            box.setToolTip(tip)
            box.setSizeAdjustPolicy(QtWidgets.QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.tolerance = whole_number_box()
        self.tolerance.setRange(1, CURVE)
        self.tolerance.setValue(10)
        self.tolerance.setPrefix("within ")
        self.tolerance.setSuffix(" %")
        self.tolerance.setToolTip("The error you can live with")
        self.tolerance.setAccessibleName("Tolerance")
        self.own = QtWidgets.QPushButton("Own pair…")
        self.own.setToolTip(
            "Two data sets with times of the same shaders, 20 or more, each on one device"
        )
        self.stop = QtWidgets.QPushButton("Stop")
        self.state = QtWidgets.QLabel()
        self.state.setProperty("role", "dim")
        arrow = QtWidgets.QLabel("to")
        arrow.setProperty("role", "dim")
        head = controls_bar(
            (self.hosts, arrow, self.targets, self.tolerance, self.own, self.stop, self.state)
        )
        self.model, self.features = MethodRows(), FeatureRows()
        self.table = results_table(self.model)
        self.tabs = QtWidgets.QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self.table, "Methods")
        self.tabs.addTab(self._ranking(), "Features")
        self.summary = summary_label()
        self._result = QtWidgets.QSplitter(Qt.Orientation.Vertical)
        self._result.setHandleWidth(1)
        self._result.addWidget(self.tabs)
        self.empty = EmptyState(theme)
        self._stack = pages(self.empty, self._result)
        vertical(self, head, self._stack, self.summary, largest=self._stack)
        self.hosts.currentIndexChanged.connect(self._on_host)
        self.targets.currentIndexChanged.connect(self._on_target)
        self.tolerance.valueChanged.connect(self._redraw)
        self.table.selectionModel().currentRowChanged.connect(self._redraw)
        self.own.clicked.connect(self.choose_files)
        self.stop.clicked.connect(self.stop_wanted)
        self.say_none("Reading the pairs…", "")
        self.show_state("", busy=False)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.empty.set_theme(theme)
        if self._chart is not None:
            self._chart.set_theme(theme)
        height = self.table.fontMetrics().height() + 9
        for table in (self.table, self.ranking):
            table.verticalHeader().setDefaultSectionSize(height)

    def name_devices(self, names: Mapping[str, str]) -> None:
        """What to show for slugs."""
        if names == self._names:
            return
        self._names = dict(names)
        for box in (self.hosts, self.targets):
            for place in range(box.count()):
                slug = str(box.itemData(place))
                box.setItemText(place, self._names.get(slug, slug))

    def offer(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Pairs of host and target by slug."""
        self._pairs = tuple(pairs)
        self.hosts.blockSignals(True)
        self.hosts.clear()
        for slug in dict.fromkeys(host for host, _ in pairs):
            self.hosts.addItem(self._names.get(slug, slug), slug)
        self.hosts.blockSignals(False)
        self._on_host()

    def show_table(self, table: PairTable) -> None:
        """Replace the result."""
        from shaderlab.app.panels.studies.pairs_chart import PairsChart  # needs pyqtgraph

        if self._chart is None:
            self._chart = PairsChart(self._theme)
            self._result.insertWidget(0, self._chart)
            self._result.setSizes([220, 200])
        self._table = table
        self.model.set_rows(sorted(table.methods, key=lambda e: (bool(e.refused), e.median_ape)))
        self.features.set_rows(table.ranking)
        self.summary.setText(verdict(table))
        self.summary.show()
        self._redraw()
        self._stack.setCurrentWidget(self._result)

    def say_none(self, title: str, hint: str) -> None:
        """Why there is nothing to show."""
        self.empty.say("targets", title, hint)
        self.summary.hide()
        self._stack.setCurrentWidget(self.empty)

    def show_state(self, text: str, *, busy: bool) -> None:
        self.state.setText(text)
        self.stop.setVisible(busy)
        self.own.setEnabled(not busy)

    def choose_files(self) -> None:
        """Have the user name two data sets, the host's first."""
        paths = []
        for title in ("The host's data set", "The target's data set, of the same shaders"):
            name, _ = QtWidgets.QFileDialog.getOpenFileName(self, title, "", _FILES)
            if not name:
                return
            paths.append(Path(name))
        self.files_wanted.emit(*paths)

    def showEvent(self, event) -> None:
        super().showEvent(event)
        self.shown.emit()

    def _ranking(self) -> QWidget:
        self.ranking = results_table(self.features)
        caveat = summary_label()
        caveat.setText(f"{CAVEAT[0].upper()}{CAVEAT[1:]}.")
        page = QWidget()
        vertical(page, self.ranking, caveat, largest=self.ranking)
        return page

    def _on_host(self) -> None:
        host, former = self.hosts.currentData(), self.targets.currentData()
        self.targets.blockSignals(True)
        self.targets.clear()
        for one, target in self._pairs:
            if one == host:
                self.targets.addItem(self._names.get(target, target), target)
        self.targets.setCurrentIndex(max(self.targets.findData(former), 0))
        self.targets.blockSignals(False)
        self._on_target()

    def _on_target(self) -> None:
        if self.targets.currentData():
            self.chosen.emit(self.hosts.currentData(), self.targets.currentData())

    def _redraw(self) -> None:
        if self._table is None or self._chart is None:
            return
        self.model.tolerance = self.tolerance.value()
        place = self.table.currentIndex().row()
        chosen = self.model.rows[place].method if 0 <= place < len(self.model.rows) else ""
        self._chart.show_table(self._table, chosen, self.tolerance.value())
        self.table.viewport().update()
