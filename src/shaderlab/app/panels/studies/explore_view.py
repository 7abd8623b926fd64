"""A shader over the compute units and clocks of a family of chips."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shaderlab import units
from shaderlab.app.panels.studies.study_parts import results_table
from shaderlab.app.panels.studies.study_view import ChipStudyView
from shaderlab.app.qt import Qt
from shaderlab.app.widgets.number_boxes import number_box
from shaderlab.app.widgets.row_model import Index, RowModel
from shaderlab.app.widgets.theme import Theme
from shaderlab.studies.explore import Placed, Space, weakest

if TYPE_CHECKING:
    from shaderlab.app.panels.studies.explore_chart import ExploreChart


class _Products(RowModel):
    columns = ("Product", "Units", "Boost", "Time", "Band", "Within")
    tips = (
        "Products with this chip, slowest first",
        "Compute units",
        "Boost clock from the data sheet",
        "A fixed part, plus busy cycles divided by SIMDs and clock, fitted to an RX 6600 XT",
        "The error of this formula on measured shaders",
        "yes: the whole band is within the budget; likely: only the time is",
    )
    words = frozenset({0, 5})
    rows: tuple[Placed, ...]

    def __init__(self) -> None:
        super().__init__()
        self.budget_s = 1 / 60

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row, column = self.rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            found = row.estimate
            return (
                row.product.name,
                str(row.product.units),
                f"{(row.product.clock_hz or 0) / 1e6:.0f} MHz",
                units.seconds(found.time_s),
                f"{units.seconds(found.low_s)} to {units.seconds(found.high_s)}",
                within(row, self.budget_s),
            )[column]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self.alignment(column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return row.estimate.basis
        return None


def within(row: Placed, budget_s: float) -> str:
    """Whether a product meets a budget, and how surely."""
    if row.estimate.high_s <= budget_s:
        return "yes"
    return "likely" if row.estimate.time_s <= budget_s else "no"


def verdict(space: Space, budget_s: float) -> str:
    """The weakest product that meets the budget, in a sentence."""
    budget = units.seconds(budget_s)
    likely = weakest(space.products, budget_s)
    if likely is None:
        return f"No product with this chip is within {budget}."
    text = f"Weakest product within {budget}: {likely.product.name}"
    surely = weakest(space.products, budget_s, surely=True)
    if surely is likely:
        return f"{text}, with its whole band."
    if surely is None:
        return f"{text}; no product has its whole band within it."
    return f"{text}; with its whole band: {surely.product.name}."


class ExploreView(ChipStudyView[Space]):
    """Emits the family to explore; shows heat map, products and verdict."""

    HEIGHTS = (220, 110)

    def __init__(self, theme: Theme):
        super().__init__(
            theme,
            "Explore",
            "Find the weakest GPU that meets the budget",
            "Choose a chip: the shader is compiled for it, and its time is plotted over compute "
            "units and clocks, with real products marked.",
        )
        self.families.setToolTip("AMD chips only: cycles of others cannot be turned into times")
        self.budget = number_box()
        self.budget.setRange(0.01, 10_000.0)
        self.budget.setDecimals(2)
        self.budget.setPrefix("within ")
        self.budget.setSuffix(" ms")
        self.budget.setValue(1000 / 60)
        self.budget.setToolTip("Time budget of a frame")
        self.budget.setAccessibleName("Budget")
        self.model = _Products()
        self.budget.valueChanged.connect(self._redraw)
        self._arrange((self.families, self.budget), results_table(self.model))

    def _new_chart(self) -> ExploreChart:
        from shaderlab.app.panels.studies.explore_chart import ExploreChart

        return ExploreChart(self._theme)

    def _show(self, found: Space) -> None:
        budget_s = self.budget.value() / 1e3
        self._chart.show_space(found, budget_s)
        self.model.budget_s = budget_s
        self.model.set_rows(found.products)
        self._say(verdict(found, budget_s))
