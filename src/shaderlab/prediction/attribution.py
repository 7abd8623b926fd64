"""How a frame's executed instructions divide over the user's source lines."""

from __future__ import annotations

import numpy as np

from shaderlab.spirv.grammar import Op
from shaderlab.spirv.lines import instruction_lines
from shaderlab.spirv.module import Module
from shaderlab.spirv.trace import SourceLine, Trace

ANNOTATIONS = frozenset({"OpLine", "OpNoLine"})
"""Stand between instructions but are none: the published modules had no debug lines."""


def executed_per_line(module: Module, trace: Trace) -> dict[SourceLine, int]:
    """Executed instructions per source line, summed over all invocations.

    `trace` holds counts of `module`'s own blocks.  Instructions of the prelude and those without a
    line are left out, so the sum is at most `trace.instructions_executed`.
    """
    lines = instruction_lines(module)
    counts = {(block.function, block.label): block.count for block in trace.blocks}
    executions = np.zeros(len(module), np.int64)
    for function in module.functions:
        for block in function.blocks:
            executions[block.first + 1 : block.last + 1] = counts.get((function.id, block.label), 0)
    attributed = (executions > 0) & (lines.file >= 0) & (lines.line > 0)
    attributed &= (module.opcodes != Op.Line) & (module.opcodes != Op.NoLine)
    places, owner = np.unique(
        np.stack([lines.file[attributed], lines.line[attributed]], axis=1),
        axis=0,
        return_inverse=True,
    )
    totals = np.zeros(len(places), np.int64)
    np.add.at(totals, owner.reshape(-1), executions[attributed])
    executed: dict[SourceLine, int] = {}
    for (file, line), total in zip(places.tolist(), totals.tolist(), strict=True):
        place = SourceLine(lines.files[file] or "", line)
        executed[place] = executed.get(place, 0) + total
    return executed
