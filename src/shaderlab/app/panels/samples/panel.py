"""Samples: what was recorded on this machine, and its export."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

from shaderlab import units
from shaderlab.app.panels.samples.statistics_view import StatisticsView
from shaderlab.app.qt import QAction, Qt, QtWidgets, QWidget, Signal
from shaderlab.app.widgets.boxes import pages, vertical
from shaderlab.app.widgets.empty_state import EmptyState
from shaderlab.app.widgets.flow_layout import FlowLayout
from shaderlab.app.widgets.push_button import push_button
from shaderlab.app.widgets.theme import Theme
from shaderlab.samples.choice import LICENCES

if TYPE_CHECKING:
    from shaderlab.workers.samples import Listing, Recorded

COLUMNS = ("shader", "device", "time", "size", "recorded", "source")
_ID = Qt.ItemDataRole.UserRole
_NAMES = 2
_LICENCE = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+() -]*")


def counts_text(listing: Listing) -> str:
    """`14 samples of 9 shaders on llvmpipe (10), NVIDIA … (4)`."""
    if not listing.rows:
        return "No samples yet"
    devices = sorted(listing.devices.items(), key=lambda device: -device[1])
    several = len(devices) > 1
    named = [f"{name} ({n:,})" if several else name for name, n in devices[:_NAMES]]
    if len(devices) > _NAMES:
        named.append(f"{len(devices) - _NAMES} more")
    return (
        f"{count(listing.rows, 'sample')} of {count(listing.shaders, 'shader')} on "
        f"{', '.join(named)}"
    )


def cells(sample: Recorded) -> tuple[str, ...]:
    """One text per column."""
    when = "" if sample.at is None else time.strftime("%Y-%m-%d %H:%M", time.localtime(sample.at))
    measured = units.seconds(sample.time_s) + (" of CPU" if sample.clock == "cpu" else "")
    return (
        sample.name or f"program {sample.id[:8]}",
        sample.device,
        measured,
        f"{sample.size[0]} \u00d7 {sample.size[1]}",
        when,
        sample.license or "not kept",
    )


def count(n: int, what: str) -> str:
    """`1 sample`, `14 samples`."""
    return f"{n:,} {what}{'s' * (n != 1)}"


class SamplesPanel(QWidget):
    """Emits what to do; shows what is kept."""

    shown = Signal()
    """The panel came into sight: the list is wanted."""
    licence_changed = Signal(str)
    """SPDX licence under which sources are kept from now on; empty to leave them out."""
    removal_wanted = Signal(list)
    """Ids of the chosen samples."""

    def __init__(self, theme: Theme, record: QAction, export: QAction):
        super().__init__()
        self._theme = theme
        self._counts = QtWidgets.QLabel("No samples yet")
        self._counts.setProperty("role", "dim")
        self._counts.setSizePolicy(
            QtWidgets.QSizePolicy.Policy.Ignored, QtWidgets.QSizePolicy.Policy.Preferred
        )
        self._state = QtWidgets.QLabel()
        self._state.setProperty("role", "dim")
        self._share = QtWidgets.QCheckBox("Include source under licence")
        self._share.setToolTip(
            "Off: new samples are recorded without their source.\n"
            "On: the source is kept, and may leave this machine in an export."
        )
        self._licence = QtWidgets.QComboBox()
        self._licence.setLineEdit(QtWidgets.QLineEdit())
        self._licence.addItems(LICENCES)
        self._licence.setCurrentText("")
        self._licence.setPlaceholderText("an SPDX licence")
        self._licence.setToolTip("SPDX identifier of the licence you give the shader's source")
        self._licence.setEnabled(False)
        self._no_licence = QtWidgets.QLabel("no licence given: the source is not kept")
        self._no_licence.setProperty("role", "warning")
        self._no_licence.hide()
        self._remove = QtWidgets.QPushButton("Remove")
        self._remove.setToolTip("Remove the chosen samples from this machine (Delete)")
        self._remove.setEnabled(False)
        actions = FlowLayout()
        actions.addWidget(push_button(record))
        actions.addWidget(push_button(export))
        actions.addWidget(self._remove)
        actions.addWidget(self._state)
        sharing = FlowLayout()
        sharing.addWidget(self._share)
        sharing.addWidget(self._licence)
        sharing.addWidget(self._no_licence)
        head = QWidget()
        head.setProperty("role", "content")
        head.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        column = QtWidgets.QVBoxLayout(head)
        column.setContentsMargins(10, 8, 10, 8)
        column.setSpacing(8)
        column.addWidget(self._counts)
        column.addLayout(actions)
        column.addLayout(sharing)

        self.table = QtWidgets.QTreeWidget()
        self.table.setRootIsDecorated(False)
        self.table.setHeaderLabels(COLUMNS)
        self.table.setSelectionMode(QtWidgets.QTreeWidget.SelectionMode.ExtendedSelection)
        self.table.setFrameShape(QtWidgets.QFrame.Shape.NoFrame)
        self.table.header().setStretchLastSection(True)
        self.table.header().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
        self.empty = EmptyState(theme)
        self._stack = pages(self.empty, self.table)
        page = QWidget()
        vertical(page, head, self._stack, largest=self._stack)
        self.statistics = StatisticsView(theme)
        self.tabs = QtWidgets.QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setExpanding(False)
        self.tabs.addTab(page, "Samples")
        self.tabs.addTab(self.statistics, "Statistics")
        vertical(self, self.tabs)

        self._share.toggled.connect(self._on_licence)
        self._licence.editTextChanged.connect(self._on_licence)
        self.table.itemSelectionChanged.connect(
            lambda: self._remove.setEnabled(bool(self.chosen_ids))
        )
        self._remove.clicked.connect(lambda: self.removal_wanted.emit(self.chosen_ids))

    @property
    def chosen_ids(self) -> list[str]:
        return [item.data(0, _ID) for item in self.table.selectedItems()]

    @property
    def licence(self) -> str:
        """SPDX licence to keep sources under; empty while off or not a licence."""
        text = self._licence.currentText().strip()
        return text if self._share.isChecked() and _LICENCE.fullmatch(text) else ""

    def share_sources(self, licence: str) -> None:
        """Tick the box with a licence, as a user would."""
        self._share.setChecked(bool(licence))
        self._licence.setCurrentText(licence)

    def show_listing(self, listing: Listing) -> None:
        chosen = set(self.chosen_ids)
        self._counts.setText(counts_text(listing))
        self.table.clear()
        for sample in listing.recorded:
            item = QtWidgets.QTreeWidgetItem(list(cells(sample)))
            item.setData(0, _ID, sample.id)
            item.setToolTip(0, sample.id)
            item.setToolTip(1, sample.device)
            counted = "with counts" if sample.traced else "without counts"
            item.setToolTip(2, f"Mean of {sample.trials} trials, {counted}")
            self.table.addTopLevelItem(item)
            item.setSelected(sample.id in chosen)
        for number in range(len(COLUMNS)):
            self.table.resizeColumnToContents(number)
        for number, most in ((0, 130), (1, 140)):
            self.table.setColumnWidth(number, min(self.table.columnWidth(number), most))
        self._stack.setCurrentWidget(self.table if listing.recorded else self.empty)

    def show_state(self, text: str) -> None:
        """What is running; empty for nothing."""
        self._state.setText(text)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.empty.set_theme(theme)
        self.statistics.set_theme(theme)

    def showEvent(self, event) -> None:
        super().showEvent(event)
        self.shown.emit()

    def keyPressEvent(self, event) -> None:
        if event.key() == Qt.Key.Key_Delete and self.chosen_ids:
            self.removal_wanted.emit(self.chosen_ids)
        else:
            super().keyPressEvent(event)

    def _on_licence(self) -> None:
        sharing = self._share.isChecked()
        self._licence.setEnabled(sharing)
        self._no_licence.setVisible(sharing and not self.licence)
        self.licence_changed.emit(self.licence)
