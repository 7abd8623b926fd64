"""Which block of the machine code is which block of the optimised program.

ACO selects code block by block in the order of the NIR, and prints the logical predecessors of each
of its own blocks: where a lane may come from.  Blocks it adds for the wave (to invert the execution
mask, to skip a side no lane takes) have none.  So the two flow graphs must be the same, block by
block; where they are not, there is no mapping.
"""

from __future__ import annotations

from shaderlab.gpu.radv.nir import Block, Function
from shaderlab.gpu.radv.perfinfo import Costs


def match(function: Function, costs: Costs) -> dict[int, int] | None:
    """ACO block number -> NIR block number for every block a lane can be in.

    None unless both flow graphs agree edge by edge.
    """
    program = [b for b in function.blocks() if b.successors or b.instructions or b.predecessors]
    program = [b for n, b in enumerate(program) if n == 0 or b.predecessors]
    if program and _is_end(program[-1]):
        program.pop()
    code = [b for n, b in enumerate(costs.blocks) if n == 0 or b.logical_predecessors]
    if len(program) != len(code):
        return None
    mapping = {ours.number: theirs.number for ours, theirs in zip(code, program, strict=True)}
    for ours, theirs in zip(code, program, strict=True):
        sources = {mapping.get(n) for n in ours.logical_predecessors}
        if sources != set(theirs.predecessors):
            return None
    return mapping


def wave_counts(
    costs: Costs, mapping: dict[int, int], program_counts: dict[int, float]
) -> dict[int, float]:
    """Executions by waves of every ACO block, from those of the NIR blocks.

    A block of the wave's own runs as often as the wave comes by: as the busiest of the blocks it
    is entered from, since one of them (the one that branches around) always leads there.
    """
    counts: dict[int, float] = {}
    before = 0.0
    for block in costs.blocks:
        if block.number in mapping:
            counts[block.number] = program_counts.get(mapping[block.number], 0.0)
        else:
            entered = [counts[n] for n in block.linear_predecessors if n in counts]
            counts[block.number] = max(entered, default=before)
        before = counts[block.number]
    return counts


def _is_end(block: Block) -> bool:
    return not block.instructions and not block.successors
