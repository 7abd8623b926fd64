"""Where the panels are at first, by the room there is: columns, halves or one group of tabs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

Group = tuple[str, ...]
"""Names of panels in one place, as tabs."""
OTHERS = "*"
"""In a group: every panel that no group names."""


class Room(StrEnum):
    """Kinds of windows by width; each remembers its own arrangement."""

    NARROW = "narrow"
    """Less than half of a 1920-pixel screen."""
    HALF = "half"
    """Half a screen, beside another program."""
    WIDE = "wide"
    LARGE = "large"
    """A 4K screen."""


_LEAST_WIDTHS = {Room.LARGE: 2200, Room.WIDE: 1100, Room.HALF: 800}


def room(width: int) -> Room:
    """The kind of a window that is `width` device-independent pixels wide."""
    return next((kind for kind, least in _LEAST_WIDTHS.items() if width >= least), Room.NARROW)


@dataclass(frozen=True)
class Arrangement:
    """Columns of groups, beside the editor or below it."""

    columns: tuple[tuple[Group, ...], ...]
    """From left to right; a column's groups from top to bottom."""
    beside: bool
    """At the editor's right rather than below it."""
    share: float
    """Of the window's width (beside) or height that the panels take."""
    first_row: float = 0.46
    """Share of a column's height that its first group takes."""


ARRANGEMENTS = {
    Room.NARROW: Arrangement(((("preview", OTHERS),),), False, 0.42),
    Room.HALF: Arrangement(((("preview",),), ((OTHERS,),)), False, 0.42),
    Room.WIDE: Arrangement(((("preview",), (OTHERS,)),), True, 0.485),
    Room.LARGE: Arrangement(
        ((("preview",), ("inputs", OTHERS)), (("targets",), ("hot_lines", "blocks", "compiled"))),
        True,
        0.58,
    ),
}


def columns(arrangement: Arrangement, names: Sequence[str]) -> list[list[list[str]]]:
    """The arrangement's columns with every panel of `names` once, in the order of `names` where
    nothing else is said; empty groups are left out."""
    named = _names(group for column in arrangement.columns for group in column)
    others = [name for name in names if name not in named]

    def members(group: Group) -> list[str]:
        listed = ((others if entry == OTHERS else [entry]) for entry in group)
        return [name for entries in listed for name in entries if name in names]

    return [[m for group in column if (m := members(group))] for column in arrangement.columns]


def _names(groups: Iterable[Group]) -> set[str]:
    return {name for group in groups for name in group}
