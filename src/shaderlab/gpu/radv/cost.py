"""Counts meet machine code: what a frame costs on a family, by block and by source line.

The optimised program is run and its blocks counted (`replay`); its flow graph is the machine
code's (`mapping`); so every machine block has a measured number of executions, in place of the
trip counts and branch odds the compiler guesses.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, NamedTuple

from shaderlab.frontend.stage import Stage
from shaderlab.gpu.compilers.compiled import CompiledStats
from shaderlab.gpu.compilers.families import Family
from shaderlab.gpu.radv import mapping, perfinfo
from shaderlab.gpu.radv.replay import Replay
from shaderlab.gpu.radv.units import busy_cycles, unit
from shaderlab.spirv.trace import BlockCount, SourceLine, Trace
from shaderlab.spirv.warps import LANES

_SAME = 0.01
"""Relative difference up to which two blocks' counts are taken for the same."""

_EXACT = 1e-4
"""The same for a whole number of times, which chance meets more easily."""

_MOST_COPIES = 64.5
"""More iterations than compilers unroll."""

_FREE = frozenset(
    {"OpLoad", "OpStore", "OpAccessChain", "OpVariable", "OpLine", "OpNoLine", "OpBranch",
     "OpSelectionMerge", "OpLoopMerge", "OpFunctionCall", "OpReturn", "OpReturnValue"}
)  # fmt: skip
"""What an optimiser leaves nothing of."""


@dataclass(frozen=True)
class MachineBlockCost:
    """One block of the machine code over a whole frame."""

    number: int
    """The n of `BB<n>` in the listing."""
    executions: float
    """By waves, summed over the frame; lanes of a wave that wait are not counted apart."""
    busy_cycles: float
    """Cycles it keeps SIMDs from issuing vectors, summed over the frame."""
    wait_cycles: float
    """Cycles waves spend in it by the compiler's model, stalls included, summed over the frame."""
    lines: tuple[SourceLine, ...] = ()
    """Source lines of the original's blocks that ran as often, in the order of the text; empty
    where there were none."""


@dataclass(frozen=True)
class LineCost:
    """A source line's part of the frame's busy cycles."""

    line: SourceLine
    share: float


@dataclass(frozen=True)
class FrameCost:
    """What one frame costs on a family, in cycles of its SIMDs."""

    target: str
    size: tuple[int, int]
    """Width, height in pixels of what was counted; of a dispatch its invocations and 1."""
    waves: float
    busy_cycles: float
    """Vector issue cycles summed over all waves: divided by SIMDs and clock, the least time."""
    wait_cycles: float
    """Cycles of all waves one after another, stalls included."""
    executed: Mapping[Enum, float]
    """Instructions by the unit that executes them, summed over all waves; empty where the program
    could not be replayed."""
    blocks: tuple[MachineBlockCost, ...]
    """In the order of the code; empty where the program could not be replayed."""
    lines: tuple[LineCost, ...]
    """By descending share."""
    explained: float
    """Part of the busy cycles whose executions were measured block by block, 0 to 1."""
    lines_explained: float
    """Part of the busy cycles that found its source lines by its count, 0 to 1."""
    basis: str
    """For the user: what was counted and how it met the code."""
    measure: str = "cycles"
    """What `busy_cycles` counts: `instructions` where no cycles of a vendor's units are known."""
    is_dispatch: bool = False
    """Whether it is of a compute shader, for whose times no law is known."""


def frame_cost(
    stats: CompiledStats,
    family: Family,
    replay: Replay,
    replayed: Trace,
    original: Trace,
    workgroup: int = 0,
) -> FrameCost | None:
    """Cost by blocks.  None where the machine code's flow graph is not the program's.

    `replayed` is a trace of `replay.text`, `original` one of the program itself, both of the same
    frame at the same size; `workgroup`: invocations of one, 0 for pixels.
    """
    costs = perfinfo.parse(stats.chosen.costs)
    matched = mapping.match(replay.function, costs)
    if matched is None:
        return None
    lanes, groups = program_counts(replay, replayed)
    per_group = waves_per_group(stats, workgroup)
    executions = mapping.wave_counts(
        costs, matched, {block: n * per_group for block, n in groups.items()}
    )
    ran: list[Ran] = []
    last = 0
    for block in costs.blocks:
        n = executions[block.number]
        names = [_mnemonic(text) for text in block.instructions]
        size = stats.chosen.subgroup_size
        busy = n * sum(busy_cycles(name, family.architecture, size) for name in names)
        last = matched.get(block.number, last)
        by_unit: Counter[Enum] = Counter(map(unit, names))
        ran.append(
            Ran(MachineBlockCost(block.number, n, busy, n * sum(block.cycles)), last, by_unit)
        )
    basis = f"every block of the {family.chip} code counted on {replayed.device} by running the "
    waves = waves_in_all(stats, original, workgroup)
    return joined(stats, ran, lanes, original, basis + "optimised program", waves)


