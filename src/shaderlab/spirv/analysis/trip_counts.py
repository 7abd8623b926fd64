"""How often a block can run at most, from constant loop bounds.

Shaders for the web loop between constants, as the first GLSL for it demanded.  Such loops are
recognised as compilers write them without optimisation: a local variable, set to a constant before
the loop, stepped by a constant in the continue block and nowhere else inside, compared with a
constant where the loop decides whether to go on.  Leaving the loop early only makes it shorter.
"""

from __future__ import annotations

import struct
from functools import cached_property
from math import ceil, inf, isfinite

import numpy as np

from shaderlab.spirv.analysis.cfg import FlowGraph, strongly_connected
from shaderlab.spirv.grammar import Decoration, Op, StorageClass
from shaderlab.spirv.module import Module

_DEEPEST = 32
"""Loops nested deeper than this are taken to run without bound."""

# Comparison: its operands' kind, the step's direction it bounds, whether equality still goes on.
_COMPARISONS = {
    Op.SLessThan: ("signed", 1, False),
    Op.SLessThanEqual: ("signed", 1, True),
    Op.SGreaterThan: ("signed", -1, False),
    Op.SGreaterThanEqual: ("signed", -1, True),
    Op.ULessThan: ("unsigned", 1, False),
    Op.ULessThanEqual: ("unsigned", 1, True),
    Op.UGreaterThan: ("unsigned", -1, False),
    Op.UGreaterThanEqual: ("unsigned", -1, True),
    Op.FOrdLessThan: ("float", 1, False),
    Op.FOrdLessThanEqual: ("float", 1, True),
    Op.FOrdGreaterThan: ("float", -1, False),
    Op.FOrdGreaterThanEqual: ("float", -1, True),
}
_SMALLEST_STEP = 1e-30
"""Steps of floating-point loops below this might be flushed to zero."""
_RANGE = {"signed": (-(1 << 31), (1 << 31) - 1), "unsigned": (0, (1 << 32) - 1)}
_STEPS = {Op.IAdd: 1, Op.ISub: -1, Op.FAdd: 1, Op.FSub: -1}


class LoopBounds:
    """Bounds of the blocks of all functions of one module."""

    def __init__(self, module: Module):
        self._module = module

    def executions(self, graph: FlowGraph, calls: float) -> list[float]:
        """By block: executions that `calls` calls of the function cannot exceed; maybe infinite.

        Whatever cycles of the graph remain when a loop's header is assumed to be passed so many
        times are analysed separately, so that nested loops multiply.
        """
        limits = [0.0] * len(graph)
        if not calls:
            return limits
        loops = _Loops(self, graph)
        regions = [(graph.postorder, -1, calls, 0)]
        while regions:
            blocks, header, bound, depth = regions.pop()
            inside = set(blocks)
            edges = {
                block: [t for t in graph.successors[block] if t in inside and t != header]
                for block in blocks
            }
            for component in strongly_connected(blocks, edges):
                if len(component) == 1 and component[0] not in edges[component[0]]:
                    limits[component[0]] = bound
                    continue
                members = set(component)
                entries = [
                    block
                    for block in component
                    if any(
                        before not in members and before in loops.reachable
                        for before in graph.predecessors[block]
                    )
                ]
                trips = loops.trips(members, entries[0]) if len(entries) == 1 else inf
                if trips == inf or depth == _DEEPEST:
                    for block in component:
                        limits[block] = inf
                else:
                    regions.append((component, entries[0], bound * (trips + 1), depth + 1))
        return limits

    def trips(self, graph: FlowGraph) -> dict[int, float]:
        """By header of a natural loop: times it goes on at most per entry; maybe infinite."""
        loops = _Loops(self, graph)
        return {
            header: loops.trips(set(members), header) for header, members in graph.loops.items()
        }

    @cached_property
    def relaxed(self) -> frozenset[int]:
        """Ids decorated RelaxedPrecision, which may be computed in 16 bits."""
        module = self._module
        at = module.starts[np.array(module.indices(Op.Decorate), np.int64)]
        relaxed = module.words[at + 2] == Decoration.RelaxedPrecision
        return frozenset(module.words[at + 1][relaxed].tolist())


