"""The basic blocks of the program, how often each ran, and which lines they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shaderlab import units
from shaderlab.app.qt import Qt, QtWidgets, QWidget, Signal
from shaderlab.app.widgets.boxes import pages, vertical
from shaderlab.app.widgets.empty_state import EmptyState
from shaderlab.app.widgets.phrases import line_ranges
from shaderlab.app.widgets.row_model import Index, SortedRowModel
from shaderlab.app.widgets.share_bar import SHARE_ROLE, ShareBar
from shaderlab.app.widgets.theme import Theme
from shaderlab.app.widgets.veil import Veil

if TYPE_CHECKING:
    from shaderlab.spirv.trace import BlockCount, Trace


@dataclass(frozen=True)
class Row:
    """A block as the table shows it."""

    function: str
    label: int
    lines: tuple[int, ...]
    """Lines of the document, ascending; those of includes are left out."""
    lines_text: str
    count: int
    instructions: int
    share: float
    """Of all executed instructions, 0..1."""
    busy: float | None
    """The block's divergence, 1 for none; None where it never ran."""


def rows_of(trace: Trace, assembly: Mapping[int, tuple[int, ...]]) -> tuple[Row, ...]:
    """One row per block, in the order of the module.

    `assembly` gives each label's lines where assembly is shown in place of the source.
    """
    total = max(trace.instructions_executed, 1)
    return tuple(
        Row(
            block.function_name,
            block.label,
            assembly.get(block.label) or document_lines(block),
            line_ranges(assembly[block.label]) if block.label in assembly else _lines_text(block),
            block.count,
            block.instructions,
            block.count * block.instructions / total,
            block.divergence,
        )
        for block in trace.blocks
    )


def document_lines(block: BlockCount) -> tuple[int, ...]:
    """Lines of the document that the block's instructions come from."""
    return tuple(place.line for place in block.lines if not place.file)


def _lines_text(block: BlockCount) -> str:
    files: dict[str, list[int]] = {}
    for line in block.lines:
        files.setdefault(line.file, []).append(line.line)
    parts = [
        f"{file}:{line_ranges(tuple(lines))}" if file else line_ranges(tuple(lines))
        for file, lines in files.items()
    ]
    return ", ".join(parts) or "\u2013"


COLUMNS = ("Function", "Block", "Lines", "Count", "Instructions", "Lanes", "Of instructions")
_TIPS = (
    "Function the block belongs to",
    "Result id of the block's label in the SPIR-V module",
    "Source lines the block's instructions come from",
    "How often the block ran in one frame, summed over all pixels",
    "Instructions in the block",
    "Active lanes: executions / (32 \u00d7 executions of the busiest lane), "
    "summed over groups of 8\u00d74 pixels. "
    "At 100 %, all 32 lanes are active whenever one is",
    "Share of all instructions executed in the frame",
)
_CELL_PADDING = 11
_BLOCK, _LINES, _COUNT, _INSTRUCTIONS, _LANES, _SHARE = range(1, 7)
_SPARED = (_INSTRUCTIONS, _BLOCK, _LANES)
"""Columns left out where there is no room, in this order."""
_LEAST_LINES = 70
"""Pixels of the column that takes the rest."""


class BlocksModel(SortedRowModel):
    columns, tips = COLUMNS, _TIPS
    words = frozenset({0, _LINES})
    rows: tuple[Row, ...]

    def __init__(self) -> None:
        super().__init__(_SHARE)

    def sort_key(self, row: Row, column: int):
        return (
            row.function,
            row.label,
            row.lines[0] if row.lines else 0,
            row.count,
            row.instructions,
            2.0 if row.busy is None else row.busy,
            row.share,
        )[column]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row, column = self.rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return (
                row.function,
                f"%{row.label}",
                row.lines_text,
                units.grouped(row.count),
                str(row.instructions),
                "\u2013" if row.busy is None else units.percent(row.busy),
                units.percent(row.share),
            )[column]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self.alignment(column)
        if role == Qt.ItemDataRole.ToolTipRole and column == _COUNT:
            return f"ran {units.count(row.count)} times per frame"
        if role == SHARE_ROLE:
            return row.share / (max(each.share for each in self.rows) or 1.0)
        return None