class Ran(NamedTuple):
    """A block of machine code that was counted."""

    cost: MachineBlockCost
    owner: int
    """Number of the optimised program's block that it is, or follows."""
    by_unit: Mapping[Any, int]
    """Its instructions, by a vendor's units or the common ones."""


def joined(
    stats: CompiledStats,
    ran: Sequence[Ran],
    lanes: Mapping[int, float],
    original: Trace,
    basis: str,
    waves: float,
    measure: str = "cycles",
) -> FrameCost:
    """A frame's cost from its counted blocks, with source lines found by equal counts.

    `lanes`: executions of the optimised program's blocks; `basis`: a sentence without its end;
    `waves`: of the whole frame.
    """
    executed: defaultdict[Enum, float] = defaultdict(float)
    by_program_block: defaultdict[int, float] = defaultdict(float)
    for each in ran:
        by_program_block[each.owner] += each.cost.busy_cycles
        for kind, number in each.by_unit.items():
            executed[kind] += each.cost.executions * number
    shares, found, lines = _line_shares(by_program_block, lanes, original)
    return FrameCost(
        target=stats.target,
        size=original.size,
        waves=waves,
        busy_cycles=sum(each.cost.busy_cycles for each in ran),
        wait_cycles=sum(each.cost.wait_cycles for each in ran),
        executed={kind: n for kind, n in executed.items() if n},
        blocks=tuple(replace(each.cost, lines=lines[each.owner]) for each in ran),
        lines=shares,
        explained=1.0,
        lines_explained=found,
        basis=f"{basis}; source lines found by equal counts for {found:.0%} of the {measure}",
        measure=measure,
        is_dispatch=stats.chosen.stage is Stage.COMPUTE,
    )


def whole_program_cost(
    stats: CompiledStats,
    family: Family,
    original: Trace,
    guessed: float,
    reason: str,
    workgroup: int = 0,
) -> FrameCost:
    """Cost where the program cannot be replayed: the compiler's own totals, scaled.

    The driver reports "Inverse Throughput".  `guessed`: instructions per invocation with the
    compiler's guessed trips (`guesses`); `workgroup`: as `frame_cost` has it.
    """
    invocations = original.size[0] * original.size[1]
    measured = original.instructions_executed / invocations
    waves = waves_in_all(stats, original, workgroup)
    scale = waves * measured / max(guessed, 1.0)
    weights: dict[SourceLine, float] = {}
    for block in original.blocks:
        _spread(weights, block, float(block.count))
    return FrameCost(
        target=stats.target,
        size=original.size,
        waves=waves,
        busy_cycles=scale * (stats.chosen.value("Inverse Throughput") or 0),
        wait_cycles=scale * (stats.chosen.value("Latency") or 0),
        executed={},
        blocks=(),
        lines=_shares(weights),
        explained=0.0,
        lines_explained=0.0,
        basis=(
            f"the compiler's whole-program numbers for {family.chip}, scaled by measured over "
            f"guessed trips, because {reason}"
        ),
        is_dispatch=stats.chosen.stage is Stage.COMPUTE,
    )


