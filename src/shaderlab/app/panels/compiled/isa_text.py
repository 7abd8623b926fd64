"""Machine code as the panel shows it: a line per instruction, executions beside the labels."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from shaderlab import units
from shaderlab.app.widgets.phrases import line_ranges

if TYPE_CHECKING:
    from shaderlab.gpu.radv.compiled import CompiledStats
    from shaderlab.gpu.radv.cost import FrameCost

HEAT_FROM = (0.01, 0.05, 0.15, 0.3, 0.5)
"""Shares of the frame's busy cycles from which a label takes the next of `Theme.heat`."""


class Colour(Enum):
    """Which kind of instruction a mnemonic is, by how it is coloured."""

    VECTOR = "vector"
    SCALAR = "scalar"
    BRANCH = "branch"
    MEMORY = "memory"
    WAIT = "wait"


@dataclass(frozen=True)
class IsaLine:
    """One line of the view."""

    text: str
    block: int
    label: bool = False
    heat: int = 0
    """Index into `Theme.heat`, for labels."""


def colour_of(mnemonic: str) -> Colour:
    """By what executes it."""
    if mnemonic.startswith(("s_branch", "s_cbranch", "s_endpgm", "s_setpc")):
        return Colour.BRANCH
    if mnemonic.startswith(("s_wait", "s_nop", "s_clause", "s_delay_alu", "s_inst_prefetch")):
        return Colour.WAIT
    if mnemonic.startswith(("s_load", "s_buffer", "s_store")) or not mnemonic.startswith(
        ("s_", "v_")
    ):
        return Colour.MEMORY
    return Colour.SCALAR if mnemonic.startswith("s_") else Colour.VECTOR


def isa_lines(stats: CompiledStats, cost: FrameCost | None) -> tuple[IsaLine, ...]:
    """The listing; with a cost by blocks, each label shows how often it ran, and its lines."""
    by_number = {block.number: block for block in cost.blocks} if cost else {}
    lines: list[IsaLine] = []
    for block in stats.listing.blocks:
        notes, heat = [], 0
        ran = by_number.get(block.number)
        if ran is not None and cost is not None:
            share = ran.busy_cycles / cost.busy_cycles if cost.busy_cycles else 0.0
            heat = sum(share >= least for least in HEAT_FROM)
            notes.append(f"{units.count(round(ran.executions))} waves")
            notes.append(f"{units.percent(share)} of the cycles")
            own = line_ranges(tuple(sorted({p.line for p in ran.lines if not p.file})))
            if own:
                notes.append(f"lines {own}" if not own.isdecimal() else f"line {own}")
        if depth := stats.listing.depth(block.number):
            notes.append("in a loop" if depth == 1 else f"in {depth} loops")
        suffix = f"  ; {', '.join(notes)}" if notes else ""
        lines.append(IsaLine(f"BB{block.number}:{suffix}", block.number, True, heat))
        for instruction in block.instructions:
            cycles = "" if instruction.cycles is None else str(instruction.cycles)
            text = f"{cycles:>5}  {instruction.mnemonic:<22} {instruction.operands}".rstrip()
            lines.append(IsaLine(text, block.number))
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
