"""Which of a shader's work varies between pixels, which is uniform, and which is dead.

Drivers fold what depends on constants, hoist what depends on uniforms only, and delete dead code,
so a count of unoptimised SPIR-V overstates such work.  This is a static analysis of the module as
it stands: forwards from what varies, backwards from what is visible.

Control counts as much as values do: what a jump decides depends on its condition, and a condition
is live where anything live depends on which way was taken (`FlowGraph.deciders`).  The analysis is
flow-insensitive for variables (one verdict per variable, whatever its component or place) and
context-insensitive for functions; where unsure it says varying and live.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from shaderlab.spirv.analysis.cfg import FlowGraph
from shaderlab.spirv.grammar import INSTRUCTIONS, RESULT_WORD, RESULT_WORD_OF, Op, StorageClass
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
    """Verdicts per instruction of a module, by its index, and what they follow from."""

    graphs: tuple[FlowGraph, ...]
    """Of all functions, in the module's order."""
    reads: Mapping[int, tuple[int, ...]]
    """By index of an instruction of a function body: ids of the values it reads."""
    dependence: np.ndarray
    """(instructions,) int8 `Dependence` of its result; of what it stores or tests without one."""
    live: np.ndarray
    """(instructions,) bool: something visible depends on it.  Jumps and merges always are."""


def analyse(module: Module) -> Dataflow:
    """Analyse all function bodies of a module.  Raises InvalidModule as `FlowGraph` does."""
    graphs = tuple(FlowGraph(function) for function in module.functions)
    graph = _Graph(module, graphs)
    reads = {node.at: node.uses for node in graph.nodes}
    return Dataflow(graphs, reads, _dependences(graph), _live(graph))


class _Node(NamedTuple):
    """One instruction of a function body."""

    at: int
    """Index in the module."""
    opcode: int
    result: int
    uses: tuple[int, ...]
    """Ids it reads, the pointer of a load or store first."""
    function: int
    block: int
    """Number of its block within the function."""
    words: tuple[int, ...]


_LINES = frozenset((Op.Line, Op.NoLine))
_JUMPS = frozenset((Op.Branch, Op.SelectionMerge, Op.LoopMerge, Op.Return, Op.Unreachable))
_WITHOUT_VALUES = _JUMPS | {Op.Variable}
_ACCESSES = frozenset((Op.Load, Op.Store))
_DEPEND_FURTHER = frozenset((Op.Load, Op.FunctionCall, Op.Phi))
_CHAINS = frozenset((Op.AccessChain, Op.InBoundsAccessChain))
_DECISIONS = frozenset((Op.BranchConditional, Op.Switch))
_READ_ONLY = frozenset(
    (
        StorageClass.Uniform,
        StorageClass.UniformConstant,
        StorageClass.PushConstant,
        StorageClass.StorageBuffer,
    )
)
_EVERYTHING = slice(1, None)


def _value_words() -> list[slice]:
    """By opcode: which of an instruction's words are ids of values it reads."""
    found = [slice(int(word) + 1, None) for word in RESULT_WORD]
    for opcodes, words in (
        (_WITHOUT_VALUES, slice(0)),
        (_DECISIONS | {Op.ReturnValue}, slice(1, 2)),
        ((Op.Store,), slice(1, 3)),
        ((Op.CompositeExtract, Op.Load), slice(3, 4)),
        ((Op.CompositeInsert, Op.VectorShuffle), slice(3, 5)),
        ((Op.Phi,), slice(3, None, 2)),
        ((Op.FunctionCall,), slice(4, None)),
        ((Op.ExtInst,), slice(5, None)),
    ):
        for opcode in opcodes:
            found[opcode] = words
    return found


def _literal_words() -> dict[int, frozenset[int]]:
    """By opcode: which of those words are masks and numbers instead (`Sample` of a texel fetch)."""
    found = {}
    for opcode, kind in INSTRUCTIONS.items():
        if opcode >= len(RESULT_WORD) or _VALUE_WORDS[opcode] != slice(
            RESULT_WORD[opcode] + 1, None
        ):
            continue
        literals = {n for n, each in enumerate(kind.operands, 1) if not each.startswith("Id")}
        if literals:
            found[opcode] = frozenset(literals)
    return found


_VALUE_WORDS = _value_words()
_LITERAL_WORDS = _literal_words()
_KNOWN_EFFECTS = _JUMPS | _DECISIONS | {Op.Store, Op.ReturnValue}
_SEEN = frozenset((StorageClass.Output, StorageClass.StorageBuffer))


