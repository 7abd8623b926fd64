"""`LaneWork`: scalar operations of a frame by kind, as a GPU that runs lanes in groups spends them.

A group of lanes spends a block's instructions as often as its busiest lane runs it, and an
instruction as often as its result has components.  How that goes differs between targets
(`Execution`).  Work that a driver deletes is left out, and what it can fold or hoist is a separate
kind (`dataflow`, `unrolling`), so that each kind can have its price.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import numpy as np

from shaderlab.prediction.features.operations import Operations
from shaderlab.prediction.features.texture_work import refined
from shaderlab.prediction.features.work_rows import LaneWork
from shaderlab.spirv.analysis.dataflow import Dataflow, Dependence
from shaderlab.spirv.analysis.dependency_chains import Link, longest_chains
from shaderlab.spirv.analysis.loop_invariants import hoisting
from shaderlab.spirv.analysis.predication import Predication, predication
from shaderlab.spirv.analysis.unrolling import MOST_INSTRUCTIONS, Loop, loops
from shaderlab.spirv.grammar import Op
from shaderlab.spirv.module import Module
from shaderlab.spirv.texture_reads import texture_reads
from shaderlab.spirv.trace import BlockId, Trace
from shaderlab.spirv.warps import LANES

NOT_EXECUTED = frozenset((Op.Line, Op.NoLine, Op.Variable, Op.SampledImage, Op.Image))
"""The last two name what is bound; the read is what costs."""
LEVELS = tuple(level.name.lower() for level in Dependence)


class Execution(StrEnum):
    """How a target comes to run what it runs."""

    JUMPING = "jumping"
    """Groups of lanes branch over code that none of their lanes takes."""
    HOISTING = "hoisting"
    """The same, with loop-invariant code computed before its loop (`loop_invariants`)."""
    PREDICATING = "predicating"
    """All lanes execute all branches (`predication`), one warp at a time: the latency of dependent
    operations counts as separate work (`dependency_chains`)."""


UNROLLED, LOOPED = ":unrolled", ":looped"
"""Of work that is the same for all pixels: in a loop that a compiler unrolls, in another."""


@dataclass(frozen=True)
class PlacedLoop:
    """A loop and the positions of its blocks in a plan."""

    loop: Loop
    blocks: tuple[int, ...]
    """Of its function, all of them: index into `LanePlan.blocks`."""
    instructions: int
    """Live ones inside, with those of loops within."""


@dataclass(frozen=True)
class Chains:
    """Latency: one row per link of the longest dependency chains."""

    kind: np.ndarray
    """(links,) index into `LanePlan.kinds`."""
    cycles: np.ndarray
    """(links,) float64"""
    block: np.ndarray
    """(links,) index into `LanePlan.blocks` of one that runs as often as the code."""
    instruction: np.ndarray
    """(links,) index of the instruction in the module."""


@dataclass(frozen=True)
class LanePlan:
    """What each instruction of a module would cost, whatever its trace: one row per live one."""

    kinds: tuple[str, ...]
    """Ascending."""
    kind: np.ndarray
    """(rows,) index into `kinds`."""
    kind_unrolled: np.ndarray
    """(rows,) likewise, should its loop be unrolled."""
    components: np.ndarray
    """(rows,) float64 scalar operations per lane."""
    blocks: tuple[BlockId, ...]
    """Every block of the module."""
    block: np.ndarray
    """(rows,) index into `blocks`."""
    instruction: np.ndarray
    """(rows,) index of the instruction in the module."""
    loops: tuple[PlacedLoop, ...]
    predication: Predication
    ahead: np.ndarray
    """(rows,) index into `before` of the outermost loop it could be moved before; -1 for none."""
    before: tuple[tuple[int, ...], ...]
    """By loop: the blocks from outside that may lead to it, index into `blocks`."""
    chains: Chains
    reads: Mapping[int, tuple[int, int] | None]
    """By index of an instruction that reads a texture: its descriptor, where it is known."""

    def work(self, trace: Trace, execution: Execution = Execution.JUMPING) -> LaneWork:
        """The work of a traced frame of this module.

        Blocks without lane-group counts count their invocations instead, as if no lane ever idled.
        """
        counted = {block.id: block for block in trace.blocks}
        executions = np.zeros(len(self.blocks))
        lanes = np.zeros(len(self.blocks))
        for number, where in enumerate(self.blocks):
            if (block := counted.get(where)) is not None:
                executions[number] = block.count
                groups = block.lane_groups
                lanes[number] = block.count if groups is None else groups * LANES
        if execution is Execution.PREDICATING:
            lanes = self.predication.executions(executions)
        spent = lanes[self.block] if len(self.block) else np.zeros(0)
        if execution is Execution.HOISTING and self.before:
            entering = np.array([lanes[list(blocks)].sum() for blocks in self.before])
            spent = np.where(self.ahead < 0, spent, np.minimum(spent, entering[self.ahead]))
        operations = self.components * spent
        kind = np.where(self._unrolled(executions)[self.block], self.kind_unrolled, self.kind)
        instruction = self.instruction
        if execution is Execution.PREDICATING:
            chains = self.chains
            kind = np.concatenate([kind, chains.kind])
            operations = np.concatenate([operations, chains.cycles * lanes[chains.block]])
            instruction = np.concatenate([instruction, chains.instruction])
        rows = np.flatnonzero(operations)
        work = LaneWork(self.kinds, kind[rows], operations[rows], instruction[rows])
        return refined(work, self.reads, trace.textures)

    def _unrolled(self, executions: np.ndarray) -> np.ndarray:
        """(blocks,) bool: whether the loop around it is written out, if each ran so often."""
        found = np.zeros(len(self.blocks), bool)
        for placed in self.loops:
            loop, blocks = placed.loop, placed.blocks
            if loop.constant:
                trips = loop.trips(lambda number, blocks=blocks: executions[blocks[number]])
                if trips * placed.instructions <= MOST_INSTRUCTIONS:
                    found[[blocks[number] for number in loop.own]] = True
        return found


@lru_cache(maxsize=1 << 14)
def _kinds(name: str, level: int, looped: bool) -> tuple[str, str]:
    """Of an operation on what depends on `level`, in a loop or not: usually, and written out."""
    kind = f"{LEVELS[level]}:{name}"
    if looped and level != Dependence.VARYING:
        return kind + LOOPED, kind + UNROLLED
    return kind, kind


def lane_plan(module: Module, flow: Dataflow) -> LanePlan:
    """The static part of `LaneWork`, to be kept while only counts change."""
    operations = Operations(module)
    hoisted = hoisting(flow)
    live, dependence, opcodes = flow.live.tolist(), flow.dependence.tolist(), module.opcodes
    names: list[tuple[str, str]] = []
    components: list[int] = []
    blocks: list[BlockId] = []
    places: list[int] = []
    instructions: list[int] = []
    placed: list[PlacedLoop] = []
    links: list[tuple[int, str, Link]] = []
    for graph in flow.graphs:
        function = graph.function
        numbers = tuple(range(len(blocks), len(blocks) + len(function.blocks)))
        found = loops(graph, flow)
        looped = {block for loop in found for block in loop.own}
        alive = []
        described: dict[int, str] = {}
        for number, block in enumerate(function.blocks):
            blocks.append(BlockId(function.id, block.label))
            before, first = len(described), block.first + 1
            for index, opcode in enumerate(opcodes[first : block.last + 1].tolist(), first):
                if not live[index] or opcode in NOT_EXECUTED:
                    continue
                name, count = operations.describe(index)
                described[index] = name
                names.append(_kinds(name, dependence[index], number in looped))
                components.append(count)
            alive.append(len(described) - before)
            places += [numbers[number]] * alive[-1]
        instructions += described
        for chain in longest_chains(graph, flow, described):
            block = numbers[chain.block]
            links += [(block, chain.kind + link.operation, link) for link in chain.links]
        placed += [
            PlacedLoop(loop, numbers, sum(alive[block] for block in loop.inside)) for loop in found
        ]
    kinds = {kind for pair in names for kind in pair} | {kind for _, kind, _ in links}
    kinds = tuple(sorted(kinds))
    place = {kind: number for number, kind in enumerate(kinds)}
    return LanePlan(
        kinds,
        np.array([place[looped] for looped, _ in names], np.int64),
        np.array([place[unrolled] for _, unrolled in names], np.int64),
        np.array(components, np.float64),
        tuple(blocks),
        np.array(places, np.int64),
        np.array(instructions, np.int64),
        tuple(placed),
        predication(module, flow.graphs),
        np.array([hoisted.loop.get(index, -1) for index in instructions], np.int64),
        hoisted.before,
        Chains(
            np.array([place[kind] for _, kind, _ in links], np.int64),
            np.array([link.cycles for _, _, link in links], np.float64),
            np.array([block for block, _, _ in links], np.int64),
            np.array([link.instruction for _, _, link in links], np.int64),
        ),
        texture_reads(module),
    )
