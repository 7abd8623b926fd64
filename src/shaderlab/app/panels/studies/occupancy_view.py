"""Local sizes of a compute shader on a chip that is not here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from shaderlab.app.panels.studies.study_parts import controls_bar, results_table
from shaderlab.app.qt import Qt, QtWidgets, QWidget, Signal
from shaderlab.app.widgets.empty_state import EmptyState
from shaderlab.app.widgets.row_model import Index, RowModel
from shaderlab.app.widgets.theme import Theme
from shaderlab.app.widgets.veil import Veil
from shaderlab.scene.launch import shown
from shaderlab.studies.occupancy import Occupancy, Occupied

if TYPE_CHECKING:
    from shaderlab.app.panels.studies.occupancy_chart import OccupancyChart


_NOTHING = "\u2013"


class _Sizes(RowModel):
    columns = ("Local size", "Waves", "Idle lanes", "Registers", "Shared", "Spills", "Resident")
    tips = (
        "Invocations of a workgroup",
        "Waves in one workgroup",
        "Share of a workgroup's lanes without an invocation",
        "Vector registers per invocation",
        "Bytes of shared memory per workgroup",
        "Values kept in memory because registers ran out",
        "Waves a SIMD holds at a time, limited by registers, shared memory and whole workgroups",
    )
    words = frozenset({0})
    rows: tuple[Occupied, ...]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row, column = self.rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            most = "" if row.most is None else f" of {row.most}"
            return (
                shown(row.local),
                str(row.subgroups),
                f"{row.idle:.0%}",
                _number(row.registers),
                _number(row.shared_bytes),
                _number(row.spills),
                _NOTHING if row.resident is None else f"{row.resident:g}{most}",
            )[column]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self.alignment(column)
        return None


def _number(value: int | None) -> str:
    return _NOTHING if value is None else f"{value:,}"


def sentences(found: Occupancy) -> str:
    """What is to be said of a result."""
    said = [found.note] if found.note else []
    said += [f"{size}: {why.rstrip('.')}." for size, why in found.problems.items()]
    if found.rows:
        said.append("More resident waves hide more latency; no time follows from their number.")
    return " ".join(said)


class OccupancyView(QWidget):
    """Emits the family to compile for; shows bars and a table by local size."""

    wanted = Signal(str)
    """Slug of the family."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme = theme
        self._chart: OccupancyChart | None = None
        self._has_result = False
        self.families = QtWidgets.QComboBox()
        self.families.setAccessibleName("Chip to compile for")
        self.families.setToolTip("AMD chips, whose limits per compute unit are published")
        self.start = QtWidgets.QPushButton("Compare local sizes")
        self.state = QtWidgets.QLabel()
        self.state.setProperty("role", "dim")
        self.model = _Sizes()
        self.table = results_table(self.model)
        self.note = QtWidgets.QLabel()
        self.note.setWordWrap(True)
        self.note.setContentsMargins(10, 5, 10, 5)
        self.note.hide()
        self._result = QtWidgets.QSplitter(Qt.Orientation.Vertical)
        self._result.setHandleWidth(1)
        self._result.addWidget(self.table)
        self.veil = Veil(self._result)
        self.empty = EmptyState(theme)
        self._stack = QtWidgets.QStackedWidget()
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self._result)
        layout = QtWidgets.QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(controls_bar((self.families, self.start, self.state)))
        layout.addWidget(self._stack, 1)
        layout.addWidget(self.note)
        self.start.clicked.connect(lambda: self.wanted.emit(self.families.currentData() or ""))
        self.empty.say(
            "targets",
            "Compare a compute shader's local sizes",
            "Compiles it for a chip you need not have, at each local size that its specialisation "
            "constants allow.",
        )
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.empty.set_theme(theme)
        if self._chart is not None:
            self._chart.set_theme(theme)
        metrics = self.table.fontMetrics()
        self.table.verticalHeader().setDefaultSectionSize(metrics.height() + 9)

    def offer(self, families: Mapping[str, str], chosen: str) -> None:
        """Families by slug with the name to show."""
        self.families.clear()
        for slug, name in families.items():
            self.families.addItem(name, slug)
        self.families.setCurrentIndex(max(self.families.findData(chosen), 0))

    def show_state(self, text: str, *, busy: bool) -> None:
        self.state.setText(text)
        self.start.setEnabled(not busy)

    def show_occupancy(self, found: Occupancy) -> None:
        """Replace the result."""
        from shaderlab.app.panels.studies.occupancy_chart import OccupancyChart  # needs pyqtgraph

        if self._chart is None:
            self._chart = OccupancyChart(self._theme)
            self._result.insertWidget(0, self._chart)
            self._result.setSizes([180, 150])
        self._has_result = True
        self._chart.show_occupancy(found)
        self.model.set_rows(found.rows)
        self.note.setText(sentences(found))
        self.note.setVisible(bool(self.note.text()))
        self.veil.set_drawn(False)
        self._stack.setCurrentWidget(self._result)

    def set_stale(self, stale: bool) -> None:
        """Dim a result that is of another text."""
        self.veil.set_drawn(stale and self._has_result)
