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
from collections.abc import Callable, Iterable, Mapping, Sequence
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
    words: tuple[int, ...]
    slot: int
    """Its result; below zero without one, and of calls, which may run for their effects alone."""
    block: int
    """Slot of its block."""


_LINES = frozenset((Op.Line, Op.NoLine))
_JUMPS = frozenset((Op.Branch, Op.SelectionMerge, Op.LoopMerge, Op.Return, Op.Unreachable))
_WITHOUT_VALUES = _JUMPS | {Op.Variable}
_ACCESSES = frozenset((Op.Load, Op.Store))
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
    found = [slice(word + 1, None) for word in RESULT_WORD]
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
        if opcode >= len(RESULT_WORD) or VALUE_WORDS[opcode] != slice(
            RESULT_WORD[opcode] + 1, None
        ):
            continue
        literals = {n for n, each in enumerate(kind.operands, 1) if not each.startswith("Id")}
        if literals:
            found[opcode] = frozenset(literals)
    return found


VALUE_WORDS = _value_words()
LITERAL_WORDS = _literal_words()
_KNOWN_EFFECTS = _JUMPS | _DECISIONS | {Op.Store, Op.ReturnValue}
_ATOMICS = frozenset(
    opcode for opcode, kind in INSTRUCTIONS.items() if kind.name.startswith("OpAtomic")
)
_SEEN = frozenset((StorageClass.Output, StorageClass.StorageBuffer))


class _Graph:
    """A module's instructions with the memory and control structure both analyses follow.

    What depends and is depended on has a slot, a number: a value its id, an instruction `slot`;
    memory, functions and blocks those that `holds` and `runs` return.
    """

    def __init__(self, module: Module, graphs: Sequence[FlowGraph]):
        self.module = module
        self.nodes: list[_Node] = []
        self.storage: dict[int, int] = {}
        """Storage class by variable id."""
        self.parameters: dict[int, list[int]] = {}
        """Parameter ids by function."""
        self._exits: dict[int, _Node] = {}
        """Terminator by the block's label."""
        self.deciders: list[tuple[int, int, list[_Node]]] = []
        """Function, slot of a block of it, and the terminators that decide whether that runs."""
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

    def access(self, node: _Node) -> tuple[tuple[int, ...], int]:
        """Of a load or store: the indices that lead to its place, and its memory's slot."""
        pointer = node.uses[0]
        return self.indices.get(pointer, ()), self.holds(self.memory(pointer))

    def holds(self, id: int) -> int:
        """Slot of what a variable holds or a function returns."""
        return len(self.module.definitions) + id

    def runs(self, id: int) -> int:
        """Slot of whether the block of a label runs or a function is called."""
        return 2 * len(self.module.definitions) + id

    def ways_to(self, phi: _Node) -> list[int]:
        """Slots of the blocks control may come from to the phi, and of what they decide."""
        exits = [self._exits[label] for label in phi.words[4::2]]
        return [end.block for end in exits] + [e.slot for e in exits if e.opcode in _DECISIONS]

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
        for block in function.blocks:
            runs = self.runs(block.label)
            first = block.first + 1
            for index, opcode in enumerate(opcodes[first : block.last + 1].tolist(), first):
                if opcode in _LINES:
                    continue
                words = words_of(index)
                known = opcode < len(VALUE_WORDS)
                uses = words[VALUE_WORDS[opcode] if known else _EVERYTHING]
                literals = LITERAL_WORDS.get(opcode)
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
                slot = result if result and opcode != Op.FunctionCall else -index
                node = _Node(index, opcode, result, uses, function.id, words, slot, runs)
                add(node)
                if index == block.last:
                    self._exits[block.label] = node
        for block, deciders in zip(function.blocks, graph.deciders, strict=True):
            ends = [self._exits[function.blocks[number].label] for number in deciders]
            self.deciders.append((function.id, self.runs(block.label), ends))

    def _join_arguments(self, call: _Node) -> None:
        for parameter, argument in zip(self.parameters[call.words[3]], call.uses, strict=True):
            if argument in self._base:
                self._join(parameter, argument)

    def _join(self, a: int, b: int) -> None:
        a, b = self.memory(a), self.memory(b)
        if a != b:
            self._joined[a] = b


def _dependences(graph: _Graph) -> np.ndarray:
    """Forwards: a value depends on what its operands, memory and control do."""
    ahead = _dependents(graph)
    levels: dict[int, int] = {}
    for level, classes in (
        (Dependence.VARYING, (StorageClass.Input,)),
        (Dependence.UNIFORM, _READ_ONLY),
    ):
        sources = [v for v, storage in graph.storage.items() if storage in classes]
        _spread([graph.holds(graph.memory(variable)) for variable in sources], level, ahead, levels)
    found = [0] * len(graph.module)
    for node in graph.nodes:
        found[node.at] = levels.get(node.result or node.slot, Dependence.CONSTANT)
    return np.array(found, np.int8)


