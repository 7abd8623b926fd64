"""From counts to the `BlockCount`s of a `Trace`: functions, source lines, opcode histograms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from shaderlab.spirv import grammar
from shaderlab.spirv.counting import BlockId
from shaderlab.spirv.lines import block_line_instructions
from shaderlab.spirv.module import Module
from shaderlab.spirv.trace import BlockCount


def describe(module: Module, blocks: Sequence[BlockId]) -> tuple[BlockCount, ...]:
    """What is known of `module`'s `blocks` before they run: BlockCounts with a count of 0."""
    views = {
        BlockId(function.id, block.label): block
        for function in module.functions
        for block in function.blocks
    }
    chosen = [views[id] for id in blocks]
    names = {function.id: function.name for function in module.functions}
    return tuple(
        BlockCount(
            function=id.function,
            function_name=names[id.function],
            label=id.label,
            count=0,
            lines=tuple(lines),
            opcodes=_histogram(block.opcodes.tolist()),
            line_instructions=lines,
        )
        for id, block, lines in zip(
            blocks, chosen, block_line_instructions(module, chosen), strict=True
        )
    )


def with_counts(
    described: Sequence[BlockCount], counts: Sequence[int], lane_groups: Sequence[int] | None = None
) -> tuple[BlockCount, ...]:
    """The described blocks with the counts of a frame."""
    groups = [None] * len(described) if lane_groups is None else map(int, lane_groups)
    return tuple(
        replace(block, count=int(count), lane_groups=group)
        for block, count, group in zip(described, counts, groups, strict=True)
    )


def _histogram(opcodes: list[int]) -> dict[str, int]:
    return {grammar.name(opcode): times for opcode, times in Counter(opcodes).items()}
