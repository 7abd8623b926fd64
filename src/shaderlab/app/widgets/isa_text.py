"""Machine code as the panel shows it: a line per instruction, executions beside the labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shaderlab import units
from shaderlab.app.widgets.phrases import line_ranges
from shaderlab.gpu.compilers.listing import listing_of
from shaderlab.gpu.radv import perfinfo

if TYPE_CHECKING:
    from shaderlab.gpu.compilers.compiled import Executable
    from shaderlab.gpu.compilers.syntax import Unit
    from shaderlab.gpu.compilers.vendors import Vendor
    from shaderlab.gpu.radv.cost import FrameCost

HEAT_FROM = (0.01, 0.05, 0.15, 0.3, 0.5)
"""Shares of the frame's busy cycles from which a label takes the next of `Theme.heat`."""


@dataclass(frozen=True)
class IsaLine:
    """One line of the view."""

    text: str
    block: int
    label: bool = False
    heat: int = 0
    """Index into `Theme.heat`, for labels."""
    unit: Unit | None = None
    """What executes the instruction."""
    start: int = 0
    """Of its mnemonic in the text."""
    end: int = 0


def isa_lines(
    executable: Executable, vendor: Vendor, cost: FrameCost | None
) -> tuple[IsaLine, ...]:
    """The listing; with a cost by blocks, each label shows how often it ran, and its lines."""
    listing = perfinfo.annotated(listing_of(executable, vendor), executable.costs)
    by_number = {block.number: block for block in cost.blocks} if cost else {}
    lines: list[IsaLine] = []
    for block in listing.blocks:
        notes, heat = [], 0
        ran = by_number.get(block.number)
        if ran is not None and cost is not None:
            share = ran.busy_cycles / cost.busy_cycles if cost.busy_cycles else 0.0
            heat = sum(share >= least for least in HEAT_FROM)
            notes.append(f"{units.count(round(ran.executions))} waves")
            notes.append(f"{units.percent(share)} of the {cost.measure}")
            own = line_ranges(tuple(sorted({p.line for p in ran.lines if not p.file})))
            if own:
                notes.append(f"lines {own}" if not own.isdecimal() else f"line {own}")
        if depth := listing.depth(block.number):
            notes.append("in a loop" if depth == 1 else f"in {depth} loops")
        suffix = f"  ; {', '.join(notes)}" if notes else ""
        lines.append(IsaLine(f"{block.name}:{suffix}", block.number, True, heat))
        for each in block.instructions:
            cycles = "" if each.cycles is None else str(each.cycles)
            start = f"{cycles:>5}  {each.prefix}"
            end = len(start) + len(each.mnemonic)
            text = f"{start + each.mnemonic:<29} {each.operands}".rstrip()
            lines.append(IsaLine(text, block.number, unit=each.unit, start=len(start), end=end))
    return tuple(lines)


def blocks_of_line(cost: FrameCost | None, line: int) -> frozenset[int]:
    """Machine blocks that a line of the document is known to be in."""
    if cost is None:
        return frozenset()
    return frozenset(
        block.number
        for block in cost.blocks
        if any(place.line == line and not place.file for place in block.lines)
    )


def lines_of_block(cost: FrameCost | None, number: int) -> tuple[int, ...]:
    """Lines of the document that a machine block is known to come from."""
    if cost is None:
        return ()
    found = {
        place.line
        for block in cost.blocks
        if block.number == number
        for place in block.lines
        if not place.file
    }
    return tuple(sorted(found))
