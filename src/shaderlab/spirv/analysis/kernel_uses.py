"""How a compute shader uses its integer inputs: index, bound, loop, comparison.

The static half of LLMPerf's index analysis: from it follow the values that buffers and scalars are
given where nobody chose them.  How many elements are reached is found by running
(`gpu.vulkan.buffer_sizes`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from shaderlab.spirv.access import accesses
from shaderlab.spirv.analysis.cfg import FlowGraph
from shaderlab.spirv.analysis.comparisons import EQUAL, ORDERED, comparisons
from shaderlab.spirv.analysis.value_sources import Key, Sources, ValueSources
from shaderlab.spirv.grammar import Op, opcodes
from shaderlab.spirv.module import EntryPoint, Function, Instruction, Module, printable
from shaderlab.spirv.reflection import Descriptor, Interface

_CHAINS = opcodes("AccessChain InBoundsAccessChain")
_SIZED = opcodes("TypeArray TypeVector TypeMatrix")


@dataclass
class Use:
    """Of one value of a block: of all elements of an array alike."""

    indexes: set[str] = field(default_factory=set)
    """Names of the arrays whose elements it chooses."""
    reaches: set[Descriptor] = field(default_factory=set)
    """The buffers among them."""
    limit: int | None = None
    """It must stay below, since an array of fixed length is indexed."""
    links: bool = False
    """An element chooses the next one of its own array, as in a list."""
    starts: bool = False
    """A loop begins with it."""
    ends: bool = False
    """A loop ends with it."""
    repeats: bool = False
    """Every invocation runs that loop, whatever its ID."""
    compared: set[int] = field(default_factory=set)
    """Constants that it is compared with for equality."""
    is_compared: bool = False
    """For equality, with a constant or another input."""
    axes: set[int] = field(default_factory=set)
    """Axes of the invocation ID, 0 to 2, that it is compared with as a bound."""
    is_pitch: bool = False
    """It is multiplied by the invocation ID along y or z: the row pitch."""


@dataclass(frozen=True)
class KernelUses:
    """Of a compute shader."""

    by_value: Mapping[Key, Use]
    read: frozenset[Descriptor] = frozenset()
    written: frozenset[Descriptor] = frozenset()

    def of(self, at: Descriptor | None, path: str) -> Use:
        """Of a value of a block, by its path without the elements of arrays."""
        return self.by_value.get((at, path), _NONE)

    @property
    def gathered(self) -> frozenset[Descriptor]:
        """Buffers indexed by values read from buffers, except by the start of a loop, which goes
        from one element to the next."""
        return frozenset(
            reached
            for (at, _), use in self.by_value.items()
            if at is not None and at in self.read and not (use.starts and use.ends)
            for reached in use.reaches
        )

    @property
    def repeated(self) -> str:
        """The scalar that bounds both the invocations and the loop that each of them runs, so that
        work grows quadratically with the launch; empty without one."""
        return next(
            (path for (_, path), each in self.by_value.items() if each.axes and each.repeats), ""
        )


_NONE = Use()


def kernel_uses(module: Module, entry: EntryPoint, interface: Interface) -> KernelUses:
    """Of a compute entry point.  Raises InvalidModule."""
    walk = _Walk(ValueSources(module, entry, interface))
    for function in walk.sources.functions:
        walk.add(function)
    read, written = accesses(module)
    at = {each.variable: each.descriptor for each in interface.resources}
    return KernelUses(
        dict(walk.uses),
        frozenset(at[each] for each in read if each in at),
        frozenset(at[each] for each in written if each in at),
    )


class _Walk:
    """Visits the instructions that use integers."""

    def __init__(self, sources: ValueSources):
        self.sources = sources
        self.uses: dict[Key, Use] = defaultdict(Use)
        self._module = sources.module

    def add(self, function: Function) -> None:
        module = self._module
        for index in range(function.first, function.last):
            opcode = int(module.opcodes[index])
            if opcode in _CHAINS:
                self._index(module.instruction_words(index))
            elif opcode in ORDERED:
                self._bound(*module.instruction_words(index)[3:5])
            elif opcode in EQUAL:
                self._compared(*module.instruction_words(index)[3:5])
            elif opcode == Op.AtomicCompareExchange:
                words = module.instruction_words(index)
                self._exchanged(words[3], words[8])
            elif opcode == Op.IMul:
                self._product(*module.instruction_words(index)[3:5])
        graph = FlowGraph(function)
        for header, members in graph.loops.items():
            self._loop(graph, header, members)

    def _index(self, words: tuple[int, ...]) -> None:
        module, result, base, steps = self._module, words[2], words[3], words[4:]
        kind = self._pointee(base)
        for step in steps:
            number = self.sources.constant(step)
            if kind.opcode == Op.TypeStruct:
                if number is None or number >= len(kind.operands):
                    return
                kind = module.definition(kind.operands[number])
                continue
            if number is None:
                self._chosen(step, self._length(kind), result)
            if not kind.operands:
                return
            kind = module.definition(kind.operands[0])

    def _chosen(self, step: int, length: int, pointer: int) -> None:
        """An element is chosen by a value; `length`: of the array, 0 for run-time length."""
        own = self.sources.key(pointer)
        name = self._name(pointer)
        for key, factor in self.sources.of(step).leaves.items():
            use = self.uses[key]
            use.indexes.add(name)
            if own is not None and own[0] is not None:
                use.reaches.add(own[0])
            use.links |= key == own
            if length:
                most = max(1, length // max(1, factor))
                use.limit = most if use.limit is None else min(use.limit, most)

    def _bound(self, a: int, b: int) -> None:
        for number, bound in ((a, b), (b, a)):
            axes = self.sources.of(number).axes
            limit = self.sources.of(bound)
            if axes and not limit.axes:
                for key in limit.leaves:
                    self.uses[key].axes |= axes

    def _compared(self, a: int, b: int) -> None:
        for value, other in ((a, b), (b, a)):
            held, against = self.sources.of(value), self.sources.of(other)
            if against.axes or not (against.constants or against.leaves):
                continue
            for key in held.leaves:
                self.uses[key].is_compared = True
                if not against.leaves:
                    self.uses[key].compared |= against.constants

    def _exchanged(self, pointer: int, expected: int) -> None:
        key, constants = self.sources.key(pointer), self.sources.of(expected).constants
        if key is not None and constants:
            self.uses[key].is_compared = True
            self.uses[key].compared |= constants

    def _product(self, a: int, b: int) -> None:
        for number, other in ((a, b), (b, a)):
            axes, pitch = self.sources.of(number).axes, self.sources.of(other)
            if axes and 0 not in axes and not pitch.axes:
                for key in pitch.leaves:
                    self.uses[key].is_pitch = True

    def _loop(self, graph: FlowGraph, header: int, members: frozenset[int]) -> None:
        blocks = graph.function.blocks
        spans = [(blocks[each].first, blocks[each].last) for each in members]
        changed = {
            variable
            for variable, stores in self.sources.stores.items()
            if any(first < index < last for index, _ in stores for first, last in spans)
        }
        first, last = blocks[header].first, blocks[header].last
        for index in range(first + 1, last):
            if self._module.opcodes[index] == Op.Phi:
                changed.add(self._module.instruction_words(index)[2])
        for each in members:
            if all(after in members for after in graph.successors[each]):
                continue
            end = blocks[each].terminator
            if end.opcode == Op.BranchConditional:
                for _, _, a, b in comparisons(self.sources, end.words[1]):
                    self._loop_end(self.sources.of(a), self.sources.of(b), changed)

    def _loop_end(self, a: Sources, b: Sources, changed: set[int]) -> None:
        if bool(a.variables & changed) == bool(b.variables & changed):
            return
        counter, limit = (a, b) if a.variables & changed else (b, a)
        for key in counter.leaves:
            self.uses[key].starts = True
        for key in limit.leaves:
            use = self.uses[key]
            use.ends = True
            use.repeats |= not counter.axes

    def _pointee(self, pointer: int) -> Instruction:
        module = self._module
        pointer_type = module.definition(module.definition(pointer).result_type)
        return module.definition(pointer_type.operands[1])

    def _length(self, kind: Instruction) -> int:
        if kind.opcode not in _SIZED:
            return 0
        if kind.opcode != Op.TypeArray:
            return kind.operands[1]
        length = self._module.definition(kind.operands[1])
        known = length.opcode in (Op.Constant, Op.SpecConstant)
        return length.operands[0] if known else 0

    def _name(self, pointer: int) -> str:
        key, root = self.sources.key(pointer), self.sources.root(pointer)
        path = key[1] if key else ""
        return printable(path or self._module.names.get(root, "") or "an array")
