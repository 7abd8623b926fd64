"""A shader over the compute units and clocks of a family of chips."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from shaderlab import units
from shaderlab.app.panels.studies.study_parts import controls_bar, results_table
from shaderlab.app.qt import Qt, QtWidgets, QWidget, Signal
from shaderlab.app.widgets.boxes import pages, vertical
from shaderlab.app.widgets.empty_state import EmptyState
from shaderlab.app.widgets.number_boxes import number_box
from shaderlab.app.widgets.row_model import Index, RowModel
from shaderlab.app.widgets.theme import Theme
from shaderlab.app.widgets.veil import Veil
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


class ExploreView(QWidget):
    """Emits the family to explore; shows heat map, products and verdict."""

    explore_wanted = Signal(str)
    """Slug of the family."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme = theme
        self._space: Space | None = None
        self._chart: ExploreChart | None = None
        self.families = QtWidgets.QComboBox()
        self.families.setToolTip("AMD chips only: cycles of others cannot be turned into times")
        self.families.setAccessibleName("Chip")
        self.budget = number_box()
        self.budget.setRange(0.01, 10_000.0)
        self.budget.setDecimals(2)
        self.budget.setSuffix(" ms")
        self.budget.setValue(1000 / 60)
        self.budget.setToolTip("What a frame may take")
        self.budget.setAccessibleName("Budget")
        self.start = QtWidgets.QPushButton("Explore")
        self.state = QtWidgets.QLabel()
        self.state.setProperty("role", "dim")
        head = controls_bar((self.families, self.budget, self.start, self.state))
        self.model = _Products()
        self.table = results_table(self.model)
        self.verdict = QtWidgets.QLabel()
        self.verdict.setWordWrap(True)
        self.verdict.setContentsMargins(10, 5, 10, 5)
        self.verdict.hide()
        self._result = QtWidgets.QSplitter(Qt.Orientation.Vertical)
        self._result.setHandleWidth(1)
        self._result.addWidget(self.table)
        self.veil = Veil(self._result)
        self.empty = EmptyState(theme)
        self._stack = pages(self.empty, self._result)
        vertical(self, head, self._stack, self.verdict, largest=self._stack)
        self.start.clicked.connect(
            lambda: self.explore_wanted.emit(self.families.currentData() or "")
        )
        self.budget.valueChanged.connect(self._redraw)
        self.empty.say(
            "targets",
            "Find the weakest GPU that meets the budget",
            "Choose a chip: the shader is compiled for it, and its time shown over compute units "
            "and clocks, with real products marked.",
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

    def show_space(self, space: Space) -> None:
        """Replace the result."""
        from shaderlab.app.panels.studies.explore_chart import ExploreChart  # needs pyqtgraph

        if self._chart is None:
            self._chart = ExploreChart(self._theme)
            self._result.insertWidget(0, self._chart)
            self._result.setSizes([220, 110])
        self._space = space
        self._redraw()
        self.veil.set_drawn(False)
        self._stack.setCurrentWidget(self._result)

    def set_stale(self, stale: bool) -> None:
        """Dim a result that is of another text."""
        self.veil.set_drawn(stale and self._space is not None)

    def _redraw(self) -> None:
        if self._space is None or self._chart is None:
            return
        budget_s = self.budget.value() / 1e3
        self._chart.show_space(self._space, budget_s)
        self.model.budget_s = budget_s
        self.model.set_rows(self._space.products)
        self.verdict.setText(verdict(self._space, budget_s))
        self.verdict.show()