class _Graph:
    """A module's instructions with the memory and control structure both analyses follow."""

    def __init__(self, module: Module, graphs: Sequence[FlowGraph]):
        self.module = module
        self.nodes: list[_Node] = []
        self.storage: dict[int, int] = {}
        """Storage class by variable id."""
        self.parameters: dict[int, list[int]] = {}
        """Parameter ids by function."""
        self.exits: dict[tuple[int, int], _Node] = {}
        """Terminator by function and block."""
        self.block_of: dict[int, int] = {}
        """Number of the block by its label."""
        self.deciders: dict[tuple[int, int], list[_Node]] = {}
        """By function and block: the terminators that decide whether it runs."""
        self._base: dict[int, int] = {}
        self.indices: dict[int, tuple[int, ...]] = {}
        """Ids of the indices that lead to a pointer."""
        self._joined: dict[int, int] = {}
        for index in module.indices(Op.Variable):
            words = module.instruction_words(index)
            self._base[words[2]] = words[2]
            self.storage[words[2]] = words[3]
        for function in module.functions:
            self._add_parameters(function)
        for graph in graphs:
            self._add_body(graph)
        for node in self.nodes:
            if node.opcode == Op.FunctionCall:
                self._join_arguments(node)
            elif node.opcode in (Op.CopyMemory, Op.CopyMemorySized):
                self._join(node.words[1], node.words[2])

    def memory(self, pointer: int) -> int:
        """The variable a pointer leads to; variables passed for one parameter count as one."""
        place = self._base.get(pointer, pointer)
        while (parent := self._joined.get(place, place)) != place:
            place = parent
        return place

    def reads(self, node: _Node) -> tuple[Sequence[int], int]:
        """Of a load or store: ids that its result depends on, and the variable it is of."""
        pointer = node.uses[0]
        return (*node.uses, *self.indices.get(pointer, ())), self.memory(pointer)

    def ways_to(self, phi: _Node) -> Iterator[tuple[int, int]]:
        """Function and block of where control may come from to the phi."""
        return ((phi.function, self.block_of[label]) for label in phi.words[4::2])

    def _add_parameters(self, function: Function) -> None:
        first_block = function.blocks[0].first if function.blocks else function.last
        ids = [
            self.module.instruction_words(index)[2]
            for index in range(function.first + 1, first_block)
            if self.module.opcodes[index] == Op.FunctionParameter
        ]
        self.parameters[function.id] = ids
        self._base.update((each, each) for each in ids)

    def _add_body(self, graph: FlowGraph) -> None:
        function, opcodes = graph.function, self.module.opcodes
        bound = len(self.module.definitions)
        add, words_of = self.nodes.append, self.module.instruction_words
        for number, block in enumerate(function.blocks):
            self.block_of[block.label] = number
            first = block.first + 1
            for index, opcode in enumerate(opcodes[first : block.last + 1].tolist(), first):
                if opcode in _LINES:
                    continue
                words = words_of(index)
                known = opcode < len(_VALUE_WORDS)
                uses = words[_VALUE_WORDS[opcode] if known else _EVERYTHING]
                literals = _LITERAL_WORDS.get(opcode)
                if literals:
                    first_use = len(words) - len(uses)
                    uses = tuple(w for n, w in enumerate(uses, first_use) if n not in literals)
                if literals or not known:  # numbers may follow a mask
                    uses = tuple(word for word in uses if word < bound)
                place = RESULT_WORD_OF.get(opcode)
                result = words[place] if place else 0
                if opcode in _CHAINS:
                    base = words[3]
                    self._base[result] = self._base.get(base, base)
                    self.indices[result] = words[4:] + self.indices.get(base, ())
                elif opcode == Op.CopyObject and words[3] in self._base:
                    self._base[result] = self._base[words[3]]
                node = _Node(index, opcode, result, uses, function.id, number, words)
                add(node)
                if index == block.last:
                    self.exits[function.id, number] = node
        for number, deciders in enumerate(graph.deciders):
            self.deciders[function.id, number] = [self.exits[function.id, at] for at in deciders]

    def _join_arguments(self, call: _Node) -> None:
        for parameter, argument in zip(self.parameters[call.words[3]], call.uses, strict=True):
            if argument in self._base:
                self._join(parameter, argument)

    def _join(self, a: int, b: int) -> None:
        a, b = self.memory(a), self.memory(b)
        if a != b:
            self._joined[a] = b