class _Loops:
    """The loops of one function."""

    def __init__(self, bounds: LoopBounds, graph: FlowGraph):
        self._bounds = bounds
        self._graph = graph
        self._module = graph.function.module
        self.reachable = frozenset(graph.postorder)

    def trips(self, members: set[int], header: int) -> float:
        """Times the loop goes on at most each time it is entered; infinite where unknown."""
        graph = self._graph
        body = graph.continues.get(header)
        before = [block for block in graph.predecessors[header] if block in self.reachable]
        if body not in members or graph.successors[body] != (header,) or len(before) != 2:
            return inf
        if body not in before:
            return inf
        outside = before[0] if before[1] == body else before[1]
        decision = header
        if len(graph.successors[header]) == 1:
            decision = graph.successors[header][0]
            if graph.predecessors[decision] != [header]:
                return inf
        block = graph.function.blocks[decision]
        if decision not in members or block.terminator.opcode != Op.BranchConditional:
            return inf
        condition, _, leave = block.terminator.words[1:4]
        merge = graph.merges[header]
        if merge in members or leave != graph.function.blocks[merge].label:
            return inf
        return self._trips_while(condition, decision, members, body, outside)

    def _trips_while(
        self, condition: int, decision: int, members: set[int], body: int, outside: int
    ) -> float:
        """Times a condition lets the loop go on; any part of a conjunction may end it."""
        pending = [condition]
        least = inf
        while pending:
            index = self._inside(pending.pop(), decision)
            if index < 0:
                continue
            words = self._module.instruction_words(index)
            opcode = words[0] & 0xFFFF
            if opcode == Op.LogicalAnd and len(pending) < 64:
                pending += words[3:5]
            elif opcode in _COMPARISONS:
                index = self._inside(words[3], decision)
                if index >= 0 and self._opcode(index) == Op.Load:
                    variable = self._module.instruction_words(index)[3]
                    steps = self._steps(variable, members, body)
                    if steps is not None and words[3] not in self._bounds.relaxed:
                        start = self._constant(self._last_stored(variable, outside))
                        limit = self._constant(words[4])
                        least = min(least, _trips(*_COMPARISONS[opcode], start, limit, *steps))
        return least

    def _steps(self, variable: int, members: set[int], body: int) -> tuple[int, int] | None:
        """Sign and bits of the constant added to the variable in `body`, its only change."""
        module, graph = self._module, self._graph
        if not 0 < variable < module.bound or variable in self._bounds.relaxed:
            return None
        if variable in self._escapes or module.definitions[variable] < 0:
            return None
        declared = module.definition(variable)
        if declared.opcode != Op.Variable or declared.words[3] != StorageClass.Function:
            return None
        stores = [
            (index, value) for index, owner, value in self._stores.get(variable, ())
            if owner in members
        ]  # fmt: skip
        if len(stores) != 1:
            return None
        (place, value) = stores[0]
        block = graph.function.blocks[body]
        index = self._inside(value, body)
        if not block.first < place < block.last or index < 0 or value in self._bounds.relaxed:
            return None
        words = module.instruction_words(index)
        sign = _STEPS.get(words[0] & 0xFFFF)
        if sign is None:
            return None
        for old, step in ((words[3], words[4]), (words[4], words[3])):
            at = self._inside(old, body)
            loaded = at >= 0 and self._opcode(at) == Op.Load
            if loaded and module.instruction_words(at)[3] == variable:
                bits = self._constant(step)
                return None if bits is None else (sign, bits)
            if sign < 0:
                return None
        return None

    def _last_stored(self, variable: int, block: int) -> int:
        """Id last stored to the variable in a block; 0 if none is."""
        found = [value for _, owner, value in self._stores.get(variable, ()) if owner == block]
        return found[-1] if found else 0

    def _constant(self, id: int) -> int | None:
        """The 32 bits of a constant that specialization cannot change."""
        module = self._module
        index = int(module.definitions[id]) if 0 < id < module.bound else -1
        if index < 0 or int(module.opcodes[index]) != Op.Constant:
            return None
        words = module.instruction_words(index)
        return words[3] if len(words) == 4 else None

    def _inside(self, id: int, block: int) -> int:
        """Index of the instruction of the block that defines `id`; -1 if none does."""
        module, view = self._module, self._graph.function.blocks[block]
        index = int(module.definitions[id]) if 0 < id < module.bound else -1
        return index if view.first < index < view.last else -1

    def _opcode(self, index: int) -> int:
        return int(self._module.opcodes[index])

    @cached_property
    def _stores(self) -> dict[int, list[tuple[int, int, int]]]:
        """By pointer: index, block and value of each store to it in the function, in order."""
        module, function = self._module, self._graph.function
        opcodes = module.opcodes[function.first : function.last]
        indices = np.flatnonzero(opcodes == Op.Store) + function.first
        firsts = np.array([block.first for block in function.blocks])
        owners = np.searchsorted(firsts, indices, side="right") - 1
        at = module.starts[indices]
        found: dict[int, list[tuple[int, int, int]]] = {}
        for index, owner, pointer, value in zip(
            indices.tolist(),
            owners.tolist(),
            module.words[at + 1].tolist(),
            module.words[at + 2].tolist(),
            strict=True,
        ):
            found.setdefault(pointer, []).append((index, owner, value))
        return found

    @cached_property
    def _escapes(self) -> frozenset[int]:
        """Ids used by more than loads from them and stores to them.

        Every word of every other instruction counts as an id, which is conservative.
        """
        module, function = self._module, self._graph.function
        span = np.arange(function.first, function.last)
        opcodes = module.opcodes[span]
        lengths = np.diff(module.starts[function.first : function.last + 1])
        words = module.words[module.starts[function.first] : module.starts[function.last]]
        simple = np.isin(opcodes, (Op.Load, Op.Store, Op.Variable, Op.Line, Op.NoLine))
        used = words[np.repeat(~simple, lengths)]
        stored = module.words[module.starts[span[opcodes == Op.Store]] + 2]
        variables = map(module.instruction_words, span[opcodes == Op.Variable].tolist())
        started = [words[4] for words in variables if len(words) > 4]
        return frozenset(used.tolist()).union(stored.tolist(), started)


