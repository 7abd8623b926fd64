"""Where integers come from: the inputs and invocation IDs they are computed from.

Backwards from a value through additions, products, conversions, local variables, phis and calls.
A variable has the values of all its stores.  The walk ends at what limits a range, such as a
remainder, a mask or a minimum: nothing before it says how large the value is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from shaderlab.spirv.analysis.cfg import reachable_functions
from shaderlab.spirv.analysis.origins import INDEX, Origins, Place
from shaderlab.spirv.grammar import INSTRUCTIONS, BuiltIn, Decoration, Op, opcodes
from shaderlab.spirv.module import EntryPoint, Function, Module
from shaderlab.spirv.reflection import Descriptor, Interface

_CHAINS = opcodes("AccessChain InBoundsAccessChain")
_KEPT = opcodes(
    "IAdd ISub Bitcast UConvert SConvert CopyObject BitwiseOr BitwiseXor SNegate CompositeConstruct"
)
_DIVISIONS = opcodes("UDiv SDiv ShiftRightLogical ShiftRightArithmetic")
_ATOMICS = frozenset(
    opcode for opcode, kind in INSTRUCTIONS.items() if kind.name.startswith("OpAtomicI")
)
_GLOBAL = frozenset((BuiltIn.GlobalInvocationId, BuiltIn.WorkgroupId))
WITHIN_GROUP = frozenset((BuiltIn.GlobalInvocationId, BuiltIn.LocalInvocationId))
"""Numbers that differ between the invocations of a workgroup; LocalInvocationIndex does, too."""
_FLAT = BuiltIn.LocalInvocationIndex
_MOST = 4_000
"""Values looked at for one question."""
_MOST_VECTORS = 8
"""Nesting of vectors up to which components are followed separately."""
_DEEPEST = 64
"""Nesting of pointers."""
_MOST_DIFFERENCES = 16
"""Nesting of differences."""

Key = tuple[Descriptor | None, str]
"""A value of a block, without the elements of arrays (`nodes.first`); push constants: None."""


@dataclass
class Sources:
    """What one value is made of."""

    leaves: dict[Key, int] = field(default_factory=dict)
    """Of blocks and buffers, each with the largest constant that it is multiplied by."""
    axes: set[int] = field(default_factory=set)
    """Of the invocation's number in the dispatch: 0 to 2 for x to z."""
    variables: set[int] = field(default_factory=set)
    """Ids of local variables and phis on the way."""
    constants: set[int] = field(default_factory=set)
    followed: set[tuple[int, int | None]] = field(default_factory=set)
    """Variables whose stores are on the way, with the component."""

    def add(self, other: Sources, factor: int) -> None:
        """What a part of the value is made of that is multiplied by `factor`."""
        for key, own in other.leaves.items():
            self.leaves[key] = max(own * factor, self.leaves.get(key, 1))
        self.axes |= other.axes
        self.variables |= other.variables
        self.constants |= other.constants
        self.followed |= other.followed