def _dependents(graph: _Graph) -> Mapping[int, list[int]]:
    """By slot: those that depend on it."""
    ahead: dict[int, list[int]] = defaultdict(list)
    for node in graph.nodes:
        if node.opcode == Op.FunctionCall:
            for parameter, use in zip(graph.parameters[node.words[3]], node.uses, strict=True):
                ahead[use].append(parameter)
        elif node.opcode not in _WITHOUT_VALUES:  # jumps and variables depend on nothing
            for use in node.uses:
                ahead[use].append(node.slot)
        if node.opcode in _DEPEND_FURTHER:
            for source, slot in _DEPEND_FURTHER[node.opcode](graph, node):
                ahead[source].append(slot)
    for _, block, ends in graph.deciders:
        for end in ends:
            ahead[end.slot].append(block)
            ahead[end.block].append(block)
    return ahead


_Edges = list[tuple[int, int]]
"""Slots and those that depend on them."""


def _of_load(graph: _Graph, load: _Node) -> _Edges:
    indices, held = graph.access(load)
    return [(source, load.slot) for source in (*indices, held)]


def _of_store(graph: _Graph, store: _Node) -> _Edges:
    indices, held = graph.access(store)
    sources = store.slot, store.block, graph.runs(store.function)
    return [(i, store.slot) for i in indices] + [(source, held) for source in sources]


def _of_call(graph: _Graph, call: _Node) -> _Edges:
    callee = call.words[3]
    runs = graph.runs(callee)
    around = (call.block, runs), (graph.runs(call.function), runs)
    return [(graph.holds(callee), call.result), *around]


def _of_return(graph: _Graph, end: _Node) -> _Edges:
    returned = graph.holds(end.function)
    return [(end.slot, returned), (end.block, returned)]


def _of_phi(graph: _Graph, phi: _Node) -> _Edges:
    return [(way, phi.slot) for way in graph.ways_to(phi)]


_DEPEND_FURTHER: Mapping[int, Callable[[_Graph, _Node], _Edges]] = {
    Op.Load: _of_load,
    Op.Store: _of_store,
    Op.FunctionCall: _of_call,
    Op.ReturnValue: _of_return,
    Op.Phi: _of_phi,
}


def _live(graph: _Graph) -> np.ndarray:
    """Backwards: live is what a live instruction reads, and what decides whether it runs."""
    start = [graph.holds(graph.memory(v)) for v, kind in graph.storage.items() if kind in _SEEN]
    start += [node.slot for node in graph.nodes if _has_effect(node)]
    reached: dict[int, int] = {}
    _spread(start, True, _needs(graph), reached)
    live = [False] * len(graph.module)
    for node in graph.nodes:
        live[node.at] = node.slot in reached or node.opcode in _JUMPS
    return np.array(live, bool)


def _needs(graph: _Graph) -> Mapping[int, Sequence[int]]:
    """By slot: those that are live if it is."""
    needs: dict[int, Sequence[int]] = {}
    makers: dict[int, list[int]] = defaultdict(list)
    for node in graph.nodes:
        opcode = node.opcode
        if opcode in _ACCESSES:
            indices, held = graph.access(node)
            needs[node.slot] = (*node.uses, *indices, node.block, held)
            if opcode == Op.Store:
                makers[held].append(node.slot)
            continue
        if opcode in _JUMPS:
            continue
        if opcode == Op.FunctionCall:
            needs[node.result] = node.slot, graph.holds(node.words[3])
            makers[graph.runs(node.words[3])].append(node.slot)
        elif opcode == Op.ReturnValue:
            makers[graph.holds(node.function)].append(node.slot)
        ways = graph.ways_to(node) if opcode == Op.Phi else ()
        needs[node.slot] = (*node.uses, node.block, *ways)
    for function, block, ends in graph.deciders:
        needs[block] = [*(end.slot for end in ends), graph.runs(function)]
    return needs | makers


def _has_effect(node: _Node) -> bool:
    """Whether it does something that no value, variable or jump shows."""
    return node.opcode in _ATOMICS or (not node.result and node.opcode not in _KNOWN_EFFECTS)


def _spread(
    start: Iterable[int], level: int, ways: Mapping[int, Sequence[int]], levels: dict[int, int]
) -> None:
    """Give a level to all slots that can be reached and have none yet."""
    pending = list(start)
    while pending:
        slot = pending.pop()
        if slot not in levels:
            levels[slot] = level
            pending += ways.get(slot, ())