def waves_in_all(stats: CompiledStats, original: Trace, workgroup: int) -> float:
    """Of a frame; each workgroup of a dispatch begins with one of its own."""
    invocations, size = original.size[0] * original.size[1], max(stats.chosen.subgroup_size, 1)
    if not workgroup:
        return invocations / size
    return invocations / workgroup * -(-workgroup // size)


def waves_per_group(stats: CompiledStats, workgroup: int) -> float:
    """Waves for each group of 32 that was counted."""
    size = max(stats.chosen.subgroup_size, 1)
    return -(-workgroup // size) / -(-workgroup // LANES) if workgroup else LANES / size


def _mnemonic(text: str) -> str:
    """`v_mul_f32` of ACO's `v4 = v_mul_f32 v2, v0`."""
    return text.rpartition(" = ")[2].split(None, 1)[0]


def program_counts(replay: Replay, replayed: Trace) -> tuple[dict[int, float], dict[int, float]]:
    """By block of the optimised program: executions by lanes, and by groups of 32."""
    lanes_by_line: dict[int, float] = {}
    groups_by_line: dict[int, float] = {}
    for block in replayed.blocks:
        groups = block.lane_groups if block.lane_groups is not None else block.count / LANES
        for at in block.lines:
            lanes_by_line[at.line] = max(lanes_by_line.get(at.line, 0.0), float(block.count))
            groups_by_line[at.line] = max(groups_by_line.get(at.line, 0.0), float(groups))
    return (
        {n: lanes_by_line.get(line, 0.0) for n, line in replay.block_lines.items()},
        {n: groups_by_line.get(line, 0.0) for n, line in replay.block_lines.items()},
    )


def _line_shares(
    busy: Mapping[int, float], lanes: Mapping[int, float], original: Trace
) -> tuple[tuple[LineCost, ...], float, dict[int, tuple[SourceLine, ...]]]:
    """Shares by source line, the part of the cycles that found theirs, and lines by block.

    A count over a frame is nearly a fingerprint.  A block of the original belongs to the optimised
    blocks that ran as often or, where none did, to those it ran a whole number of times for each
    time of (its loop was unrolled).  Their cycles are its lines', by the instructions they
    executed.  Cycles of optimised blocks that found no original go to the originals that found
    none.
    """
    groups = _groups(busy, lanes)
    found: dict[float, dict[SourceLine, float]] = {count: {} for count in groups}
    lost: dict[SourceLine, float] = {}
    everywhere: dict[SourceLine, float] = {}
    for block in original.blocks:
        count = _owner(block.count, groups)
        for weights in (everywhere, lost if count is None else found[count]):
            _spread(weights, block, float(block.count))
    shares: dict[SourceLine, float] = {}
    explained = 0.0
    for count, cycles in groups.items():
        part = found[count]
        if sum(part.values()):
            explained += cycles
        else:
            part = lost if sum(lost.values()) else everywhere
        total = sum(part.values()) or 1.0
        for line, weight in part.items():
            shares[line] = shares.get(line, 0.0) + cycles * weight / total
    total = sum(busy.values())
    by_block = {
        number: tuple(sorted(line for line, weight in found[count].items() if weight))
        for number in busy
        for count in [_group_of(lanes.get(number, 0.0), groups)]
    }
    return _shares(shares), explained / total if total else 0.0, by_block


def _group_of(count: float, groups: Iterable[float]) -> float:
    """The group of blocks that ran equally often; the count itself where there is none."""
    return next((c for c in groups if abs(c - count) <= _SAME * max(c, 1.0)), count)


def _groups(busy: Mapping[int, float], lanes: Mapping[int, float]) -> dict[float, float]:
    """Cycles of the optimised blocks that ran equally often, by that count, descending."""
    groups: dict[float, float] = {}
    for number in sorted(busy, key=lambda n: -lanes.get(n, 0.0)):
        count = lanes.get(number, 0.0)
        same = _group_of(count, groups)
        groups[same] = groups.get(same, 0.0) + busy[number]
    return groups


def _owner(count: int, groups: Mapping[float, float]) -> float | None:
    """The group a block of the original with this count belongs to."""
    if not count:
        return None
    for group in groups:
        if group and abs(group - count) <= _SAME * group:
            return group
    for group in groups:  # the largest first: the fewest copies
        if group and 1.5 < count / group < _MOST_COPIES:
            copies = round(count / group)
            if abs(count - copies * group) <= _EXACT * count:
                return group
    return None


def _spread(weights: dict[SourceLine, float], block: BlockCount, factor: float) -> None:
    """Add a block's arithmetic to its lines, by the instructions each has of it."""
    counted = block.line_instructions
    total = sum(counted.values())
    arithmetic = sum(n for name, n in block.opcodes.items() if name not in _FREE)
    for line, n in counted.items():
        weights[line] = weights.get(line, 0.0) + factor * arithmetic * n / total


def _shares(weights: Mapping[SourceLine, float]) -> tuple[LineCost, ...]:
    total = sum(weights.values())
    if not total:
        return ()
    ordered = sorted(weights.items(), key=lambda item: (-item[1], item[0]))
    return tuple(LineCost(line, weight / total) for line, weight in ordered if weight)
