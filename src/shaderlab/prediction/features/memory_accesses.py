"""How often a compute shader reaches memory, which no fragment shader's prices know of."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from shaderlab.prediction.features.lane_work import NOT_EXECUTED
from shaderlab.prediction.features.operations import Operations
from shaderlab.spirv import grammar
from shaderlab.spirv.analysis.dataflow import analyse
from shaderlab.spirv.analysis.dependency_chains import THROUGH, longest_chains
from shaderlab.spirv.grammar import Op, StorageClass
from shaderlab.spirv.module import EntryPoint, Module
from shaderlab.spirv.source_lines import instruction_lines
from shaderlab.spirv.trace import BlockId, SourceLine, Trace
from shaderlab.spirv.warps import LANES

_CHAINS = (Op.AccessChain, Op.InBoundsAccessChain)
_ATOMIC = "atomic"
_LOAD_CYCLES = 200
"""From a buffer, beside which a GPU's arithmetic is short: which chain is the longest follows."""
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


@dataclass(frozen=True)
class Waits:
    """What one invocation waits for, one after the other; the longest of its warp."""

    loads: Mapping[SourceLine, float]
    """Loads from buffers on the longest dependency chains, by line."""
    barriers: Mapping[SourceLine, float]


def waits(module: Module, entry: EntryPoint, trace: Trace, reached: MemoryAccesses) -> Waits:
    """Of a traced dispatch of the module, on average over its warps."""
    times, classes = _times(trace), _classes(module)
    main = next(each for each in module.functions if each.id == entry.id)
    whole = times.get(BlockId(main.id, main.blocks[0].label), 0)
    if not whole:
        return Waits({}, {})
    flow, operations, lines = analyse(module), Operations(module), instruction_lines(module)
    loads: defaultdict[SourceLine, float] = defaultdict(float)
    nowhere = SourceLine("", 0)
    for graph in flow.graphs:
        blocks = graph.function.blocks
        names = {
            index: operations.describe(index)[0]
            for block in blocks
            for index in range(block.first + 1, block.last + 1)
            if flow.live[index] and module.opcodes[index] not in NOT_EXECUTED
        }
        slow = {
            index: _LOAD_CYCLES
            for index in names
            if module.opcodes[index] == Op.Load and _kind(module, index, classes) == "buffer"
        }
        for chain in longest_chains(graph, flow, names, slow):
            if chain.kind == THROUGH:
                runs = times.get(BlockId(graph.function.id, blocks[chain.block].label), 0)
                for link in chain.links:
                    if link.instruction in slow:
                        loads[lines.at(link.instruction) or nowhere] += runs / whole
    barriers = {line: each.barrier / whole for line, each in reached.lines.items() if each.barrier}
    return Waits(dict(loads), barriers)


def _times(trace: Trace) -> dict[BlockId, int]:
    """How often each block ran: a warp whose lanes differ, as often as its longest lane."""
    return {
        each.id: each.count if each.lane_groups is None else each.lane_groups * LANES
        for each in trace.blocks
    }


def _classes(module: Module) -> dict[int, int]:
    """Of pointers: variables, and what is reached through them."""
    classes = {
        module.instruction_words(index)[2]: module.instruction_words(index)[3]
        for index in module.indices(Op.Variable)
    }
    for index in sorted(index for op in _CHAINS for index in module.indices(op)):
        words = module.instruction_words(index)
        if words[3] in classes:
            classes[words[2]] = classes[words[3]]
    return classes


def memory_accesses(module: Module, trace: Trace) -> MemoryAccesses:
    """Counted by the blocks of a trace of the module."""
    times, classes = _times(trace), _classes(module)
    invocations = {each.id: each.count for each in trace.blocks}
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


def _kind(module: Module, index: int, classes: Mapping[int, int]) -> str:
    """What an instruction costs beside its price; `classes`: of pointers."""
    opcode = int(module.opcodes[index])
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
