"""`LaneWork`: scalar operations of a frame by kind, as a GPU that runs lanes in groups spends them.

A group of lanes spends a block's instructions as often as its busiest lane runs it, and an
instruction as often as its result has components.  Work that a driver deletes is left out, and
what it can fold or hoist is a kind of its own (`dataflow`), so that each kind can have its price.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shaderlab.prediction.dataflow import Dataflow, Dependence
from shaderlab.spirv.grammar import GLSL_STD_450, INSTRUCTIONS, RESULT_WORD, Op
from shaderlab.spirv.module import Module
from shaderlab.spirv.trace import Trace

LANES = 32
"""Lanes of a group (`BlockCount.lane_groups`)."""

_NOT_EXECUTED = frozenset((Op.Line, Op.NoLine, Op.Variable))
_MADE_OF_COLUMNS = frozenset((Op.MatrixTimesVector, Op.VectorTimesMatrix, Op.MatrixTimesMatrix))
_REDUCTIONS = frozenset(("Length", "Distance"))
_LEVELS = tuple(level.name.lower() for level in Dependence)
_AGGREGATE = 4
"""Components an array or structure counts for when it is copied whole."""


@dataclass(frozen=True)
class LaneWork:
    """Live work of a frame, one row per instruction that ran."""

    kinds: tuple[str, ...]
    """Ascending, e.g. `varying:OpFMul`, `uniform:Sin`; some may have no row."""
    kind: np.ndarray
    """(rows,) index into `kinds`."""
    operations: np.ndarray
    """(rows,) float64: scalar operations over all lanes of all groups that ran it."""
    instruction: np.ndarray
    """(rows,) index of the instruction in the module."""

    @cached_property
    def totals(self) -> dict[str, float]:
        """Operations by kind, of the kinds that ran."""
        sums = np.bincount(self.kind, self.operations, len(self.kinds))
        return {kind: n for kind, n in zip(self.kinds, sums.tolist(), strict=True) if n}


@dataclass(frozen=True)
class LanePlan:
    """What each instruction of a module would cost, whatever its trace: one row per live one."""

    kinds: tuple[str, ...]
    """Ascending."""
    kind: np.ndarray
    """(rows,) index into `kinds`."""
    components: np.ndarray
    """(rows,) float64 scalar operations per lane."""
    blocks: tuple[tuple[int, int], ...]
    """Ids of function and label of every block."""
    block: np.ndarray
    """(rows,) index into `blocks`."""
    instruction: np.ndarray
    """(rows,) index of the instruction in the module."""

    def work(self, trace: Trace) -> LaneWork:
        """The work of a traced frame of this module.

        Blocks without lane-group counts count their invocations instead, as if no lane ever idled.
        """
        lanes = {
            (block.function, block.label): block.count
            if block.lane_groups is None
            else block.lane_groups * LANES
            for block in trace.blocks
        }
        ran = np.array([lanes.get(block, 0) for block in self.blocks], np.float64)
        operations = self.components * ran[self.block] if len(self.block) else self.components
        rows = np.flatnonzero(operations)
        return LaneWork(self.kinds, self.kind[rows], operations[rows], self.instruction[rows])


def lane_plan(module: Module, flow: Dataflow) -> LanePlan:
    """The static part of `LaneWork`, to be kept while only counts change."""
    types = _Types(module)
    names: list[str] = []
    components: list[int] = []
    blocks: list[tuple[int, int]] = []
    places: list[int] = []
    instructions: list[int] = []
    for function in module.functions:
        for block in function.blocks:
            blocks.append((function.id, block.label))
            for index in range(block.first + 1, block.last + 1):
                opcode = int(module.opcodes[index])
                if opcode in _NOT_EXECUTED or not flow.live[index]:
                    continue
                kind, count = types.describe(opcode, module.instruction_words(index))
                names.append(f"{_LEVELS[flow.dependence[index]]}:{kind}")
                components.append(count)
                places.append(len(blocks) - 1)
                instructions.append(index)
    kinds = tuple(sorted(set(names)))
    place = {kind: number for number, kind in enumerate(kinds)}
    return LanePlan(
        kinds,
        np.array([place[name] for name in names], np.int64),
        np.array(components, np.float64),
        tuple(blocks),
        np.array(places, np.int64),
        np.array(instructions, np.int64),
    )


def lane_work(module: Module, flow: Dataflow, trace: Trace) -> LaneWork:
    """The work of a traced frame (`LanePlan.work`)."""
    return lane_plan(module, flow).work(trace)


class _Types:
    """How many components the values of a module have, and what their pointers lead into."""

    def __init__(self, module: Module):
        self._module = module
        self._components: dict[int, int] = {}
        for index in range(len(module)):
            opcode = int(module.opcodes[index])
            if opcode == Op.Function:
                break
            if Op.TypeVoid <= opcode <= Op.TypePointer:
                words = module.instruction_words(index)
                self._components[words[1]] = self._count(opcode, words)

    def _count(self, opcode: int, words: list[int]) -> int:
        if opcode in (Op.TypeVector, Op.TypeMatrix):
            return self._components.get(words[2], 1) * words[3]
        if opcode in (Op.TypeArray, Op.TypeStruct):
            return _AGGREGATE
        if opcode == Op.TypePointer:
            return self._components.get(words[3], 1)
        return 1

    def of(self, id: int) -> int:
        """Components of a value, or of what a pointer points to."""
        definition = int(self._module.definitions[id])
        opcode = int(self._module.opcodes[definition])
        if opcode not in INSTRUCTIONS or RESULT_WORD[opcode] != 2:
            return 1
        return self._components.get(self._module.instruction_words(definition)[1], 1)

    def describe(self, opcode: int, words: list[int]) -> tuple[str, int]:
        """Kind and components of an instruction."""
        if opcode not in INSTRUCTIONS:
            return f"Op{opcode}", 1
        name = INSTRUCTIONS[opcode].name
        typed = RESULT_WORD[opcode] == 2
        components = self._components.get(words[1], 1) if typed else 1
        if opcode == Op.ExtInst:
            name = GLSL_STD_450.get(words[4], f"{words[4]}")
            return name, self.of(words[5]) if name in _REDUCTIONS else components
        if opcode in (Op.Load, Op.Store):
            pointer = words[3] if opcode == Op.Load else words[1]
            through = int(self._module.opcodes[int(self._module.definitions[pointer])])
            name += ":part" if through == Op.AccessChain else ""
            return name, self.of(pointer)
        if opcode == Op.Dot:
            return name, self.of(words[3])
        if opcode in _MADE_OF_COLUMNS:
            return name, max(self.of(words[3]), self.of(words[4]))
        return name, components
