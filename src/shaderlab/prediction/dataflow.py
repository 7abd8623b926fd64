"""Which of a shader's work differs between pixels, which is the same for all, which is for nothing.

Drivers fold what depends on constants, hoist what depends on uniforms only, and delete what nothing
visible depends on, so a count of unoptimised SPIR-V overstates such work.  This is a static
analysis of the module as it stands: forwards from what varies, backwards from what is seen.

It is flow-insensitive for variables (one verdict per variable, whatever its component or place) and
context-insensitive for functions, which errs towards varying and live.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from shaderlab.spirv.grammar import INSTRUCTIONS, RESULT_WORD, Op, StorageClass
from shaderlab.spirv.module import Function, Module


class Dependence(IntEnum):
    """On what a value depends at most."""

    CONSTANT = 0
    UNIFORM = 1
    """On uniforms, the same for all pixels of a draw."""
    VARYING = 2
    """On the pixel."""


@dataclass(frozen=True)
class Dataflow:
    """Verdicts per instruction of a module, by its index."""

    dependence: np.ndarray
    """(instructions,) int8 `Dependence` of its result; of what it stores or tests without one."""
    live: np.ndarray
    """(instructions,) bool: something visible depends on it.  Jumps and merges always are."""


def analyse(module: Module) -> Dataflow:
    """Analyse all function bodies of a module."""
    graph = _Graph(module)
    return Dataflow(_dependences(graph), _live(graph))


class _Node(NamedTuple):
    """One instruction of a function body."""

    index: int
    opcode: int
    result: int
    uses: list[int]
    """Ids it reads, the pointer of a load or store first."""
    function: int
    block: int
    """Number of its block within the function."""
    words: list[int]


class _Construct(NamedTuple):
    """Blocks [start, stop) of a function that a structured branch or loop governs (§2.11)."""

    start: int
    stop: int


_LINES = frozenset((Op.Line, Op.NoLine))
_JUMPS = frozenset((Op.Branch, Op.SelectionMerge, Op.LoopMerge, Op.Return, Op.Unreachable))
_CHAINS = frozenset((Op.AccessChain, Op.InBoundsAccessChain))
_LEAVES = frozenset((Op.Return, Op.ReturnValue, Op.Kill, Op.TerminateInvocation))
_DECISIONS = frozenset((Op.BranchConditional, Op.Switch))
_READ_ONLY = frozenset(
    (
        StorageClass.Uniform,
        StorageClass.UniformConstant,
        StorageClass.PushConstant,
        StorageClass.StorageBuffer,
    )
)
_SEEN = frozenset((StorageClass.Output, StorageClass.StorageBuffer))


class _Graph:
    """A module's instructions with the memory and control structure both analyses follow."""

    def __init__(self, module: Module):
        self.module = module
        self.nodes: list[_Node] = []
        self.storage: dict[int, int] = {}
        """Storage class by variable id."""
        self.parameters: dict[int, list[int]] = {}
        """Parameter ids by function."""
        self.selections: dict[tuple[int, int], _Construct] = {}
        """By function and block that decides."""
        self.loops: dict[int, list[_Construct]] = defaultdict(list)
        """By function."""
        self.exits: dict[tuple[int, int], _Node] = {}
        """Terminator by function and block."""
        self.block_of: dict[int, int] = {}
        """Number of the block by its label."""
        self.blocks: dict[int, int] = {}
        """Number of blocks by function."""
        self._base: dict[int, int] = {}
        self.indices: dict[int, list[int]] = {}
        """Ids of the indices that lead to a pointer."""
        self._joined: dict[int, int] = {}
        for index in module.indices(Op.Variable):
            words = module.instruction_words(index)
            self._base[words[2]] = words[2]
            self.storage[words[2]] = words[3]
        for function in module.functions:
            self._add_parameters(function)
        for function in module.functions:
            self._add_body(function)
        for node in self.nodes:
            if node.opcode in (Op.LoopMerge, Op.SelectionMerge):
                self._add_construct(node)
            elif node.opcode == Op.FunctionCall:
                self._join_arguments(node)
            elif node.opcode in (Op.CopyMemory, Op.CopyMemorySized):
                self._join(node.words[1], node.words[2])

    def memory(self, pointer: int) -> int:
        """The variable a pointer leads to; variables passed for one parameter count as one."""
        place = self._base.get(pointer, pointer)
        while (parent := self._joined.get(place, place)) != place:
            place = parent
        return place

    def innermost_loop(self, function: int, block: int) -> _Construct | None:
        around = [loop for loop in self.loops[function] if loop.start <= block < loop.stop]
        return min(around, key=lambda loop: loop.stop - loop.start, default=None)

    def governed(self, node: _Node) -> _Construct | None:
        """What a conditional branch decides about: its selection, or the loop it may leave."""
        selection = self.selections.get((node.function, node.block))
        return selection or self.innermost_loop(node.function, node.block)

    def leaves(self, function: int, block: int, construct: _Construct) -> bool:
        """Whether a block ends by leaving the construct other than to its merge block."""
        end = self.exits[function, block]
        if end.opcode in _LEAVES:
            return True
        if end.opcode != Op.Branch:
            return False
        return not construct.start <= self.block_of[end.words[1]] <= construct.stop

    def _add_parameters(self, function: Function) -> None:
        first_block = function.blocks[0].first if function.blocks else function.last
        ids = [
            self.module.instruction_words(index)[2]
            for index in range(function.first + 1, first_block)
            if self.module.opcodes[index] == Op.FunctionParameter
        ]
        self.parameters[function.id] = ids
        self._base.update((each, each) for each in ids)

    def _add_body(self, function: Function) -> None:
        self.blocks[function.id] = len(function.blocks)
        for number, block in enumerate(function.blocks):
            self.block_of[block.label] = number
            for index in range(block.first + 1, block.last + 1):
                opcode = int(self.module.opcodes[index])
                if opcode in _LINES:
                    continue
                words = self.module.instruction_words(index)
                place = int(RESULT_WORD[opcode]) if opcode in INSTRUCTIONS else 0
                result = words[place] if place else 0
                if opcode in _CHAINS:
                    base = words[3]
                    self._base[result] = self._base.get(base, base)
                    self.indices[result] = words[4:] + self.indices.get(base, [])
                elif opcode == Op.CopyObject and words[3] in self._base:
                    self._base[result] = self._base[words[3]]
                node = _Node(
                    index, opcode, result, _uses(opcode, words), function.id, number, words
                )
                self.nodes.append(node)
            self.exits[function.id, number] = node

    def _add_construct(self, node: _Node) -> None:
        stop = self.block_of[node.words[1]]
        if node.opcode == Op.LoopMerge:
            self.loops[node.function].append(_Construct(node.block, stop))
        else:
            self.selections[node.function, node.block] = _Construct(node.block + 1, stop)

    def _join_arguments(self, call: _Node) -> None:
        for parameter, argument in zip(self.parameters[call.words[3]], call.uses, strict=True):
            if argument in self._base:
                self._join(parameter, argument)

    def _join(self, a: int, b: int) -> None:
        a, b = self.memory(a), self.memory(b)
        if a != b:
            self._joined[a] = b