class BlocksPanel(QWidget):
    """A sortable table; emits the chosen block's lines, and follows the editor's caret."""

    lines_chosen = Signal(tuple)
    """Lines of the document of the chosen block (empty when the choice is gone)."""
    choice_changed = Signal()
    """`chosen_labels` may have changed, by the user or by the caret."""

    def __init__(self, theme: Theme):
        super().__init__()
        self.model = BlocksModel()
        self.table = QtWidgets.QTableView()
        self.table.setModel(self.model)
        self.table.setSortingEnabled(True)
        self.table.setSelectionBehavior(QtWidgets.QTableView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QtWidgets.QTableView.SelectionMode.ExtendedSelection)
        self.table.setShowGrid(False)
        self.table.setWordWrap(False)
        self.table.setHorizontalScrollMode(QtWidgets.QTableView.ScrollMode.ScrollPerPixel)
        self.table.verticalHeader().hide()
        self._bar = ShareBar(self.table)
        self.table.setItemDelegateForColumn(_SHARE, self._bar)
        header = self.table.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(_LINES, QtWidgets.QHeaderView.ResizeMode.Stretch)
        self.table.sortByColumn(_SHARE, Qt.SortOrder.DescendingOrder)
        self.empty = EmptyState(theme)
        self._caption = QtWidgets.QLabel()
        self._caption.setProperty("role", "dim")
        self._caption.setContentsMargins(10, 5, 10, 5)
        self._stack = pages(self.empty, self.table)
        vertical(self, self._stack, self._caption, largest=self._stack)
        self._following = False
        self._stale = self._caption_text = ""
        self.veil = Veil(self.table)
        self.table.selectionModel().selectionChanged.connect(self._on_selected)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        self._bar.theme = theme
        self.empty.set_theme(theme)
        metrics = self.table.fontMetrics()
        self.table.verticalHeader().setDefaultSectionSize(metrics.height() + 9)
        self.table.viewport().update()

    def show_trace(
        self, trace: Trace, assembly: Mapping[int, tuple[int, ...]], caption: str
    ) -> None:
        """Replace the rows, keeping sort order, place and chosen blocks."""
        chosen = {self.model.rows[i].label for i in self._chosen_rows()}
        place = self.table.verticalScrollBar().value()
        first = not self.model.rows
        self._following = True
        self.model.set_rows(rows_of(trace, assembly))
        self._select({i for i, row in enumerate(self.model.rows) if row.label in chosen})
        self._following = False
        self.table.verticalScrollBar().setValue(place)
        self._caption_text = caption
        self._say_what_it_is()
        self._caption.show()
        self._stack.setCurrentWidget(self.table)
        if first:
            self._fit_columns()

    def set_stale(self, why: str) -> None:
        """Dim the numbers, and say what they are of, where that is not the present text."""
        if why != self._stale:
            self._stale = why
            self.veil.set_drawn(bool(why))
            self._say_what_it_is()

    def _say_what_it_is(self) -> None:
        stale = f" · {self._stale}" if self._stale else ""
        self._caption.setText(self._caption_text + stale)

    def show_empty(self) -> None:
        """Show what `empty` says in place of the table."""
        self.model.set_rows(())
        self._caption.hide()
        self._stack.setCurrentWidget(self.empty)

    def follow_line(self, line: int) -> None:
        """Choose the blocks that touch this line, without announcing it."""
        wanted = {i for i, row in enumerate(self.model.rows) if line in row.lines}
        if wanted != set(self._chosen_rows()):
            self._following = True
            self._select(wanted)
            self._following = False

    def choose(self, row: int) -> None:
        """As if the user clicked this row, counted from the top."""
        self._select({row})

    @property
    def caption(self) -> str:
        return self._caption.text()

    @property
    def chosen_labels(self) -> set[int]:
        return {self.model.rows[i].label for i in self._chosen_rows()}

    def _fit_columns(self) -> None:
        width = self.table.fontMetrics().horizontalAdvance
        samples = ("mainImage()", "%0000", "", "0 000 000 000", "0000", "100 %", "00000 %")
        for column, sample in enumerate(samples):
            widest = max(width(sample), width(COLUMNS[column]))
            self.table.setColumnWidth(column, widest + 2 * _CELL_PADDING + 2)
        self._leave_out_columns()

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        self._leave_out_columns()

    def _leave_out_columns(self) -> None:
        """In a narrow panel, what can best be done without: the shares stay in sight."""
        table = self.table
        for column in _SPARED:
            table.setColumnHidden(column, False)
        shown = [n for n in range(len(COLUMNS)) if n != _LINES]
        needed = sum(table.columnWidth(column) for column in shown) + _LEAST_LINES
        for column in _SPARED:
            if needed > table.viewport().width():
                needed -= table.columnWidth(column)
                table.setColumnHidden(column, True)

    def _chosen_rows(self) -> list[int]:
        return [index.row() for index in self.table.selectionModel().selectedRows()]

    def _select(self, rows: set[int]) -> None:
        selection = self.table.selectionModel()
        flags = selection.SelectionFlag
        selection.clearSelection()
        for row in sorted(rows):
            selection.select(self.model.index(row, 0), flags.Select | flags.Rows)
        if rows:
            self.table.scrollTo(self.model.index(min(rows), 0))

    def _on_selected(self) -> None:
        self.choice_changed.emit()
        if not self._following:
            lines = {n for i in self._chosen_rows() for n in self.model.rows[i].lines}
            self.lines_chosen.emit(tuple(sorted(lines)))
