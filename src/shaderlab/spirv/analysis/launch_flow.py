"""How often loops of a compute shader go round, and branches are taken, by its launch alone.

Of loops whose counter begins, steps and ends with values that follow from the launch
(`launch_values`); `while (lane < half) half >>= 1` too.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from shaderlab.spirv.analysis.cfg import FlowGraph
from shaderlab.spirv.analysis.launch_values import (
    OPERATIONS,
    LaunchValues,
    Values,
    as_signed,
)
from shaderlab.spirv.grammar import Op

_ROUNDS = 64
"""Of counters that do not change by addition, enough to shift out 32 bits."""
_AHEAD = {
    Op.ULessThan: (1, 0, False), Op.ULessThanEqual: (1, 1, False),
    Op.UGreaterThan: (-1, 0, False), Op.UGreaterThanEqual: (-1, 1, False),
    Op.SLessThan: (1, 0, True), Op.SLessThanEqual: (1, 1, True),
    Op.SGreaterThan: (-1, 0, True), Op.SGreaterThanEqual: (-1, 1, True),
}  # fmt: skip
"""By comparison with which a loop goes on: the step's direction, 1 where the limit itself still
goes on, whether operands are signed."""
_MIRRORED = {
    Op.ULessThan: Op.UGreaterThan, Op.ULessThanEqual: Op.UGreaterThanEqual,
    Op.UGreaterThan: Op.ULessThan, Op.UGreaterThanEqual: Op.ULessThanEqual,
    Op.SLessThan: Op.SGreaterThan, Op.SLessThanEqual: Op.SGreaterThanEqual,
    Op.SGreaterThan: Op.SLessThan, Op.SGreaterThanEqual: Op.SLessThanEqual,
}  # fmt: skip
_SHIFTS = (Op.ShiftLeftLogical, Op.ShiftRightLogical, Op.ShiftRightArithmetic, Op.IMul, Op.UDiv)


class LaunchFlow:
    """Of one entry point, for `frequencies.executions`."""

    def __init__(self, values: LaunchValues, by_warp: bool):
        """`by_warp`: of a warp, whose last lane decides; else of an invocation."""
        self._values, self._by_warp = values, by_warp
        self._module = values.module

    def trips(self, graph: FlowGraph) -> Mapping[int, float]:
        """By header of each loop whose rounds are known: how many per entry."""
        found = {}
        for header, members in graph.loops.items():
            rounds = self._rounds(graph, header, members)
            if rounds is not None:
                found[header] = self._mean(rounds)
        return found

    def taken(self, graph: FlowGraph) -> Mapping[int, tuple[float, float]]:
        """By block that ends in a branch with a known condition: what shares take its two ways."""
        found = {}
        for block, view in enumerate(graph.function.blocks):
            end = view.terminator
            if end.opcode != Op.BranchConditional or len(graph.successors[block]) != 2:
                continue
            holds = self._values.of(end.words[1])
            if holds is not None:
                found[block] = self._mean(holds != 0), self._mean(holds == 0)
        return found

    def _mean(self, each: Values) -> float:
        lanes = self._values.lanes
        weighed = np.where(lanes, each, 0).astype(np.float64)
        if self._by_warp:
            return float(weighed.reshape(self._values.warps.shape).max(axis=1).mean())
        return float(weighed[lanes].mean())

    def _rounds(self, graph: FlowGraph, header: int, members: frozenset[int]) -> Values | None:
        """(invocations,) times the loop goes round per entry."""
        module = self._module
        decision = header
        if len(graph.successors[header]) == 1:
            (decision,) = graph.successors[header]
        end = graph.function.blocks[decision].terminator
        ways = graph.successors[decision]
        if end.opcode != Op.BranchConditional or len(ways) != 2:
            return None
        if ways[0] not in members or ways[1] in members:
            return None
        condition = module.definition(end.words[1]).words
        opcode = condition[0] & 0xFFFF
        if opcode not in _AHEAD:
            return None
        for counter, limit, compared in (
            (condition[3], condition[4], opcode),
            (condition[4], condition[3], _MIRRORED[opcode]),
        ):
            bound = self._values.of(limit)
            variable = self._loaded(counter)
            if bound is not None and variable:
                return self._counted(graph, header, members, variable, compared, bound)
        return None

    def _loaded(self, id: int) -> int:
        """The variable a value is the whole of; 0 for other values."""
        definition = self._module.definition(id)
        if definition.opcode != Op.Load or definition.words[3] in self._values.shared:
            return 0
        return definition.words[3]

    def _counted(
        self,
        graph: FlowGraph,
        header: int,
        members: frozenset[int],
        variable: int,
        compared: int,
        limit: Values,
    ) -> Values | None:
        inside, before = [], []
        entered = graph.ways_in(header)
        for index, value in self._values.stores.get(variable, ()):
            block = _block_of(graph, index)
            if block in members:
                inside.append(value)
            elif block in entered:
                before.append(value)
        if len(inside) != 1 or not before:
            return None
        first, step = self._values.of(before[-1]), self._module.definition(inside[0]).words
        by = self._step(step, variable)
        if first is None or by is None:
            return None
        direction, reaches, is_signed = _AHEAD[compared]
        opcode = step[0] & 0xFFFF
        if opcode in _SHIFTS:
            return _walked(opcode, first, by, compared, limit)
        pace = as_signed(by) * (-1 if opcode == Op.ISub else 1) * direction
        if (pace <= 0).any():
            return None
        begin, last = (as_signed(each) if is_signed else each for each in (first, limit))
        ahead = (last - begin) * direction + reaches
        return np.maximum(0, -(-ahead // pace))

    def _step(self, words: tuple[int, ...], variable: int) -> Values | None:
        """What the counter changes by."""
        opcode = words[0] & 0xFFFF
        if opcode not in (*_SHIFTS, Op.IAdd, Op.ISub):
            return None
        if self._loaded(words[3]) == variable:
            return self._values.of(words[4])
        if opcode in (Op.IAdd, Op.IMul) and self._loaded(words[4]) == variable:
            return self._values.of(words[3])
        return None


def _block_of(graph: FlowGraph, index: int) -> int:
    """The block of the function that an instruction is in; -1 for another function's."""
    for number, block in enumerate(graph.function.blocks):
        if block.first <= index <= block.last:
            return number
    return -1


def _walked(opcode: int, first: Values, by: Values, compared: int, limit: Values) -> Values | None:
    """(invocations,) rounds of a counter that is shifted or multiplied."""
    (step, step_signed), (holds, is_signed) = OPERATIONS[opcode], OPERATIONS[compared]
    now, rounds = first, np.zeros(len(first), np.int64)
    bound = as_signed(limit) if is_signed else limit
    going = np.ones(len(first), bool)
    for _ in range(_ROUNDS):
        going = going & holds(as_signed(now) if is_signed else now, bound)
        if not going.any():
            return rounds
        rounds += going
        now = step(as_signed(now) if step_signed else now, by) % (1 << 32)
    return None