def _uses(opcode: int, words: list[int]) -> list[int]:
    """Ids among an instruction's operands that are values it reads."""
    if opcode in (Op.ExtInst,):
        return words[5:]
    if opcode == Op.FunctionCall:
        return words[4:]
    if opcode in (Op.CompositeExtract, Op.Load):
        return words[3:4]
    if opcode in (Op.CompositeInsert, Op.VectorShuffle):
        return words[3:5]
    if opcode == Op.Store:
        return words[1:3]
    if opcode in _DECISIONS or opcode == Op.ReturnValue:
        return words[1:2]
    if opcode == Op.Phi:
        return words[3::2]
    if opcode in _JUMPS or opcode == Op.Variable:
        return []
    place = int(RESULT_WORD[opcode]) if opcode in INSTRUCTIONS else 0
    return words[place + 1 :]


def _dependences(graph: _Graph) -> np.ndarray:
    """Forwards to a fixpoint: a value depends on what its operands, memory and control do."""
    value: dict[int, int] = defaultdict(int)
    memory: dict[int, int] = defaultdict(int)
    control: dict[tuple[int, int], int] = defaultdict(int)
    called: dict[int, int] = defaultdict(int)
    returned: dict[int, int] = defaultdict(int)
    changed = True

    def raise_to(table: dict, key, level: int) -> None:
        nonlocal changed
        if level > table[key]:
            table[key] = level
            changed = True

    def govern(function: int, blocks: range, level: int) -> None:
        for block in blocks:
            raise_to(control, (function, block), level)

    for variable, storage in graph.storage.items():
        if storage == StorageClass.Input:
            raise_to(memory, graph.memory(variable), Dependence.VARYING)
        elif storage in _READ_ONLY:
            raise_to(memory, graph.memory(variable), Dependence.UNIFORM)

    def level_of(node: _Node) -> int:
        level = max((value[use] for use in node.uses), default=0)
        if node.opcode in (Op.Load, Op.Store):
            pointer = node.uses[0]
            level = max([level, *(value[index] for index in graph.indices.get(pointer, ()))])
            if node.opcode == Op.Load:
                level = max(level, memory[graph.memory(pointer)])
        elif node.opcode == Op.FunctionCall:
            level = returned[node.words[3]]
        elif node.opcode == Op.Phi:
            parents = (graph.block_of[label] for label in node.words[4::2])
            level = max([level, *(control[node.function, parent] for parent in parents)])
        return level

    while changed:
        changed = False
        for node in graph.nodes:
            here = (node.function, node.block)
            level = level_of(node)
            if node.result:
                raise_to(value, node.result, level)
            around = max(control[here], called[node.function])
            if node.opcode == Op.Store:
                raise_to(memory, graph.memory(node.uses[0]), max(level, around))
            elif node.opcode == Op.FunctionCall:
                raise_to(called, node.words[3], around)
                for parameter, use in zip(graph.parameters[node.words[3]], node.uses, strict=True):
                    raise_to(value, parameter, value[use])
            elif node.opcode == Op.ReturnValue:
                raise_to(returned, node.function, max(level, control[here]))
            elif node.opcode in _DECISIONS and level:
                construct = graph.governed(node)
                if construct:
                    govern(node.function, range(*construct), level)
            if control[here] and node is graph.exits[here]:
                govern(node.function, _cut_short(graph, node), control[here])

    levels = np.zeros(len(graph.module), np.int8)
    for node in graph.nodes:
        levels[node.index] = level_of(node)
    return levels


