"""What a frame executes on a GPU whose compiler prints no flow graph: instructions by block."""

from __future__ import annotations

from collections import Counter
from enum import Enum

from shaderlab.gpu.compilers.compiled import CompiledStats
from shaderlab.gpu.compilers.families import Family
from shaderlab.gpu.compilers.listing import Listing, listing_of
from shaderlab.gpu.counted import structure
from shaderlab.gpu.radv.cost import (
    FrameCost,
    MachineBlockCost,
    Ran,
    joined,
    program_counts,
    waves_in_all,
    waves_per_group,
)
from shaderlab.gpu.radv.replay import Replay
from shaderlab.spirv.trace import Trace


def frame_cost(
    stats: CompiledStats,
    family: Family,
    replay: Replay,
    replayed: Trace,
    original: Trace,
    workgroup: int = 0,
) -> FrameCost | None:
    """Instructions issued by all subgroups.  None where the code's control flow is not the
    program's.

    As `gpu.radv.cost.frame_cost`.  Groups of 32 invocations are counted: a subgroup of fewer is
    taken to run whatever its group does, one of more what its groups do on average.  A preamble,
    which runs once for many subgroups, counts as nothing.
    """
    listing = listing_of(stats.chosen, stats.vendor)
    matched = structure.match(replay.function, listing, stats.vendor)
    if matched is None:
        return None
    lanes, groups = program_counts(replay, replayed)
    per_group = waves_per_group(stats, workgroup)
    ran: list[Ran] = []
    skipped = _preamble(listing)
    owner = 0
    for block in listing.blocks:
        owner = -1 if block.number in skipped else matched.get(block.number, max(owner, 0))
        n = groups.get(owner, 0.0) * per_group
        by_unit: Counter[Enum] = Counter(each.unit for each in block.instructions)
        issued = n * len(block.instructions)
        ran.append(Ran(MachineBlockCost(block.number, n, issued, 0.0), owner, by_unit))
    basis = (
        f"every block of the {family.chip} code counted on {replayed.device} by running the "
        "optimised program; each instruction counts as one, whatever it takes"
    )
    waves = waves_in_all(stats, original, workgroup)
    return joined(stats, ran, lanes, original, basis, waves, "instructions")


def _preamble(listing: Listing) -> frozenset[int]:
    """Adreno's blocks between `shps` and where that jumps to."""
    numbers = [block.number for block in listing.blocks]
    for place, block in enumerate(listing.blocks):
        for each in block.instructions:
            if each.mnemonic == "shps" and each.jumps:
                ends = [n for n, b in enumerate(listing.blocks) if b.label == each.jumps[0]]
                return frozenset(numbers[place + 1 : ends[0]] if ends else ())
    return frozenset()
