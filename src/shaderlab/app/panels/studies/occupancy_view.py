"""Local sizes of a compute shader on a chip that is not here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shaderlab import units
from shaderlab.app.panels.studies.study_parts import results_table
from shaderlab.app.panels.studies.study_view import ChipStudyView
from shaderlab.app.qt import Qt
from shaderlab.app.widgets.row_model import Index, RowModel
from shaderlab.app.widgets.theme import Theme
from shaderlab.scene.launch import shown
from shaderlab.studies.occupancy import Occupancy, Occupied

if TYPE_CHECKING:
    from shaderlab.app.panels.studies.occupancy_chart import OccupancyChart


_NOTHING = "\u2013"


class _Sizes(RowModel):
    columns = ("Local size", "Resident", "Per group", "Idle lanes", "Registers", "Shared", "Spills")
    tips = (
        "Invocations of a workgroup",
        "Waves a SIMD holds at a time, limited by registers, shared memory and whole workgroups",
        "Waves in one workgroup",
        "Share of a workgroup's lanes without an invocation",
        "Vector registers per invocation",
        "Bytes of shared memory per workgroup",
        "Values kept in memory because registers ran out",
    )
    words = frozenset({0})
    rows: tuple[Occupied, ...]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row, column = self.rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            most = "" if row.most is None else f" of {row.most}"
            return (
                shown(row.local),
                _NOTHING if row.resident is None else f"{row.resident:g}{most}",
                str(row.subgroups),
                units.percent(row.idle),
                _number(row.registers),
                _number(row.shared_bytes),
                _number(row.spills),
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


class OccupancyView(ChipStudyView[Occupancy]):
    """Emits the family to compile for; shows bars and a table by local size."""

    HEIGHTS = (180, 150)

    def __init__(self, theme: Theme):
        super().__init__(
            theme,
            "Compare local sizes",
            "Compare a compute shader's local sizes",
            "Compiles it for a chip that you do not need to own, at each local size that its "
            "specialisation constants allow.",
        )
        self.families.setToolTip("AMD chips, whose limits per compute unit are published")
        self.model = _Sizes()
        self._arrange((self.families,), results_table(self.model))

    def _new_chart(self) -> OccupancyChart:
        from shaderlab.app.panels.studies.occupancy_chart import OccupancyChart

        return OccupancyChart(self._theme)

    def _show(self, found: Occupancy) -> None:
        self._chart.show_occupancy(found)
        self.model.set_rows(found.rows)
        self._say(sentences(found))
