"""What the comparison of two texts shows, worked out apart from the interface."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from shaderlab import units
from shaderlab.app.panels.variants.diff import (
    NEGLIGIBLE,
    DiffLine,
    Kind,
    LineCost,
    change_text,
    side_by_side,
    unified,
)
from shaderlab.app.panels.variants.diff_view import Note

_CONTEXT = 4
"""Lines kept around a change where equal ones are left out."""
_COSTLY = 0.01
"""Of the whole time: a line whose cost changed by more is shown though its text is the same."""


@dataclass(frozen=True)
class Prepared:
    """What each column shows: one, or two side by side."""

    columns: tuple[tuple[Sequence[DiffLine], Sequence[Note]], ...]
    changes: Sequence[int]
    """First row of each place that differs."""


@dataclass(frozen=True)
class Comparing:
    """Two texts, and what is wanted of them."""

    old: str = ""
    new: str = ""
    then_s: Mapping[int, float] | None = None
    """Seconds by line of the former text."""
    now_s: Mapping[int, float] | None = None
    whole_s: float = 0.0
    """Of the former version."""
    clear: bool = False
    """Whether the whole is slower or faster for certain; else no line is coloured."""
    beside: bool = False
    """Side by side."""
    whole: bool = False
    """All lines."""

    @property
    def has_costs(self) -> bool:
        return bool(self.then_s or self.now_s)

    def prepared(self) -> Prepared:
        """For 5,000 lines this takes a good part of a second."""
        old, new = self.old.split("\n"), self.new.split("\n")
        context = len(old) + len(new) if self.whole else _CONTEXT
        rows = side_by_side(old, new)
        if self.beside:
            kept = _near_changes([self._is_same(left) for left, _ in rows], context)
            left, right = (_cut([row[side] for row in rows], kept) for side in (0, 1))
            same = [a.kind is b.kind for a, b in zip(left, right, strict=True)]
            columns = (
                (left, [self._note(line, then=True) for line in left]),
                (right, [self._note(line) for line in right]),
            )
        else:
            lines = unified(rows)
            lines = _cut(lines, _near_changes([self._is_same(line) for line in lines], context))
            same = [line.kind in (Kind.SAME, Kind.GAP) for line in lines]
            columns = ((lines, [self._note(line) for line in lines]),)
        changes = [n for n, each in enumerate(same) if not each and (n == 0 or same[n - 1])]
        return Prepared(columns, changes)

    def _note(self, line: DiffLine, *, then: bool = False) -> Note:
        """What a line takes; `then`: in the former version, on whose side it stands."""
        if line.kind is Kind.GAP:
            return Note()
        both = self._cost(line)
        gone = line.kind is Kind.REMOVED
        shown = both.then_s if then or gone else both.now_s
        cost = units.seconds(shown) if shown > NEGLIGIBLE * self.whole_s else ""
        if then or (gone and line.beside):  # the change stands on the other side
            return Note(cost)
        slower = both.now_s > both.then_s if self.clear else None
        return Note(cost, change_text(both, self.whole_s), slower)

    def _cost(self, line: DiffLine) -> LineCost:
        """What the line, and the one in its place in the other text, take."""
        gone = line.kind is Kind.REMOVED
        old, new = (line.old, line.beside) if gone else (line.old or line.beside, line.new)
        return LineCost((self.then_s or {}).get(old, 0.0), (self.now_s or {}).get(new, 0.0))

    def _is_same(self, line: DiffLine) -> bool:
        """Whether it is the same text at about the same cost."""
        cost = self._cost(line)
        moved = abs(cost.now_s - cost.then_s) > _COSTLY * self.whole_s
        return line.kind is Kind.SAME and not moved


def _near_changes(same: Sequence[bool], context: int) -> list[bool]:
    """Which rows are a change or so near one."""
    changes = [n for n, is_same in enumerate(same) if not is_same]
    kept = [False] * len(same)
    end = 0
    for n in changes:
        for near in range(max(n - context, end), min(n + context + 1, len(same))):
            kept[near] = True
            end = near + 1
    return kept


def _cut(lines: Sequence[DiffLine], kept: Sequence[bool]) -> list[DiffLine]:
    """Those kept, with one row in place of each run of others."""
    found: list[DiffLine] = []
    left_out = 0
    for line, keep in zip([*lines, None], [*kept, True], strict=True):
        if not keep:
            left_out += 1
            continue
        if left_out:
            found.append(DiffLine(Kind.GAP, f"\u22ef {left_out} lines that are the same"))
            left_out = 0
        if line is not None:
            found.append(line)
    return found
