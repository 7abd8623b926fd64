"""The source lines that predicted time is spent on, as rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shaderlab import units
from shaderlab.app.qt import Qt
from shaderlab.app.widgets.row_model import Index, SortedRowModel
from shaderlab.app.widgets.share_bar import SHARE_ROLE
from shaderlab.prediction.forecasts.frame_forecast import FrameLine
from shaderlab.spirv.trace import SourceLine

if TYPE_CHECKING:
    from shaderlab.prediction.forecast import Forecast
    from shaderlab.prediction.forecasts.frame_forecast import FrameForecast


@dataclass(frozen=True)
class HotLine:
    """One line of a pass's text or of a file it includes."""

    pass_name: str
    """Empty where there is but one pass."""
    file: str
    """Empty for the pass's own text."""
    line: int
    share: float
    """Of the whole predicted time, 0..1."""
    time_s: float
    """The same in seconds on the target."""
    count: int | None
    """Times the line ran in the frame; None where that is not known."""
    source: str
    """Its text without indentation; empty for included files."""

    @property
    def place(self) -> str:
        """`12`, or `noise.glsl:12`."""
        return f"{self.file}:{self.line}" if self.file else str(self.line)


MOST_LINES = 200
"""For a long source, only the hottest: sorting thousands would block the interface for a second,
and the rest hardly matters."""


def hot_lines(
    forecast: Forecast | FrameForecast,
    counts: Mapping[str, Mapping[SourceLine, int]],
    texts: Mapping[str, str],
) -> tuple[HotLine, ...]:
    """Lines that take part of the time, hottest first, the first MOST_LINES of them.

    `counts` and `texts`, as predicted: by pass, under an empty name for a single shader.
    """
    lines = {name: text.split("\n") for name, text in texts.items()}
    found = []
    for part in forecast.lines[:MOST_LINES]:
        if part.share <= 0:
            continue
        name = part.pass_name if isinstance(part, FrameLine) else ""
        own = lines.get(name, []) if not part.file else []
        found.append(
            HotLine(
                name,
                part.file,
                part.line,
                part.share,
                part.share * (forecast.least_s or 0.0),
                counts.get(name, {}).get(SourceLine(part.file, part.line)),
                own[part.line - 1].strip() if part.line <= len(own) else "",
            )
        )
    return tuple(found)


COLUMNS = ("Pass", "Line", "Of time", "Time", "Count", "Source")
PASS, LINE, SHARE, TIME, COUNT, SOURCE = range(6)
_TIPS = (
    "Pass of the frame; a click opens its text",
    "Line of the document, or of a file it includes",
    "Share of the time predicted for the chosen target: of the whole frame",
    "That part of the predicted time",
    "How often the line ran in one frame, summed over all pixels",
    "Source text the prediction was made for",
)


class HotLinesModel(SortedRowModel):
    columns, tips = COLUMNS, _TIPS
    words = frozenset({PASS, SOURCE})
    rows: tuple[HotLine, ...]

    def __init__(self) -> None:
        super().__init__(SHARE)

    def sort_key(self, row: HotLine, column: int):
        count = -1 if row.count is None else row.count
        return (row.pass_name, (row.file, row.line), row.share, row.time_s, count, row.source)[
            column
        ]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row, column = self.rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return (
                row.pass_name,
                row.place,
                units.percent(row.share),
                units.seconds(row.time_s),
                "\u2013" if row.count is None else units.count(row.count),
                row.source,
            )[column]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self.alignment(column)
        if role == Qt.ItemDataRole.ToolTipRole:
            if column == SOURCE:
                return row.source or None
            if column == COUNT and row.count is not None:
                return f"ran {row.count:,} times per frame"
        if role == SHARE_ROLE:
            return row.share / max(each.share for each in self.rows)
        return None