def _trips(
    kind: str, direction: int, or_equal: bool, start: int | None, limit: int | None,
    sign: int, step: int,
) -> float:  # fmt: skip
    """Times `i < limit` (or as the comparison is) holds for i = start, start + step, …

    `start`, `limit`, `step`: bits of constants, None for an unknown value.
    """
    if kind == "float":
        if start is None or limit is None:
            return inf
        return _float_trips(_as_float(start), _as_float(limit), sign * _as_float(step), direction)
    lowest, highest = _RANGE[kind]
    pace = direction * sign * _as_signed(step)
    if pace <= 0:
        return inf
    # Mirrored where the loop counts down, so that it always counts up from below.
    low, high = (lowest, highest) if direction > 0 else (-highest, -lowest)
    read = _as_signed if kind == "signed" else int
    first = low if start is None else direction * read(start)
    if limit is None:
        if or_equal:
            return inf
        last = high - 1
    else:
        last = direction * read(limit) - (not or_equal)
    if last + pace > high:
        return inf
    return max(0, (last - first) // pace + 1)


def _float_trips(start: float, limit: float, step: float, direction: int) -> float:
    start, limit, step = direction * start, direction * limit, direction * step
    if not (isfinite(start) and isfinite(limit) and isfinite(step)) or step <= 0:
        return inf
    # Each addition is off by half a unit in the last place: here less than a sixteenth of a step.
    if step < max(abs(start), abs(limit) + step) * 2.0**-20 or step < _SMALLEST_STEP:
        return inf
    return max(0, ceil((limit - start) / (step * 15 / 16)) + 2)


def _as_signed(bits: int) -> int:
    return bits - (1 << 32) if bits >> 31 else bits


def _as_float(bits: int) -> float:
    return struct.unpack("<f", struct.pack("<I", bits))[0]
