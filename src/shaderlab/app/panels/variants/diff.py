"""Two texts line by line: what was added, removed or kept, and what each line costs in both."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from enum import Enum

from shaderlab import units

_TOKENS = re.compile(r"\w+|\s+|.")
_ALIKE = 0.4
"""Two lines in the same place with this much in common are one line changed."""
_LONGEST = 4000
"""Characters of two lines that are compared: a minified shader may be one line."""
NEGLIGIBLE = 0.0005
"""Of the whole time: less of a change on one line is not shown."""


class Kind(Enum):
    SAME = " "
    REMOVED = "-"
    ADDED = "+"
    GAP = ""
    """Nothing beside a line of the other text."""


Span = tuple[int, int]
"""First character and the one behind the last, from 0."""


@dataclass(frozen=True)
class DiffLine:
    """One line of a diff."""

    kind: Kind
    text: str = ""
    old: int = 0
    """Line number in the former text, from 1; 0 where it is not in it."""
    new: int = 0
    beside: int = 0
    """Number of the line in the other text that it replaces, or that replaces it; 0 for none."""
    spans: tuple[Span, ...] = ()
    """What of it changed, where a line much like it is on the other side."""


@dataclass(frozen=True)
class LineCost:
    """Seconds of the predicted time that one line takes, before and now."""

    then_s: float
    now_s: float


Row = tuple[DiffLine, DiffLine]
"""A line of the former and one of the present text, as they stand side by side."""

_GAP = DiffLine(Kind.GAP)


def side_by_side(old: Sequence[str], new: Sequence[str]) -> list[Row]:
    """All lines of both texts in rows."""
    rows: list[Row] = []
    for tag, a, b, c, d in SequenceMatcher(None, old, new).get_opcodes():
        if tag == "equal":
            same = (DiffLine(Kind.SAME, old[i], i + 1, i + 1 + c - a) for i in range(a, b))
            rows += ((line, line) for line in same)
        else:
            rows += _replaced(old, new, range(a, b), range(c, d))
    return rows


def _replaced(old: Sequence[str], new: Sequence[str], gone: range, come: range) -> Iterator[Row]:
    for n in range(max(len(gone), len(come))):
        left = gone[n] if n < len(gone) else None
        right = come[n] if n < len(come) else None
        yield _pair(
            _GAP
            if left is None
            else DiffLine(Kind.REMOVED, old[left], left + 1, 0, 0 if right is None else right + 1),
            _GAP
            if right is None
            else DiffLine(Kind.ADDED, new[right], 0, right + 1, 0 if left is None else left + 1),
        )


def _pair(left: DiffLine, right: DiffLine) -> Row:
    """Marks what of the two lines differs."""
    if Kind.GAP in (left.kind, right.kind):
        return left, right
    spans = changed_spans(left.text, right.text)
    return replace(left, spans=spans[0]), replace(right, spans=spans[1])


def unified(rows: Sequence[Row]) -> list[DiffLine]:
    """The same in one column: of each change first what was removed, then what was added."""
    lines: list[DiffLine] = []
    added: list[DiffLine] = []
    for left, right in rows:
        if left.kind is Kind.SAME:
            lines += added
            added = []
            lines.append(left)
            continue
        if left.kind is Kind.REMOVED:
            lines.append(left)
        if right.kind is Kind.ADDED:
            added.append(right)
    return lines + added


def changed_spans(old: str, new: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Which characters of two lines differ; nothing where they have little in common, or are too
    long to be compared while the user waits."""
    if len(old) + len(new) > _LONGEST:
        return (), ()
    one, other = _TOKENS.findall(old), _TOKENS.findall(new)
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    if not old.strip() or not new.strip() or matcher.ratio() < _ALIKE:
        return (), ()
    left, right = _starts(one), _starts(other)
    spans: tuple[list[Span], list[Span]] = ([], [])
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag != "equal":
            if b > a:
                spans[0].append((left[a], left[b]))
            if d > c:
                spans[1].append((right[c], right[d]))
    return tuple(spans[0]), tuple(spans[1])


def _starts(tokens: Sequence[str]) -> list[int]:
    starts = [0]
    for token in tokens:
        starts.append(starts[-1] + len(token))
    return starts


def change_text(cost: LineCost, whole_s: float) -> str:
    """`+1.2 µs`; empty for a change that is nothing of the whole time."""
    change = cost.now_s - cost.then_s
    if abs(change) < NEGLIGIBLE * whole_s:
        return ""
    sign = "+" if change > 0 else "\u2212"
    return f"{sign}{units.seconds(abs(change))}"
