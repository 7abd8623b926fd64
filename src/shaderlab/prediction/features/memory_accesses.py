"""How often a compute shader reaches memory, which no fragment shader's prices know of."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from shaderlab.spirv import grammar
from shaderlab.spirv.grammar import Op, StorageClass
from shaderlab.spirv.module import Module
from shaderlab.spirv.trace import BlockId, Trace
from shaderlab.spirv.warps import LANES

_CHAINS = (Op.AccessChain, Op.InBoundsAccessChain)
_BUFFERS = (StorageClass.StorageBuffer, StorageClass.Uniform)


@dataclass(frozen=True)
class MemoryAccesses:
    """Of one dispatch, by lanes: a warp whose lanes differ pays for all of them."""

    buffer: int
    """Loads and stores of uniform and storage buffers."""
    shared: int
    """Loads and stores of shared memory."""
    atomic: int
    barrier: int
    """Invocations that wait for their workgroup."""


def memory_accesses(module: Module, trace: Trace) -> MemoryAccesses:
    """Counted by the blocks of a trace of the module."""
    found: Counter[str] = Counter()
    times = {
        each.id: each.count if each.lane_groups is None else each.lane_groups * LANES
        for each in trace.blocks
    }
    classes = {
        module.instruction_words(index)[2]: module.instruction_words(index)[3]
        for index in module.indices(Op.Variable)
    }
    for function in module.functions:
        for block in function.blocks:
            runs = times.get(BlockId(function.id, block.label), 0)
            for index in range(block.first, block.last + 1) if runs else ():
                kind = _kind(module, index, classes)
                if kind:
                    found[kind] += runs
    return MemoryAccesses(found["buffer"], found["shared"], found["atomic"], found["barrier"])


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
        return "atomic"
    if opcode not in (Op.Load, Op.Store):
        return ""
    words = module.instruction_words(index)
    storage = classes.get(words[3] if opcode == Op.Load else words[1])
    if storage == StorageClass.Workgroup:
        return "shared"
    return "buffer" if storage in _BUFFERS else ""
