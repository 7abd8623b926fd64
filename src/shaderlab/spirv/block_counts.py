"""From counts to the `BlockCount`s of a `Trace`: functions, source lines, opcode histograms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from shaderlab.spirv import grammar
from shaderlab.spirv.module import Module
from shaderlab.spirv.source_lines import block_line_instructions
from shaderlab.spirv.trace import BlockCount, BlockId, CutLoop, SourceLine


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


def cut_loops(
    blocks: Sequence[BlockCount],
    cut: Mapping[BlockId, int],
    rounds: int,
    ending: Collection[BlockId],
) -> tuple[CutLoop, ...]:
    """The loops that were left early, those of most invocations first.

    `blocks`: as `describe` has them; `cut`: invocations by the loop's header; `ending`: those that
    end by their constants.
    """
    found = []
    for header, invocations in cut.items():
        at = next(n for n, block in enumerate(blocks) if block.id == header)
        # A header without instructions of its own has no line: the block after it is its test.
        lines = next((each.lines for each in blocks[at : at + 2] if each.lines), ())
        line = lines[0] if lines else SourceLine("", 0)
        found.append(CutLoop(line, invocations, rounds, header in ending))
    return tuple(sorted(found, key=lambda each: -each.invocations))


def _histogram(opcodes: list[int]) -> dict[str, int]:
    return {grammar.name(opcode): times for opcode, times in Counter(opcodes).items()}
