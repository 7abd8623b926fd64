"""What stands out among the costs of a text's lines: the hot ones, and those that never ran."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class LineCosts:
    """Of one text; lines count from 1."""

    heat: Mapping[int, int] = field(default_factory=dict)
    """Steps of `Theme.heat` by line, from 1 up; the other lines are cold."""
    unrun: tuple[tuple[int, int], ...] = ()
    """First and last line of each stretch that never ran, ascending."""


def unrun_stretches(counts: Mapping[int, int]) -> tuple[tuple[int, int], ...]:
    """Lines that never ran, with what lies between them: a line without a count of its own, such
    as a brace, belongs to a stretch if no line that ran comes between."""
    found: list[list[int]] = []
    open_stretch = False
    for line in sorted(counts):
        if counts[line]:
            open_stretch = False
        elif open_stretch:
            found[-1][1] = line
        else:
            found.append([line, line])
            open_stretch = True
    return tuple((first, last) for first, last in found)


def with_uncalled(
    unrun: Iterable[tuple[int, int]],
    functions: Iterable[tuple[int, int]],
    counted: Collection[int],
) -> tuple[tuple[int, int], ...]:
    """`unrun`, and the first and last lines of those functions that no line with a count is in.

    Those of one line are left out: such a line may be a macro's, which has counts elsewhere.
    """
    lines = sorted(counted)
    uncalled = [
        (first, last)
        for first, last in functions
        if last > first and bisect_left(lines, first) == bisect_right(lines, last)
    ]
    return tuple(sorted({*unrun, *uncalled}))


def joined(costs: Iterable[LineCosts]) -> LineCosts:
    """Of stages in one text: the last one's heat, and what never ran in any single one."""
    heat: dict[int, int] = {}
    stretches: list[tuple[int, int]] = []
    for each in costs:
        heat.update(each.heat)
        stretches += each.unrun
    return LineCosts(heat, tuple(sorted(stretches)))


def hottest(heat: Mapping[int, int], first: int, last: int) -> int | None:
    """The hottest line from `first` to `last`, the first of equals; None where all are cold."""
    inside = [line for line in heat if first <= line <= last]
    return min(inside, key=lambda line: (-heat[line], line), default=None)
