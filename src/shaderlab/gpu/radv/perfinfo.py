"""The compiler's own account of cycles (`ACO_DEBUG=perfinfo`), as RADV prints it to stderr.

For each shader stage: a line `ACO shader stage: …`, then the blocks with a comment on their place
in the flow graph, then the instructions, each after `( n clk)`: the cycles from its issue to the
next one's, stalls on earlier results included.  A summary of unit usage follows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from shaderlab.frontend.stage import Stage
from shaderlab.gpu.compilers.listing import IsaBlock, Listing

ENVIRONMENT = ("ACO_DEBUG", "perfinfo")
"""Name and value of the variable that makes RADV print it; read once per process."""

_ADDED = ("s_inst_prefetch", "s_nop")
"""Instructions that align loops, which are put in after the compiler's account was printed."""
_STAGE = re.compile(r"^ACO shader stage:(.*)$", re.MULTILINE)
_STAGES = {
    Stage.FRAGMENT: re.compile(r"fragment|\bFS\b", re.IGNORECASE),
    Stage.COMPUTE: re.compile(r"compute|\bCS\b", re.IGNORECASE),
}
"""By the stage, what Mesas call it: those whose code meets counts."""
_BLOCK = re.compile(r"^BB(\d+)\s*$")
_PLACE = re.compile(r"^/\*\s*logical preds:(.*?)/ linear preds:(.*?)/ kind:(.*?)\*/")
_COSTED = re.compile(r"^\s*\(\s*(\d+) clk\)\s+(.*)$")
_SUMMARY = re.compile(r"^(\w+): ([\d.]+)\s*$")


@dataclass(frozen=True)
class CostedBlock:
    """One block of the compiler's flow graph after register allocation; may be empty."""

    number: int
    kinds: frozenset[str]
    """`loop-header`, `loop-exit`, `merge`, `invert`, `break`, `continue`, `top-level`, …"""
    logical_predecessors: tuple[int, ...]
    """Blocks a lane may come from, as the program has it."""
    linear_predecessors: tuple[int, ...]
    """Blocks the wave may come from."""
    instructions: tuple[str, ...]
    cycles: tuple[int, ...]
    """Per instruction."""


@dataclass(frozen=True)
class Costs:
    """A stage's account."""

    blocks: tuple[CostedBlock, ...]
    summary: dict[str, float]
    """Totals by ACO's guesses of trips: `latency`, `valu_usage`, `num_waves`, …"""


def stage_text(output: str, stage: Stage = Stage.FRAGMENT) -> str:
    """The part of a process's output that is about the last shader of a stage; may be empty, as it
    is for vertex shaders."""
    found = ""
    if stage not in _STAGES:
        return found
    stages = list(_STAGE.finditer(output))
    for each, following in zip(stages, [*stages[1:], None], strict=True):
        if _STAGES[stage].search(each[1]):
            found = output[each.start() : following.start() if following else None]
    return found


def parse(text: str) -> Costs:
    """Read `stage_text`.  Lines of other kinds are left out."""
    blocks: list[CostedBlock] = []
    instructions: list[str] = []
    cycles: list[int] = []
    summary: dict[str, float] = {}

    def close() -> None:
        if blocks:
            blocks[-1] = replace(blocks[-1], instructions=tuple(instructions), cycles=tuple(cycles))
        instructions.clear()
        cycles.clear()

    for line in text.splitlines():
        if costed := _COSTED.match(line):
            cycles.append(int(costed[1]))
            instructions.append(costed[2].strip())
        elif block := _BLOCK.match(line):
            close()
            blocks.append(CostedBlock(int(block[1]), frozenset(), (), (), (), ()))
        elif (place := _PLACE.match(line)) and blocks:
            blocks[-1] = replace(
                blocks[-1],
                logical_predecessors=_numbers(place[1]),
                linear_predecessors=_numbers(place[2]),
                kinds=frozenset(filter(None, re.split(r"[,\s]+", place[3]))),
            )
        elif total := _SUMMARY.match(line):
            summary[total[1]] = float(total[2])
    close()
    return Costs(tuple(blocks), summary)


def annotated(listing: Listing, text: str) -> Listing:
    """The listing with cycles, in those blocks where both texts hold equally many instructions, but
    for what later Mesas add when they assemble."""
    if not text:
        return listing
    known = {block.number: block.cycles for block in parse(text).blocks}
    return Listing(
        tuple(_with_cycles(block, known.get(block.number, ())) for block in listing.blocks)
    )


def _with_cycles(block: IsaBlock, cycles: tuple[int, ...]) -> IsaBlock:
    """`block` with those of its instructions; as it is where they are not of as many."""
    added = [i.mnemonic in _ADDED for i in block.instructions]
    if len(cycles) == len(added):
        added = [False] * len(added)
    if len(cycles) != len(added) - sum(added):
        return block
    each = iter(cycles)
    return replace(
        block,
        instructions=tuple(
            replace(instruction, cycles=0 if later else next(each))
            for instruction, later in zip(block.instructions, added, strict=True)
        ),
    )


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(n) for n in re.findall(r"BB(\d+)", text))