def _dependences(graph: _Graph) -> np.ndarray:
    """Forwards to a fixpoint: a value depends on what its operands, memory and control do."""
    value = [0] * len(graph.module.definitions)
    memory: dict[int, int] = defaultdict(int)
    control: dict[tuple[int, int], int] = defaultdict(int)
    decided: dict[tuple[int, int], int] = defaultdict(int)
    called: dict[int, int] = defaultdict(int)
    returned: dict[int, int] = defaultdict(int)
    changed = True

    def raise_to(table: dict | list, key, level: int) -> None:
        nonlocal changed
        if level > table[key]:
            table[key] = level
            changed = True

    for variable, storage in graph.storage.items():
        if storage == StorageClass.Input:
            raise_to(memory, graph.memory(variable), Dependence.VARYING)
        elif storage in _READ_ONLY:
            raise_to(memory, graph.memory(variable), Dependence.UNIFORM)

    def level_of(node: _Node, reads: Sequence[int], place: int) -> int:
        """`reads`: the ids its result depends on.  `place`: the variable it loads or stores."""
        level = 0
        for use in reads:
            if value[use] > level:
                level = value[use]
        opcode = node.opcode
        if opcode not in _DEPEND_FURTHER:
            return level
        if opcode == Op.Load:
            return max(level, memory[place])
        if opcode == Op.FunctionCall:
            return returned[node.words[3]]
        for way in graph.ways_to(node):
            level = max(level, control[way], decided[way])
        return level

    # Jumps and variables depend on nothing themselves.
    pending = [
        (node, *graph.reads(node)) if node.opcode in _ACCESSES else (node, node.uses, 0)
        for node in graph.nodes
        if node.opcode not in _WITHOUT_VALUES
    ]
    while changed:
        changed = False
        waiting = []
        for each in pending:
            node, reads, place = each
            opcode, result = node.opcode, node.result
            level = level_of(node, reads, place)
            if result:
                if level > value[result]:
                    value[result] = level
                    changed = True
                if opcode != Op.FunctionCall:
                    if level < Dependence.VARYING:  # which nothing is above
                        waiting.append(each)
                    continue
            waiting.append(each)
            here = (node.function, node.block)
            around = max(control[here], called[node.function])
            if opcode == Op.Store:
                raise_to(memory, place, max(level, around))
            elif opcode == Op.FunctionCall:
                raise_to(called, node.words[3], around)
                for parameter, use in zip(graph.parameters[node.words[3]], node.uses, strict=True):
                    raise_to(value, parameter, value[use])
            elif opcode == Op.ReturnValue:
                raise_to(returned, node.function, max(level, control[here]))
            elif opcode in _DECISIONS:
                raise_to(decided, here, level)
        pending = waiting
        for block, deciders in graph.deciders.items():
            for end in deciders:
                way = end.function, end.block
                raise_to(control, block, max(decided[way], control[way]))

    levels = [0] * len(graph.module)
    for node in graph.nodes:
        if node.result:
            levels[node.at] = value[node.result]
    for node, reads, place in pending:
        if not node.result:
            levels[node.at] = level_of(node, reads, place)
    return np.array(levels, np.int8)


def _live(graph: _Graph) -> np.ndarray:
    """Backwards: live is what a live instruction reads, and what decides whether it runs."""
    live = [False] * len(graph.module)
    makers: dict[int, _Node] = {}
    stores: dict[int, list[_Node]] = defaultdict(list)
    calls: dict[int, list[_Node]] = defaultdict(list)
    results: dict[int, list[_Node]] = defaultdict(list)
    pending: list[_Node] = []
    active: set[tuple[int, int]] = set()
    read: set[int] = set()

    def mark(node: _Node) -> None:
        if not live[node.at]:
            live[node.at] = True
            pending.append(node)

    def need(id: int) -> None:
        maker = makers.get(id)
        if maker is not None:
            if maker.opcode == Op.FunctionCall:
                for result in results[maker.words[3]]:
                    mark(result)
            mark(maker)

    def read_from(place: int) -> None:
        if place not in read:
            read.add(place)
            for store in stores[place]:
                mark(store)

    def activate(block: tuple[int, int]) -> None:
        if block not in active:
            active.add(block)
            for end in graph.deciders[block]:
                mark(end)
            for call in calls[block[0]]:
                mark(call)

    for node in graph.nodes:
        if node.result:
            makers[node.result] = node
        if node.opcode == Op.Store:
            stores[graph.memory(node.uses[0])].append(node)
        elif node.opcode == Op.FunctionCall:
            calls[node.words[3]].append(node)
        elif node.opcode == Op.ReturnValue:
            results[node.function].append(node)
    for variable, storage in graph.storage.items():
        if storage in _SEEN:
            read_from(graph.memory(variable))
    for node in graph.nodes:
        if node.opcode in _JUMPS:
            live[node.at] = True
        elif _has_effect(node):
            mark(node)

    while pending:
        node = pending.pop()
        activate((node.function, node.block))
        for use in node.uses:
            need(use)
        if node.opcode in _ACCESSES:
            read_from(graph.memory(node.uses[0]))
            for index in graph.indices.get(node.uses[0], ()):
                need(index)
        elif node.opcode == Op.Phi:
            for way in graph.ways_to(node):
                activate(way)
                if graph.exits[way].opcode in _DECISIONS:
                    mark(graph.exits[way])
    return np.array(live, bool)


def _has_effect(node: _Node) -> bool:
    """Whether it does something that no value, variable or jump shows."""
    if node.opcode in INSTRUCTIONS and INSTRUCTIONS[node.opcode].name.startswith("OpAtomic"):
        return True
    return not node.result and node.opcode not in _KNOWN_EFFECTS
