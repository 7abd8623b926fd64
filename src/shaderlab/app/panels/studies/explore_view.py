"""A shader on all products, or over the compute units and clocks of a family of chips."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from shaderlab import units
from shaderlab.app.panels.studies.study_parts import results_table
from shaderlab.app.panels.studies.study_view import ChipStudyView
from shaderlab.app.qt import Qt
from shaderlab.app.widgets.number_boxes import number_box
from shaderlab.app.widgets.row_model import Index, RowModel
from shaderlab.app.widgets.theme import Theme
from shaderlab.studies.explore import EveryProduct, OnProduct, Placed, Space, verdict, within

if TYPE_CHECKING:
    from shaderlab.app.panels.studies.explore_chart import ExploreChart


EVERY = ""
"""Stands for all products where a family's slug would."""
_WITHIN = (
    "yes: the whole band is within the budget; likely: only the time is; unknown: only a lower "
    "bound is known, and that is"
)


class _Rows(RowModel):
    """Products, slowest first, against a budget."""

    budget_s = 1 / 60

    def texts(self, row: Any) -> tuple[str, ...]:
        """One for each column but the last."""
        raise NotImplementedError

    def basis(self, row: Any) -> str:
        """What its time rests on, in a sentence."""
        raise NotImplementedError

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row, column = self.rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return (*self.texts(row), within(row, self.budget_s))[column]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self.alignment(column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self.basis(row)
        return None


class _Chips(_Rows):
    columns = ("Product", "Units", "Boost", "Time", "Band", "Within")
    tips = (
        "Products with this chip, slowest first",
        "Compute units",
        "Boost clock from the data sheet",
        "A fixed part, plus busy cycles divided by SIMDs and clock, fitted to an RX 6600 XT",
        "The error of this formula on measured shaders",
        _WITHIN,
    )
    words = frozenset({0, 5})
    rows: tuple[Placed, ...]

    def texts(self, row: Placed) -> tuple[str, ...]:
        found = row.estimate
        return (
            row.product.name,
            str(row.product.units),
            f"{(row.product.clock_hz or 0) / 1e6:.0f} MHz",
            units.seconds(found.time_s),
            f"{units.seconds(found.low_s)} to {units.seconds(found.high_s)}",
        )

    def basis(self, row: Placed) -> str:
        return row.estimate.basis


class _EveryProduct(_Rows):
    columns = ("Product", "Year", "Rests on", "Time", "Band", "Within")
    tips = (
        "Products of all vendors, slowest first",
        "In which it came out",
        "Times measured there, their published distribution, a law from data sheets, or a law that "
        "nothing tested",
        "Predicted time of one frame",
        "The error band of the prediction",
        _WITHIN,
    )
    words = frozenset({0, 2, 5})
    rows: tuple[OnProduct, ...]

    def texts(self, row: OnProduct) -> tuple[str, ...]:
        found = row.forecast
        ends = (found.low_s, found.high_s) if found.time_s is not None else ()
        least_s = found.least_s
        return (
            row.info.name,
            str(row.info.year),
            row.info.evidence,
            "no time" if least_s is None else found.status.sign + units.seconds(least_s),
            " to ".join(units.seconds(end) for end in ends if end is not None),
        )

    def basis(self, row: OnProduct) -> str:
        return row.forecast.basis


class ExploreView(ChipStudyView[Space | EveryProduct]):
    """Emits the family to explore, or `EVERY`; shows a chart, products and verdict."""

    HEIGHTS = (220, 110)

    def __init__(self, theme: Theme):
        super().__init__(
            theme,
            "Explore",
            "Find the weakest GPU that meets the budget",
            "All products are compared by their forecasts. For an AMD chip the shader is compiled, "
            "and its time is plotted over compute units and clocks, with real products marked.",
        )
        self.families.setToolTip(
            "All products of all vendors, or one AMD chip over compute units and clocks: cycles of "
            "others cannot be turned into times"
        )
        self.budget = number_box()
        self.budget.setRange(0.01, 10_000.0)
        self.budget.setDecimals(2)
        self.budget.setPrefix("within ")
        self.budget.setSuffix(" ms")
        self.budget.setValue(1000 / 60)
        self.budget.setToolTip("Time budget of a frame")
        self.budget.setAccessibleName("Budget")
        self.model, self.every = _Chips(), _EveryProduct()
        self.budget.valueChanged.connect(self._redraw)
        self.table = results_table(self.every)
        self._arrange((self.families, self.budget), self.table)

    def _new_chart(self) -> ExploreChart:
        from shaderlab.app.panels.studies.explore_chart import ExploreChart

        return ExploreChart(self._theme)

    def _show(self, found: Space | EveryProduct) -> None:
        budget_s = self.budget.value() / 1e3
        model = self.every if isinstance(found, EveryProduct) else self.model
        self._chart.show_found(found, budget_s)
        model.budget_s = budget_s
        model.set_rows(found.products)
        if self.table.model() is not model:
            self.table.setModel(model)
        self._say(verdict(found.products, budget_s))

    def offer(self, families: Mapping[str, str], chosen: str) -> None:
        super().offer({EVERY: "All products", **families}, chosen and EVERY)
