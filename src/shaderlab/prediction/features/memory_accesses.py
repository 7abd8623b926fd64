"""How often a compute shader reaches memory, which no fragment shader's prices know of."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from shaderlab.spirv import grammar
from shaderlab.spirv.grammar import Op, StorageClass
from shaderlab.spirv.module import Module
from shaderlab.spirv.source_lines import instruction_lines
from shaderlab.spirv.trace import BlockId, SourceLine, Trace
from shaderlab.spirv.warps import LANES

_CHAINS = (Op.AccessChain, Op.InBoundsAccessChain)
_ATOMIC = "atomic"
_BUFFERS = (StorageClass.StorageBuffer, StorageClass.Uniform)


@dataclass(frozen=True)
class Reached:
    """Accesses by lanes: a warp whose lanes differ pays for all of them, but for atomics, which run
    one after the other for those lanes alone that are on."""

    buffer: int = 0
    """Loads and stores of uniform and storage buffers."""
    shared: int = 0
    """Loads and stores of shared memory."""
    atomic: int = 0
    barrier: int = 0
    """Invocations that wait for their workgroup."""


@dataclass(frozen=True)
class MemoryAccesses:
    """Of one dispatch."""

    total: Reached
    lines: Mapping[SourceLine, Reached]
    """Of the user's lines that have any."""


def memory_accesses(module: Module, trace: Trace) -> MemoryAccesses:
    """Counted by the blocks of a trace of the module."""
    times = {
        each.id: each.count if each.lane_groups is None else each.lane_groups * LANES
        for each in trace.blocks
    }
    invocations = {each.id: each.count for each in trace.blocks}
    classes = {
        module.instruction_words(index)[2]: module.instruction_words(index)[3]
        for index in module.indices(Op.Variable)
    }
    total: Counter[str] = Counter()
    by_line: defaultdict[SourceLine, Counter[str]] = defaultdict(Counter)
    lines = instruction_lines(module)
    for function in module.functions:
        for block in function.blocks:
            here = BlockId(function.id, block.label)
            runs = times.get(here, 0)
            for index in range(block.first, block.last + 1) if runs else ():
                kind = _kind(module, index, classes)
                if kind:
                    count = invocations[here] if kind == _ATOMIC else runs
                    total[kind] += count
                    line = lines.at(index)
                    if line is not None:
                        by_line[line][kind] += count
    return MemoryAccesses(
        Reached(**total), {line: Reached(**counts) for line, counts in by_line.items()}
    )


def _kind(module: Module, index: int, classes: dict[int, int]) -> str:
    """What an instruction costs beside its price; `classes`, of pointers, learns from chains."""
    opcode = int(module.opcodes[index])
    if opcode in _CHAINS:
        words = module.instruction_words(index)
        if words[3] in classes:
            classes[words[2]] = classes[words[3]]
        return ""
    if opcode == Op.ControlBarrier:
        return "barrier"
    if "Atomic" in grammar.name(opcode):
        return _ATOMIC
    if opcode not in (Op.Load, Op.Store):
        return ""
    words = module.instruction_words(index)
    storage = classes.get(words[3] if opcode == Op.Load else words[1])
    if storage == StorageClass.Workgroup:
        return "shared"
    return "buffer" if storage in _BUFFERS else ""
