"""How well times of one device follow from another's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from shaderlab.app.panels.studies.pair_rows import FeatureRows, MethodRows, verdict
from shaderlab.app.panels.studies.study_parts import results_table, summary_label
from shaderlab.app.panels.studies.study_view import StudyView
from shaderlab.app.qt import QtWidgets, QWidget, Signal
from shaderlab.app.widgets.boxes import vertical
from shaderlab.app.widgets.number_boxes import whole_number_box
from shaderlab.app.widgets.theme import Theme
from shaderlab.prediction.catalogue.pair_tables import CAVEAT, CURVE, PairTable

if TYPE_CHECKING:
    from shaderlab.app.panels.studies.pairs_chart import PairsChart

_FILES = "Data sets and stores (*.parquet *.jsonl *.db);;All files (*)"


class PairsView(StudyView[PairTable]):
    """Shows a pair; emits that tables are wanted, or a pair of files."""

    HEIGHTS = (220, 200)
    LEAST_RESULTS = 170  # its tabs take 35

    shown = Signal()
    files_wanted = Signal(Path, Path)
    """Data sets of the host and of the target."""
    chosen = Signal(str, str)
    """Host and target, by slug."""

    def __init__(self, theme: Theme):
        super().__init__(theme, "Own pair…")
        self._pairs: tuple[tuple[str, str], ...] = ()
        self._names: dict[str, str] = {}
        self.hosts, self.targets = QtWidgets.QComboBox(), QtWidgets.QComboBox()
        for box, name, tip in (
            (self.hosts, "Host", "The device with known times"),
            (self.targets, "Target", "The device to predict"),
        ):
            box.setAccessibleName(name)
            box.setToolTip(tip)
            box.setSizeAdjustPolicy(QtWidgets.QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.tolerance = whole_number_box()
        self.tolerance.setRange(1, CURVE)
        self.tolerance.setValue(10)
        self.tolerance.setPrefix("within ")
        self.tolerance.setSuffix(" %")
        self.tolerance.setToolTip("The largest acceptable error")
        self.tolerance.setAccessibleName("Tolerance")
        self.start.setToolTip(
            "Two data sets with times of the same shaders, 20 or more, each on one device"
        )
        arrow = QtWidgets.QLabel("to")
        arrow.setProperty("role", "dim")
        self.model, self.features = MethodRows(), FeatureRows()
        self.table = results_table(self.model)
        self.tabs = QtWidgets.QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self.table, "Methods")
        self.tabs.addTab(self._ranking(), "Features")
        self.hosts.currentIndexChanged.connect(self._on_host)
        self.targets.currentIndexChanged.connect(self._on_target)
        self.tolerance.valueChanged.connect(self._redraw)
        self.table.selectionModel().currentRowChanged.connect(self._redraw)
        self.start.clicked.connect(self.choose_files)
        self._arrange((self.hosts, arrow, self.targets, self.tolerance), self.tabs)
        self.say_none("Reading the pairs…", "")

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
        ranking = results_table(self.features)
        caveat = summary_label()
        caveat.setText(f"{CAVEAT[0].upper()}{CAVEAT[1:]}.")
        page = QWidget()
        vertical(page, ranking, caveat, largest=ranking)
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

    def _new_chart(self) -> PairsChart:
        from shaderlab.app.panels.studies.pairs_chart import PairsChart

        return PairsChart(self._theme)

    def show_result(self, found: PairTable) -> None:
        self.model.set_rows(sorted(found.methods, key=lambda e: (bool(e.refused), e.median_ape)))
        self.features.set_rows(found.ranking)
        super().show_result(found)
        self._say(verdict(found, self._names))

    def _show(self, found: PairTable) -> None:
        self.model.tolerance = self.tolerance.value()
        place = self.table.currentIndex().row()
        chosen = self.model.rows[place].method if 0 <= place < len(self.model.rows) else ""
        self._chart.show_table(found, chosen, self.tolerance.value())
        self.table.viewport().update()
