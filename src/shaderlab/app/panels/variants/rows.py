"""Variants and the history as what is shown: rows of a table, points of a curve."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from shaderlab import units
from shaderlab.app.qt import Qt
from shaderlab.app.session.versions import Version
from shaderlab.app.widgets.row_model import Index, RowModel
from shaderlab.prediction.forecasts.time_changes import Change, change_of
from shaderlab.prediction.forms import Form

if TYPE_CHECKING:
    from shaderlab.prediction.catalogue.change_bands import ChangeBand

Key = tuple[str, str, str]
"""Of a time: target, method and form; of a frame's, those of its passes (`FrameForecast`)."""
_NO_BANDS: Mapping[str, ChangeBand] = {}
_FINENESS: Mapping[str, int] = {Form.COMPILED: 0, Form.OPTIMIZED: 1, Form.WRITTEN: 2}


@dataclass(frozen=True)
class VariantRow:
    """One variant beside the present version."""

    number: int
    name: str
    time_s: float | None
    """Predicted for the chosen target; None where nothing comparable is known."""
    change: Change | None
    """From it to the present version."""
    at: float
    is_baseline: bool


@dataclass(frozen=True)
class Point:
    """One version on a curve."""

    number: int
    time_s: float


def usual_key(versions: Sequence[Version], target: str) -> Key | None:
    """By which method and form most versions have a time for the target; of equals the finest.

    Quick edits have times of the program as written only; finer ones come once the text rests.
    """
    return _usual(Counter(key for each in versions for key in each.times_s if key[0] == target))


def _usual(counted: Mapping[Key, int]) -> Key | None:
    most = max(counted.values(), default=0)
    often = [key for key, times in counted.items() if times == most]
    return min(often, key=_by_fineness, default=None)


def _by_fineness(key: Key) -> tuple[int, Key]:
    """Finest first; a frame is as fine as the coarsest form of its passes."""
    forms = (each.rpartition(" ")[2] for each in key[2].split("; "))
    return max(_FINENESS.get(each, len(_FINENESS)) for each in forms), key


def variant_rows(
    versions: Sequence[Version],
    target: str,
    baseline: int,
    *,
    current: bool = True,
    bands: Mapping[str, ChangeBand] = _NO_BANDS,
) -> tuple[VariantRow, ...]:
    """Newest first; each is compared with the latest version by the finest method both have.

    No change is given where that version is not the `current` text.  `bands`: of the target's
    changes, by method.
    """
    latest = versions[-1] if versions else None
    rows = []
    for each in reversed(versions):
        if not each.name:
            continue
        time_s, change = _compared(each, latest, target, bands)
        change = change if current else None
        rows.append(
            VariantRow(each.number, each.name, time_s, change, each.at, each.number == baseline)
        )
    return tuple(rows)


def _compared(
    version: Version, latest: Version | None, target: str, bands: Mapping[str, ChangeBand]
) -> tuple[float | None, Change | None]:
    if key := common_key(version, latest, target):
        assert latest is not None
        time_s = version.times_s[key]
        return time_s, change_of(latest.times_s[key], time_s, bands.get(key[1]))
    own = usual_key([version], target)
    return (version.times_s[own] if own else None), None


def common_key(version: Version, latest: Version | None, target: str) -> Key | None:
    """The finest method and form that both have a time of."""
    if latest is None:
        return None
    both = [key for key in version.times_s if key[0] == target and key in latest.times_s]
    return min(both, key=_by_fineness, default=None)


def curves(versions: Sequence[Version]) -> dict[str, tuple[Point, ...]]:
    """By target: the times of all versions that have one of the target's usual method."""
    counted: dict[str, dict[Key, int]] = {}
    for key, times in Counter(chain.from_iterable(each.times_s for each in versions)).items():
        counted.setdefault(key[0], {})[key] = times
    found = {}
    for target, its in counted.items():
        key = _usual(its)
        if key is not None:
            found[target] = tuple(
                Point(each.number, each.times_s[key])
                for each in versions
                if each.times_s.get(key, 0.0) > 0
            )
    return found


def line_seconds(version: Version, target: str, key: Key | None) -> Mapping[int, float]:
    """Seconds that each line takes, where shares and a time are known."""
    shares, time_s = version.lines.get(target), version.times_s.get(key) if key else None
    if shares is None or time_s is None:
        return {}
    return {part.line: part.share * time_s for part in shares}


def clock(at: float) -> str:
    """`23:12:05`, with the date if that is another day."""
    then, now = time.localtime(at), time.localtime()
    shown = time.strftime("%H:%M:%S", then)
    return shown if then[:3] == now[:3] else f"{time.strftime('%Y-%m-%d', then)} {shown[:5]}"


COLUMNS = ("Variant", "Time", "Now")
NAME, TIME, CHANGE = range(3)
_TIPS = (
    "Name; F2 or a double-click changes it. Times are compared with the one in bold",
    "Predicted for the chosen target",
    "How the current version compares with it",
)


class VariantsModel(RowModel):
    """Names can be edited: `renamed` is called with the number and the new name."""

    columns, tips = COLUMNS, _TIPS
    words = frozenset({NAME})
    rows: tuple[VariantRow, ...]

    def __init__(self, renamed) -> None:
        super().__init__()
        self._renamed = renamed
        self.colours: tuple[Any, Any] = (None, None)
        """Of slower and faster."""

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row, column = self.rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(row, column)
        if role == Qt.ItemDataRole.EditRole:
            return row.name
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self.alignment(column)
        if role == Qt.ItemDataRole.ForegroundRole and column == CHANGE and row.change:
            return self.colours[not row.change.slower] if row.change.clear else None
        if role == Qt.ItemDataRole.ToolTipRole and column == NAME:
            return f"{row.name}\nCompiled at {clock(row.at)}"
        if role == Qt.ItemDataRole.ToolTipRole and column == TIME and row.time_s is None:
            return (
                "Not predicted at the frame size and time chosen now; "
                "restore its text to predict it"
            )
        if role == Qt.ItemDataRole.ToolTipRole and column == CHANGE and row.change:
            return f"{row.change.absolute} on the chosen target; {row.change.known}"
        return None

    def _text(self, row: VariantRow, column: int) -> str:
        if column == TIME:
            return units.seconds(row.time_s) if row.time_s is not None else "\u2013"
        if column == CHANGE:
            return "\u2013" if row.change is None else row.change.relative or "same"
        return row.name

    def flags(self, index: Index) -> Qt.ItemFlag:
        found = super().flags(index)
        return found | Qt.ItemFlag.ItemIsEditable if index.column() == NAME else found

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.EditRole or not str(value).strip():
            return False
        self._renamed(self.rows[index.row()].number, str(value))
        return True
