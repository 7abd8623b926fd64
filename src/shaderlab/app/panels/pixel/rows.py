"""The runs of a line in one pixel, as rows of a table."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shaderlab.spirv.passes.recording import Access

if TYPE_CHECKING:
    from shaderlab.gpu.pixel_values import PixelValues
    from shaderlab.spirv.passes.recording import Event, Site, Value

_RETURNED = "returned"


@dataclass(frozen=True)
class Column:
    """A place in the line that reads or writes a variable."""

    site: int
    title: str
    """`sum`, with `=` behind it where the line writes it."""
    tip: str


@dataclass(frozen=True)
class Cell:
    """One value."""

    text: str
    odd: bool
    """Whether it is not a number, or infinite."""


def columns_of(values: PixelValues, text: str) -> tuple[Column, ...]:
    """The places to show: those whose variable the line, `text`, names.

    A compiler's copies (`param`) are none of them; where the line's text is not known, all are.
    """
    words = set(re.findall(r"\w+", text))
    return tuple(
        Column(number, *_title(site))
        for number, site in enumerate(values.sites)
        if not words or site.access is Access.RETURNED or _names(site.name) <= words
    )


def _names(path: str) -> set[str]:
    """Names in a path that its line must have: all but members of unnamed blocks and indices."""
    return {re.split(r"[.\[]", path)[0]}


def _title(site: Site) -> tuple[str, str]:
    kind = site.type.glsl
    if site.access is Access.RETURNED:
        return _RETURNED, f"What the function returns here, {kind}"
    written = site.access is Access.WRITTEN
    how = "after the line wrote it" if written else "as the line reads it"
    return f"{site.name} =" if written else site.name, f"{site.name}, {kind}, {how}"


def rows_of(values: PixelValues, columns: Sequence[Column]) -> tuple[tuple[Cell, ...], ...]:
    """One row per run of the line; an empty cell where a run did not come by."""
    return tuple(_row(step, columns) for step in values.steps)


def _row(step: Sequence[Event], columns: Sequence[Column]) -> tuple[Cell, ...]:
    held = {event.site: event.value for event in step}
    return tuple(
        Cell(value_text(held[each.site]), _is_odd(held[each.site]))
        if each.site in held
        else Cell("", False)
        for each in columns
    )


def value_text(value: Value) -> str:
    """`0.25`, `true`, `(1, 2, 3)`: seven digits, which tell neighbouring floats apart mostly."""
    parts = [_part_text(each) for each in value]
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"


def _part_text(part: float | bool) -> str:
    if isinstance(part, bool):
        return "true" if part else "false"
    return f"{part:.7g}" if isinstance(part, float) else str(part)


def _is_odd(value: Value) -> bool:
    return not all(math.isfinite(each) for each in value)
