"""The parts of the text as rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shaderlab import units
from shaderlab.app.qt import Qt
from shaderlab.app.widgets.row_model import Index, RowModel
from shaderlab.app.widgets.share_bar import SHARE_ROLE
from shaderlab.language.outline import Part
from shaderlab.language.syntax import Place

COLUMNS = ("Symbol", "Line", "Share")
SYMBOL, LINE, SHARE = range(3)
_TIPS = (
    "Functions, structs, blocks and uniforms in the order of the text",
    "First line",
    "Share of the time predicted for the chosen target that the lines of the function take",
)


@dataclass(frozen=True)
class OutlineRow:
    """One part of the text."""

    declaration: str
    kind: str
    place: Place
    """Of its name."""
    first: int
    last: int
    share: float | None
    """Of the predicted time, 0..1; None for what has no body, or while that is not known."""


def outline_rows(
    parts: Iterable[Part], shares: Mapping[int, float] | None
) -> tuple[OutlineRow, ...]:
    """`shares`: by line of the text as it stands; None where they are of another."""
    rows = []
    for part in parts:
        share = None
        if shares is not None and part.has_body:
            lines = range(part.first, part.last + 1)
            share = sum(shares.get(line, 0.0) for line in lines)
        symbol = part.symbol
        rows.append(
            OutlineRow(
                symbol.declaration or symbol.name, str(symbol.kind), symbol.place,
                part.first, part.last, share,
            )
        )  # fmt: skip
    return tuple(rows)


def row_at(rows: Sequence[OutlineRow], line: int) -> int:
    """Number of the row whose lines hold this one; -1 for none."""
    return next((n for n, row in enumerate(rows) if row.first <= line <= row.last), -1)


class OutlineModel(RowModel):
    columns, tips = COLUMNS, _TIPS
    words = frozenset({SYMBOL})
    rows: tuple[OutlineRow, ...]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row, column = self.rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            share = units.percent(row.share) if row.share is not None else ""
            return (row.declaration, str(row.first), share)[column]
        if role == SHARE_ROLE:
            return row.share or 0.0
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self.alignment(column)
        if role == Qt.ItemDataRole.ToolTipRole and column == SYMBOL:
            return f"{row.kind}, line {row.first}\n{row.declaration}"
        return None