def _cut_short(graph: _Graph, end: _Node) -> range:
    """Blocks that may be skipped when this terminator breaks, continues or returns."""
    loop = graph.innermost_loop(end.function, end.block)
    if end.opcode in _LEAVES:
        return range(*loop) if loop else range(end.block, graph.blocks[end.function])
    if end.opcode == Op.Branch and loop:
        to = graph.block_of[end.words[1]]
        if not loop.start <= to < loop.stop:
            return range(*loop)
    return range(0)


def _live(graph: _Graph) -> np.ndarray:
    """Backwards to a fixpoint: live is what a live instruction reads, from the outputs on."""
    live = np.zeros(len(graph.module), bool)
    needed: set[int] = set()
    read: set[int] = {
        graph.memory(variable) for variable, storage in graph.storage.items() if storage in _SEEN
    }
    active_blocks: set[tuple[int, int]] = set()
    active_functions: set[int] = set()
    needed_results: set[int] = set()

    def decides(node: _Node) -> bool:
        construct = graph.governed(node)
        if construct is None:
            return True
        if _any_active(active_blocks, node.function, construct):
            return True
        loop = graph.innermost_loop(node.function, node.block)
        return any(
            graph.leaves(node.function, block, construct) for block in range(*construct)
        ) and (loop is None or _any_active(active_blocks, node.function, loop))

    def is_live(node: _Node) -> bool:
        if node.opcode == Op.Store:
            return graph.memory(node.uses[0]) in read
        if node.opcode == Op.FunctionCall:
            return node.result in needed or node.words[3] in active_functions
        if node.opcode == Op.ReturnValue:
            return node.function in needed_results
        if node.opcode in _DECISIONS:
            return decides(node)
        if node.opcode in _JUMPS or not node.result:
            return True
        return node.result in needed or INSTRUCTIONS[node.opcode].name.startswith("OpAtomic")

    changed = True
    while changed:
        changed = False
        for node in reversed(graph.nodes):
            if node.opcode == Op.FunctionCall and node.result in needed:
                changed |= node.words[3] not in needed_results
                needed_results.add(node.words[3])
            if live[node.index] or not is_live(node):
                continue
            live[node.index] = changed = True
            if node.opcode in _JUMPS:
                continue
            active_blocks.add((node.function, node.block))
            active_functions.add(node.function)
            needed.update(node.uses)
            if node.opcode in (Op.Load, Op.Store):
                read.add(graph.memory(node.uses[0]))
                needed.update(graph.indices.get(node.uses[0], ()))
    return live


def _any_active(active: set[tuple[int, int]], function: int, construct: _Construct) -> bool:
    return any((function, block) in active for block in range(*construct))