class ValueSources:
    """Answers for one entry point."""

    def __init__(
        self,
        module: Module,
        entry: EntryPoint,
        interface: Interface,
        numbers: frozenset[int] = _GLOBAL,
    ):
        """`numbers`: built-in values whose axes are followed; with those of `WITHIN_GROUP` a
        quotient, or a difference of two of them, is not.  Raises InvalidModule."""
        self._is_exact = numbers == WITHIN_GROUP
        self.module = module
        self.functions = reachable_functions(module, entry)
        self.stores: dict[int, list[tuple[int, int]]] = defaultdict(list)
        """By local variable or parameter: index of each store to it, and the value."""
        self._origins = Origins(module, entry, interface)
        self._descriptors: dict[int, Descriptor | None] = {
            **{each.variable: each.descriptor for each in interface.resources},
            **{each.variable: None for each in interface.push_constants},
        }
        self._numbers = {
            words[1]
            for words in map(module.instruction_words, module.indices(Op.Decorate))
            if words[2] == Decoration.BuiltIn and words[3] in numbers
        }
        self._flat = {
            words[1]
            for words in map(module.instruction_words, module.indices(Op.Decorate))
            if self._is_exact and words[2] == Decoration.BuiltIn and words[3] == _FLAT
        }
        self._given: dict[int, list[int]] = defaultdict(list)
        """Arguments by parameter."""
        self._returned: dict[int, list[int]] = defaultdict(list)
        self._known: dict[int, Sources] = {}
        self._steps: dict[int, tuple[Sources, _Pending]] = {}
        """By value: what it is made of itself, and of which other values."""
        self._asked: set[int] = set()
        """Differences whose operands are being followed."""
        for function in self.functions:
            self._scan(function)

    def of(self, id: int) -> Sources:
        """Of a value."""
        if id not in self._known:
            self._known[id] = self._found(id)
        return self._known[id]

    def key(self, pointer: int) -> Key | None:
        """The value of a block that a pointer leads to; None for other memory."""
        place = self._place(pointer)
        return None if place is None else self._key_of(place)

    def constant(self, id: int) -> int | None:
        """The first word of a constant."""
        definition = self.module.definition(id)
        return definition.operands[0] if definition.opcode == Op.Constant else None

    def root(self, pointer: int) -> int:
        """The variable or parameter at the start of a pointer."""
        for _ in range(_DEEPEST):
            definition = self.module.definition(pointer)
            if definition.opcode not in _CHAINS and definition.opcode != Op.CopyObject:
                break
            pointer = definition.operands[0]
        return pointer

    def _scan(self, function: Function) -> None:
        module = self.module
        for index in range(function.first, function.last):
            opcode = int(module.opcodes[index])
            if opcode == Op.Store:
                words = module.instruction_words(index)
                self.stores[self.root(words[1])].append((index, words[2]))
            elif opcode == Op.Variable:
                words = module.instruction_words(index)
                if len(words) > 4:
                    self.stores[words[2]].append((index, words[4]))
            elif opcode == Op.ReturnValue:
                self._returned[function.id].append(module.instruction_words(index)[1])
            elif opcode == Op.FunctionCall:
                self._scan_call(module.instruction_words(index))

    def _scan_call(self, words: tuple[int, ...]) -> None:
        callee = self.module.function_by_id.get(words[3])
        if callee is None or not callee.blocks:
            return
        parameters = [
            self.module.instruction_words(index)[2]
            for index in range(callee.first + 1, callee.blocks[0].first)
            if self.module.opcodes[index] == Op.FunctionParameter
        ]
        for parameter, argument in zip(parameters, words[4:], strict=False):
            self._given[parameter].append(argument)

    def _key_of(self, place: Place) -> Key:
        return self._descriptors[place.variable], INDEX.sub("", place.path).lstrip(".")

    def _place(self, pointer: int, depth: int = 0) -> Place | None:
        if pointer in self._descriptors:
            return self._origins.variables.get(pointer)
        definition = self.module.definition(pointer)
        if definition.opcode not in _CHAINS or depth > _DEEPEST:
            return None
        place = self._place(definition.operands[0], depth + 1)
        if place is not None:
            for step in definition.operands[1:]:
                place = self._origins.member(place, self.constant(step))
        return place

    def _found(self, id: int) -> Sources:
        found = Sources()
        pending, seen = [(id, 1)], set()
        while pending and len(seen) < _MOST:
            id, factor = pending.pop()
            if id in seen:
                continue
            seen.add(id)
            own, values = self._step(id)
            if not own.followed or not own.followed <= found.followed:
                pending += ((value, factor * by) for value, by in values)
            found.add(own, factor)
        return found

    def _step(self, id: int) -> tuple[Sources, _Pending]:
        """Kept: where a variable is updated many times, each update leads to all of them."""
        if id not in self._steps:
            words, own = self.module.definition(id).words, Sources()
            opcode, values = words[0] & 0xFFFF, _NOTHING
            if opcode == Op.ISub and self._is_exact and self._cancels(id, words[3], words[4]):
                return own, values  # may be asked within the question for it
            if opcode in _KEPT:
                values = [(use, 1) for use in words[3:]]
            elif opcode in _DIVISIONS and not self._is_exact:
                values = [(words[3], 1)]
            elif opcode in self._HANDLERS:
                values = self._HANDLERS[opcode](self, words, own)
            self._steps[id] = own, values
        return self._steps[id]

    def _cancels(self, id: int, a: int, b: int) -> bool:
        """Whether a difference may be the same for a whole workgroup.

        One that a loop takes again and again, `i -= 32`, is made of itself.
        """
        if id in self._asked or len(self._asked) == _MOST_DIFFERENCES:
            return True
        self._asked.add(id)
        try:
            return bool(self.of(a).axes and self.of(b).axes)
        finally:
            self._asked.remove(id)

    def _multiplied(self, words: tuple[int, ...], _: Sources) -> _Pending:
        a, b = words[3:5]
        known_a, known_b = self.constant(a), self.constant(b)
        return ((a, known_b or 1), (b, known_a or 1))

    def _shifted(self, words: tuple[int, ...], _: Sources) -> _Pending:
        by = self.constant(words[4])
        return ((words[3], 1 << min(by or 0, 31)),)

    def _loaded(self, words: tuple[int, ...], found: Sources) -> _Pending:
        pointer = words[3]
        root = self.root(pointer)
        if root in self._flat:
            found.axes |= {0, 1, 2}
            return ()
        if root in self._numbers:
            step = self.module.definition(pointer).operands[-1] if pointer != root else 0
            axis = self.constant(step) if step else None
            found.axes |= {0, 1, 2} if axis is None else {axis}
            return ()
        key = self.key(pointer)
        if key is not None:
            found.leaves[key] = 1
            return ()
        found.variables.add(root)
        steps = self.module.definition(pointer).operands[1:] if pointer != root else ()
        step = self.constant(steps[0]) if len(steps) == 1 else None
        found.followed.add((root, step))
        held = self._held(root)
        if step is None or not all(self._is_vector(value) for value in held):
            return [(value, 1) for value in held]
        return self._component(held, step, found)

    def _held(self, root: int) -> list[int]:
        """What a variable, or all that a parameter points to, may hold."""
        pending, seen, values = [root], set(), []
        while pending:
            each = pending.pop()
            if each in seen:
                continue
            seen.add(each)
            values += (value for _, value in self.stores.get(each, ()))
            pending += (self.root(argument) for argument in self._given.get(each, ()))
        return values

    def _extracted(self, words: tuple[int, ...], found: Sources) -> _Pending:
        composite, *steps = words[3:]
        definition = self.module.definition(composite)
        if definition.opcode == Op.Load:
            place = self._place(definition.words[3])
            if place is not None:
                for step in steps:
                    place = self._origins.member(place, step)
                found.leaves[self._key_of(place)] = 1
                return ()
        if len(steps) == 1:
            return self._component([composite], steps[0], found)
        return ((composite, 1),)

    def _component(self, vectors: Iterable[int], step: int, found: Sources) -> _Pending:
        """What one component of vectors is made of, as far as components are followed."""
        level = [(each, step) for each in vectors]
        seen, made = set[tuple[int, int]](), list[int]()
        for _ in range(_MOST_VECTORS):
            after: list[tuple[int, int]] = []
            for each in level:
                if each not in seen:
                    seen.add(each)
                    after += self._inner(*each, found, seen, made)
            level = after
        made += (value for value, own in level if (value, own) not in seen)
        return [(value, 1) for value in dict.fromkeys(made)]

    def _inner(
        self, vector: int, step: int, found: Sources, seen: set[tuple[int, int]], made: list[int]
    ) -> list[tuple[int, int]]:
        """Vectors, each with the component of it, that a component is made of; `made` takes other
        values.  `seen`: what was looked into, variables too."""
        words = self.module.definition(vector).words
        opcode = words[0] & 0xFFFF
        if opcode == Op.Load and words[3] in self._numbers:
            found.axes.add(step)
        elif opcode == Op.Load and words[3] == self.root(words[3]) and self.key(words[3]) is None:
            found.variables.add(words[3])
            if (words[3], step) not in seen:
                seen.add((words[3], step))
                return [(value, step) for value in self._held(words[3])]
        elif opcode == Op.CompositeConstruct and step < len(words) - 3:
            made.append(words[3 + step])
        elif opcode == Op.VectorShuffle and step < len(words) - 5:
            chosen, first = words[5 + step], self._components(words[3])
            return [(words[3], chosen) if chosen < first else (words[4], chosen - first)]
        elif opcode in _KEPT:
            return [(use, step) for use in words[3:]]
        else:
            made.append(vector)
        return []

    def _is_vector(self, id: int) -> bool:
        kind = self.module.definition(self.module.definition(id).result_type)
        return kind.opcode == Op.TypeVector

    def _components(self, vector: int) -> int:
        kind = self.module.definition(self.module.definition(vector).result_type)
        return kind.operands[1] if kind.opcode == Op.TypeVector else 1

    def _phi(self, words: tuple[int, ...], found: Sources) -> _Pending:
        found.variables.add(words[2])
        return [(use, 1) for use in words[3::2]]

    def _either(self, words: tuple[int, ...], _: Sources) -> _Pending:
        return [(use, 1) for use in words[4:6]]

    def _shuffled(self, words: tuple[int, ...], _: Sources) -> _Pending:
        return [(use, 1) for use in words[3:5]]

    def _called(self, words: tuple[int, ...], _: Sources) -> _Pending:
        return [(use, 1) for use in self._returned.get(words[3], ())]

    def _parameter(self, words: tuple[int, ...], _: Sources) -> _Pending:
        return [(use, 1) for use in self._given.get(words[2], ())]

    def _constant_word(self, words: tuple[int, ...], found: Sources) -> _Pending:
        found.constants.add(words[3])
        return ()

    _HANDLERS: ClassVar[Mapping[int, Callable[..., _Pending]]] = {
        **dict.fromkeys(_ATOMICS, _loaded),
        Op.IMul: _multiplied,
        Op.ShiftLeftLogical: _shifted,
        Op.Load: _loaded,
        Op.CompositeExtract: _extracted,
        Op.Phi: _phi,
        Op.Select: _either,
        Op.VectorShuffle: _shuffled,
        Op.FunctionCall: _called,
        Op.FunctionParameter: _parameter,
        Op.Constant: _constant_word,
    }


_Pending = Collection[tuple[int, int]]
"""Values still to be followed, each with the constant it is multiplied by."""
_NOTHING: _Pending = ()
