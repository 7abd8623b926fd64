"""From counts to the `BlockCount`s of a `Trace`: functions, source lines, opcode histograms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from shaderlab.spirv import grammar
from shaderlab.spirv.module import Module
from shaderlab.spirv.source_lines import block_line_instructions
from shaderlab.spirv.trace import BlockCount, BlockId


def describe(
    module: Module,
    blocks: Sequence[BlockId],
    counts: Sequence[int],
    lane_groups: Sequence[int] | None = None,
) -> tuple[BlockCount, ...]:
    """One BlockCount for each of `blocks`, which are `module`'s own, with their counts."""
    views = {
        BlockId(function.id, block.label): block
        for function in module.functions
        for block in function.blocks
    }
    chosen = [views[id] for id in blocks]
    names = {function.id: function.name for function in module.functions}
    groups = [None] * len(chosen) if lane_groups is None else map(int, lane_groups)
    return tuple(
        BlockCount(
            function=id.function,
            function_name=names[id.function],
            label=id.label,
            count=int(count),
            lines=tuple(lines),
            opcodes=_histogram(block.opcodes.tolist()),
            lane_groups=group,
            line_instructions=lines,
        )
        for id, block, count, lines, group in zip(
            blocks, chosen, counts, block_line_instructions(module, chosen), groups, strict=True
        )
    )


def _histogram(opcodes: list[int]) -> dict[str, int]:
    return {grammar.name(opcode): times for opcode, times in Counter(opcodes).items()}
