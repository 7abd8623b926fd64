"""Barriers that not all invocations of a workgroup reach, and data races in shared memory.

A control barrier in control flow that is not uniform in the workgroup is undefined behaviour
(SPIR-V specification, OpControlBarrier); so is shared memory that one invocation writes and another
reads without a barrier between (Vulkan memory model, data races).  Only what depends on the
invocation ID is reported: a value read from memory may be uniform across the workgroup.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from shaderlab.spirv.analysis.cfg import FlowGraph, calls_by_function
from shaderlab.spirv.analysis.comparisons import EQUAL, comparisons
from shaderlab.spirv.analysis.value_sources import WITHIN_GROUP, Sources, ValueSources
from shaderlab.spirv.grammar import Op, StorageClass, opcodes
from shaderlab.spirv.module import EntryPoint, Function, Module, printable
from shaderlab.spirv.reflection import Interface
from shaderlab.spirv.source_lines import InstructionLines, instruction_lines
from shaderlab.spirv.trace import SourceLine

_CHAINS = opcodes("AccessChain InBoundsAccessChain")
_MOST_PAIRS = 4_096
"""Of accesses that are compared."""


class Hazard(NamedTuple):
    """Something undefined, at a line."""

    line: SourceLine | None
    text: str


def hazards(module: Module, entry: EntryPoint, interface: Interface) -> tuple[Hazard, ...]:
    """Of a compute entry point, by line.  Raises InvalidModule."""
    group = interface.workgroup
    wide = {axis for axis, side in enumerate(group.size if group else (1, 1, 1)) if side > 1}
    if group is not None:
        wide |= {axis for axis, number in enumerate(group.constants) if number is not None}
    if not wide or (not module.indices(Op.ControlBarrier) and not _has_shared(module)):
        return ()
    search = _Search(ValueSources(module, entry, interface, WITHIN_GROUP), frozenset(wide))
    found = {*search.barriers(), *search.races()}
    return tuple(sorted(found, key=lambda each: (each.line or SourceLine("", 0), each.text)))


def _has_shared(module: Module) -> bool:
    return any(
        module.instruction_words(index)[3] == StorageClass.Workgroup
        for index in module.indices(Op.Variable)
    )


class _Access(NamedTuple):
    """Of an array in shared memory."""

    at: int
    """Its instruction."""
    block: int
    step: int
    """Id of the index."""
    variable: int
    is_store: bool


class _Search:
    def __init__(self, sources: ValueSources, wide: frozenset[int]):
        self._sources, self._module, self._wide = sources, sources.module, wide
        self._lines: InstructionLines = instruction_lines(sources.module)
        self._graphs = {each.id: FlowGraph(each) for each in sources.functions}
        self._waiting = self._with_barriers()
        """Functions that contain a barrier, or whose callees do."""

    def barriers(self) -> Iterator[Hazard]:
        """Those in control flow that depends on the invocation ID."""
        for function in self._sources.functions:
            graph = self._graphs[function.id]
            for block, index in self._sites(function):
                for decider in _deciders(graph, block):
                    if differs := self._differs(graph, decider):
                        yield self._barrier(graph, index, decider, differs)
                        break

    def races(self) -> Iterator[Hazard]:
        """Elements that one invocation stores and others load without a barrier between."""
        for function in self._sources.functions:
            graph = self._graphs[function.id]
            every = [each for each in self._accesses(graph) if not self._is_guarded(graph, each)]
            pairs = (
                (a, b)
                for a in every
                for b in every
                if a.variable == b.variable and a.is_store != b.is_store
            )
            for _, (first, second) in zip(range(_MOST_PAIRS), pairs, strict=False):
                store, load = (first, second) if first.is_store else (second, first)
                if self._apart(store.step, load.step) and self._meets(graph, first, second):
                    yield self._race(first, second)

    def _barrier(self, graph: FlowGraph, index: int, decider: int, differs: int) -> Hazard:
        is_call = self._module.opcodes[index] == Op.FunctionCall
        what = "the barrier in this call" if is_call else "this barrier"
        made = int(self._module.definitions[differs])
        line = self._lines.at(made) or self._lines.at(graph.function.blocks[decider].last)
        where = f" at line {line.line}" if line else ""
        return Hazard(
            self._lines.at(index),
            f"{what} may not be reached by all invocations of a workgroup: the branch{where}"
            " depends on the invocation ID; the behaviour is then undefined",
        )

    def _race(self, first: _Access, second: _Access) -> Hazard:
        name = printable(self._module.names.get(first.variable, "")) or "shared memory"
        line = self._lines.at(first.at)
        where = f" at line {line.line}" if line else ""
        doing, done = ("stored", "loads") if first.is_store else ("loaded", "stores")
        return Hazard(
            self._lines.at(second.at),
            f"data race: this {done} an element of {name} that another invocation has {doing}"
            f"{where}, with no barrier between",
        )

    def _with_barriers(self) -> set[int]:
        own = {
            each.id
            for each in self._sources.functions
            if (self._module.opcodes[each.first : each.last] == Op.ControlBarrier).any()
        }
        calls = calls_by_function(self._module)
        while more := {
            each.id
            for each in self._sources.functions
            if each.id not in own and any(callee in own for callee, _ in calls.get(each.id, ()))
        }:
            own |= more
        return own

    def _sites(self, function: Function) -> Iterator[tuple[int, int]]:
        """Block and instruction of each barrier, and of each call with one in it."""
        for number, block in enumerate(function.blocks):
            for index in range(block.first + 1, block.last):
                if self._waits(index):
                    yield number, index

    def _waits(self, index: int) -> bool:
        opcode = int(self._module.opcodes[index])
        if opcode == Op.FunctionCall:
            return self._module.instruction_words(index)[3] in self._waiting
        return opcode == Op.ControlBarrier

    def _differs(self, graph: FlowGraph, decider: int) -> int:
        """Id of the value by which a branch follows from the invocation's number in its workgroup;
        0 where it does not."""
        end = graph.function.blocks[decider].terminator
        if end.opcode == Op.Switch:
            return end.words[1] if self._varies(self._sources.of(end.words[1])) else 0
        if end.opcode != Op.BranchConditional:
            return 0
        is_loop = any(
            decider in members and any(each not in members for each in graph.successors[decider])
            for members in graph.loops.values()
        )
        for id, _, left, right in comparisons(self._sources, end.words[1]):
            a, b = self._sources.of(left), self._sources.of(right)
            # Rounds of a loop up to a constant: as many for all, where the step is the group's.
            if is_loop and not (a.leaves or b.leaves):
                continue
            if self._varies(a) != self._varies(b):
                return id
        return 0

    def _varies(self, found: Sources) -> bool:
        return bool(found.axes & self._wide)

    def _is_guarded(self, graph: FlowGraph, access: _Access) -> bool:
        """Whether only selected invocations get here; a bounds check does not count."""
        for decider in _deciders(graph, access.block):
            end = graph.function.blocks[decider].terminator
            if end.opcode != Op.BranchConditional:
                return True
            for _, opcode, left, right in comparisons(self._sources, end.words[1]):
                a, b = self._sources.of(left), self._sources.of(right)
                is_bound = opcode not in EQUAL and (a.leaves or b.leaves)
                if (self._varies(a) or self._varies(b)) and not is_bound:
                    return True
        return False

    def _accesses(self, graph: FlowGraph) -> Iterator[_Access]:
        """Of elements of shared arrays, by one index."""
        for number, block in enumerate(graph.function.blocks):
            for index in range(block.first + 1, block.last):
                opcode = int(self._module.opcodes[index])
                if opcode not in (Op.Load, Op.Store):
                    continue
                words = self._module.instruction_words(index)
                pointer = self._module.definition(words[1 if opcode == Op.Store else 3])
                if pointer.opcode not in _CHAINS or len(pointer.operands) != 2:
                    continue
                variable, step = pointer.operands
                declared = self._module.definition(variable)
                if (
                    declared.opcode == Op.Variable
                    and declared.words[3] == StorageClass.Workgroup
                    and self._is_array(declared.result_type)
                ):
                    yield _Access(index, number, step, variable, opcode == Op.Store)

    def _is_array(self, pointer_type: int) -> bool:
        module = self._module
        return module.definition(module.definition(pointer_type).operands[1]).opcode == Op.TypeArray

    def _apart(self, store: int, load: int) -> bool:
        """Whether an invocation certainly loads what another one stores, as far as both run."""
        mine, others = self._sources.of(store), self._sources.of(load)
        if not self._varies(mine):
            return False
        if not others.axes:
            return bool(others.constants or others.variables) and not others.leaves
        a, b = self._linear(store), self._linear(load)
        return a is not None and b is not None and a[0] == b[0] and a[1] != b[1]

    def _linear(self, id: int, depth: int = 0) -> tuple[int, int] | None:
        """A value as another one, by id of where it is kept, plus a constant."""
        words = self._module.definition(id).words
        opcode = words[0] & 0xFFFF
        if depth > 16:
            return None
        if opcode in (Op.IAdd, Op.ISub):
            number = self._sources.constant(words[4])
            base = self._linear(words[3], depth + 1) if number is not None else None
            if base is not None and number is not None:
                return base[0], base[1] + (number if opcode == Op.IAdd else -number)
        elif opcode == Op.Bitcast:
            return self._linear(words[3], depth + 1)
        elif opcode == Op.Load:
            stores = self._sources.stores.get(words[3], ())
            if len(stores) == 1:
                return self._linear(stores[0][1], depth + 1)
            if not stores:
                return self._kept(words[3])
        return None

    def _kept(self, pointer: int) -> tuple[int, int] | None:
        """A built-in number, or its component: the same place for both accesses."""
        root = self._sources.root(pointer)
        if self._module.definition(root).words[3] != StorageClass.Input:
            return None
        if pointer == root:
            return root, 0
        step = self._sources.constant(self._module.definition(pointer).operands[-1])
        return None if step is None else (-4 * root - step, 0)

    def _meets(self, graph: FlowGraph, first: _Access, second: _Access) -> bool:
        """Whether control flow leads from one access to the other without a barrier."""
        blocks = graph.function.blocks
        if first.block == second.block and first.at < second.at:
            return not self._wait_between(first.at, second.at)
        if self._wait_between(first.at, blocks[first.block].last):
            return False
        pending, seen = list(graph.successors[first.block]), set()
        while pending:
            number = pending.pop()
            if number in seen:
                continue
            seen.add(number)
            block = blocks[number]
            if number == second.block and not self._wait_between(block.first, second.at):
                return True
            if not self._wait_between(block.first, block.last):
                pending += graph.successors[number]
        return False

    def _wait_between(self, first: int, last: int) -> bool:
        return any(map(self._waits, range(first + 1, last)))


def _deciders(graph: FlowGraph, block: int) -> set[int]:
    """All blocks whose terminators decide whether a block runs, directly or not."""
    found: set[int] = set()
    pending = [block]
    while pending:
        more = graph.deciders[pending.pop()] - found
        found |= more
        pending += more
    return found
