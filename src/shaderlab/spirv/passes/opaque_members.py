"""Samplers and images inside uniform structs, made variables of their own.

OpenGL allows them there (GLSL 4.60, section 4.1.7); in Vulkan a struct holds none
(VUID-StandaloneSpirv-None-04667).  glslang before version 15 leaves them in, and passes such a
struct to a function by a pointer.  Each member becomes a variable named by its path,
`material.diffuse` or `lights[1].shadow`; `lights.shadow`, an array, where some index is no
constant.  A function that takes such a struct becomes one function for each that it is given, with
the indices that are no constants as its parameters.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from shaderlab.errors import InvalidModule
from shaderlab.spirv import grammar
from shaderlab.spirv.grammar import Decoration, Op, StorageClass
from shaderlab.spirv.module import Function, Module
from shaderlab.spirv.passes.rewriting import encode, encode_string
from shaderlab.spirv.source_lines import instruction_lines
from shaderlab.spirv.trace import SourceLine

_OPAQUE = grammar.opcodes("TypeImage TypeSampler TypeSampledImage")
_CHAINS = grammar.opcodes("AccessChain InBoundsAccessChain")
_NAMING = grammar.opcodes("Name Decorate")
_OF_MEMBERS = grammar.opcodes("MemberName MemberDecorate")
_REUSED = grammar.opcodes("TypePointer TypeFunction TypeArray Constant")
_MOST_FUNCTIONS = 4096


class _Place(NamedTuple):
    """Something inside a variable, as an access chain leads there."""

    variable: int
    steps: tuple[int, ...]
    """Ids of the indices; as a part of a function's key, minus its type for one that varies."""


class _Leaf(NamedTuple):
    """A member that becomes a variable."""

    path: str
    type: int
    lengths: tuple[int, ...]
    """Ids of the lengths of the arrays of structs around it, where one variable is for all."""


_Given = tuple[_Place | None, ...]
"""By parameter of a function: the place it is given; empty where none is given any."""


class NotSplit(InvalidModule):
    """A use of such a member has no form that Vulkan has."""

    def __init__(self, message: str, line: SourceLine | None = None):
        """`line`: of the use, where it is known."""
        super().__init__(message)
        self.line = line


def split(module: Module) -> bytes:
    """The module without opaque members.  Raises NotSplit, InvalidModule."""
    arrays: set[str] = set()
    while True:
        splitter = _Splitter(module, frozenset(arrays))
        spirv = splitter.run()
        if splitter.varying <= arrays:
            return spirv
        arrays |= splitter.varying


class _Types:
    """What the types of a module hold."""

    def __init__(self, module: Module):
        self._module = module
        self._known: dict[int, tuple[bool, bool]] = {}

    def is_mixed(self, type: int) -> bool:
        """Whether it is a struct with opaque members, or arrays of such structs."""
        inner = self._module.definition(type)
        while inner.opcode == Op.TypeArray:
            inner = self._module.definition(inner.operands[0])
        return inner.opcode == Op.TypeStruct and self._holds(type)[0]

    def has_data(self, type: int) -> bool:
        """Whether anything in it is not opaque."""
        return self._holds(type)[1]

    def _holds(self, type: int) -> tuple[bool, bool]:
        """Whether anything in it is opaque, whether anything is not."""
        if type not in self._known:
            definition = self._module.definition(type)
            inside = definition.operands
            if definition.opcode in _OPAQUE:
                self._known[type] = True, False
            elif definition.opcode == Op.TypeArray:
                self._known[type] = self._holds(inside[0])
            elif definition.opcode == Op.TypeStruct and inside:
                parts = [self._holds(part) for part in inside]
                self._known[type] = any(p[0] for p in parts), any(p[1] for p in parts)
            else:
                self._known[type] = False, True
        return self._known[type]

    def kept(self, struct: int) -> dict[int, int]:
        """New numbers of the members that stay, by their old ones."""
        members = self._module.definition(struct).operands
        staying = [n for n, member in enumerate(members) if self.has_data(member)]
        return {old: new for new, old in enumerate(staying)}


class _Splitter:
    """One sweep over a module; `arrays`: paths that have one variable for all elements."""

    def __init__(self, module: Module, arrays: frozenset[str]):
        self._module, self._types, self._arrays = module, _Types(module), arrays
        self.varying: set[str] = set()
        """Paths that an index which is no constant leads through."""
        self._next = module.bound
        self._at = 0
        """The instruction that is rewritten."""
        self._globals: list[int] = []
        self._declared: dict[tuple[int, ...], int] = {}
        self._leaves: dict[_Leaf, int] = {}
        self._functions: dict[tuple[int, _Given], int] = {}
        self._waiting: list[tuple[int, Function, _Given]] = []
        self._copies: dict[int, list[int]] = {}
        """Ids that have the name and the decorations of another."""
        self._first = module.functions[0].first if module.functions else len(module)
        self._members = {
            module.instruction_words(i)[1:3]: module.string(i, 3)
            for i in module.indices(Op.MemberName)
        }
        self._roots: dict[int, int] = {}
        """Types of the variables with opaque members."""
        for index in range(self._first):
            words = module.instruction_words(index)
            opcode = words[0] & 0xFFFF
            if opcode == Op.Variable:
                type = module.definition(words[1]).operands[1]
                if self._types.is_mixed(type):
                    self._roots[words[2]] = type
            elif opcode in _REUSED:
                result = grammar.RESULT_WORD[opcode]
                self._declared.setdefault((opcode, *words[1:result], *words[result + 1 :]),
                                          words[result])  # fmt: skip

    def run(self) -> bytes:
        module = self._module
        for function in module.functions:
            if not any(map(self._takes_struct, self._parameters(function).values())):
                self._asked(function.id, ())
        body: list[int] = []
        while self._waiting:
            body += self._written(*self._waiting.pop(0))
        variables = [word for variable in self._roots for word in self._root(variable)]
        words = [*module.words[:5].tolist(), *self._preamble(), *self._globals, *variables, *body]
        words[3] = self._next
        made = Module(np.array(words, np.uint32))
        dangling = [
            index
            for index in made.indices(*_NAMING)
            if made.definitions[made.instruction_words(index)[1]] < 0
        ]
        kept = np.ones(len(made.words), bool)
        for index in dangling:
            kept[made.starts[index] : made.starts[index + 1]] = False
        return made.words[kept].astype("<u4").tobytes()

    def _refused(self, message: str) -> NotSplit:
        return NotSplit(message, instruction_lines(self._module).at(self._at))

    # Functions

    def _asked(self, function: int, given: _Given) -> int:
        """Id of a function for these places."""
        if (function, given) not in self._functions:
            if len(self._functions) >= _MOST_FUNCTIONS:
                raise self._refused("too many functions take structs with samplers")
            is_first = all(source != function for source, _ in self._functions)
            id = function if is_first else self._copy(function)
            self._functions[function, given] = id
            self._waiting.append((id, self._module.function_by_id[function], given))
        return self._functions[function, given]

    def _written(self, id: int, function: Function, given: _Given) -> list[int]:
        module = self._module
        new: dict[int, int] = {}
        if id != function.id:
            for index in range(function.first + 1, function.last):
                if result := grammar.RESULT_WORD[module.opcodes[index]]:
                    old = module.instruction_words(index)[result]
                    new[old] = self._copy(old)
        places, kinds = self._stood_for(function, given, new)
        head = [
            word for id, type in kinds.items() for word in encode(Op.FunctionParameter, type, id)
        ]
        before = function.first - 1
        line = module.instruction_words(before) if module.opcodes[before] == Op.Line else ()
        first = list(module.instruction_words(function.first))
        first[2], first[4] = id, self._declare(Op.TypeFunction, first[1], *kinds.values())
        body: list[int] = []
        start = function.first + 1
        while start < function.last and module.opcodes[start] != Op.Label:
            start += 1
        for index in range(start, function.last + 1):
            self._at = index
            words = list(module.instruction_words(index))
            opcode = words[0] & 0xFFFF
            if opcode in _CHAINS and words[3] in places:
                place = places[words[3]]
                steps = (*place.steps, *(new.get(word, word) for word in words[4:]))
                words = self._chain(words, place._replace(steps=steps), places, new)
            elif opcode == Op.FunctionCall:
                words = self._call(words, places, new, kinds)
            elif any(words[n] in places for n in _id_words(words)):
                raise self._refused("a struct with samplers is used as a value")
            else:
                for n in _id_words(words):
                    words[n] = new.get(words[n], words[n])
                if result := grammar.RESULT_WORD[opcode]:
                    kinds[words[result]] = words[1]
            body += words
        return [*line, *first, *head, *body]

    def _stood_for(
        self, function: Function, given: _Given, new: dict[int, int]
    ) -> tuple[dict[int, _Place], dict[int, int]]:
        """What parameters that are gone and the variables stand for, and types of the others."""
        places = {variable: _Place(variable, ()) for variable in self._roots}
        kinds: dict[int, int] = {}
        parameters = self._parameters(function).items()
        for (old, type), place in zip(parameters, given or (None,) * len(parameters), strict=True):
            if place is None:
                kinds[new.get(old, old)] = type
                continue
            steps = [step if step > 0 else self._new_id() for step in place.steps]
            kinds |= {mine: -its for mine, its in zip(steps, place.steps, strict=True) if its < 0}
            places[old] = _Place(place.variable, tuple(steps))
        return places, kinds

    def _chain(
        self, words: list[int], place: _Place, places: dict[int, _Place], new: dict[int, int]
    ) -> list[int]:
        """What is written for an access chain that leads to a place."""
        type = self._type_at(place)
        result = new.get(words[2], words[2])
        if self._types.is_mixed(type):
            places[words[2]] = place
            return []
        if self._types.has_data(type):
            pointer = self._declare(Op.TypePointer, StorageClass.Uniform, type)
            return encode(words[0] & 0xFFFF, pointer, result, place.variable, *self._kept(place))
        variable, steps = self._opaque(place)
        if not steps:
            new[words[2]] = variable
            return []
        pointer = self._declare(Op.TypePointer, StorageClass.UniformConstant, type)
        return encode(words[0] & 0xFFFF, pointer, result, variable, *steps)

    def _call(
        self,
        words: list[int],
        places: dict[int, _Place],
        new: dict[int, int],
        kinds: dict[int, int],
    ) -> list[int]:
        given: list[_Place | None] = []
        arguments: list[int] = []
        for argument in words[4:]:
            place = places.get(argument)
            given.append(place and self._without_ids(place, kinds))
            if place is None:
                arguments.append(new.get(argument, argument))
            else:
                arguments += (step for step in place.steps if self._constant(step) is None)
        is_given = any(given)
        function = self._asked(words[3], tuple(given) if is_given else ())
        result = new.get(words[2], words[2])
        kinds[result] = words[1]
        return encode(Op.FunctionCall, words[1], result, function, *arguments)

    def _without_ids(self, place: _Place, kinds: dict[int, int]) -> _Place:
        return place._replace(
            steps=tuple(
                step if self._constant(step) is not None else -kinds[step] for step in place.steps
            )
        )

    def _parameters(self, function: Function) -> dict[int, int]:
        """Types of a function's parameters, by id."""
        module, found, index = self._module, {}, function.first + 1
        while module.opcodes[index] in (Op.FunctionParameter, Op.Line, Op.NoLine):
            if module.opcodes[index] == Op.FunctionParameter:
                _, type, id = module.instruction_words(index)
                found[id] = type
            index += 1
        return found

    def _takes_struct(self, type: int) -> bool:
        definition = self._module.definition(type)
        return definition.opcode == Op.TypePointer and self._types.is_mixed(definition.operands[1])

    # Places

    def _constant(self, id: int) -> int | None:
        """Value of a constant; None where it is none."""
        if id >= self._module.bound:
            return None
        definition = self._module.definition(id)
        return definition.words[3] if definition.opcode == Op.Constant else None

    def _inner(self, type: int, step: int) -> int:
        definition = self._module.definition(type)
        if definition.opcode != Op.TypeStruct:
            return definition.operands[0]
        number = self._constant(step)
        if number is None or number >= len(definition.operands):
            raise self._refused(f"%{type} has no such member")
        return definition.operands[number]

    def _type_at(self, place: _Place) -> int:
        type = self._roots[place.variable]
        for step in place.steps:
            type = self._inner(type, step)
        return type

    def _kept(self, place: _Place) -> Iterator[int]:
        """Indices of a value that stays in its variable."""
        type = self._roots[place.variable]
        for step in place.steps:
            number = self._constant(step)
            is_struct = self._module.definition(type).opcode == Op.TypeStruct
            if is_struct and number is not None and self._types.is_mixed(type):
                of = self._module.definition(step).words[1]
                yield self._declare(Op.Constant, of, self._types.kept(type)[number])
            else:
                yield step
            type = self._inner(type, step)

    def _opaque(self, place: _Place) -> tuple[int, list[int]]:
        """Variable and indices of an opaque value, or of an array of them."""
        type, steps = self._roots[place.variable], list(place.steps)
        path = of_all = self._module.names.get(place.variable, "")
        lengths, around = [], []
        while self._types.is_mixed(type):
            definition, step = self._module.definition(type), steps.pop(0)
            if definition.opcode == Op.TypeStruct:
                named = self._members.get((type, self._constant(step) or 0), f"%{type}")
                path, of_all = (f"{each}.{named}" if each else named for each in (path, of_all))
            else:
                lengths.append(definition.operands[1])
                around.append(step)
                path += f"[{self._constant(step)}]"
            type = self._inner(type, step)
        if any(self._constant(step) is None for step in around):
            self.varying.add(of_all)
        leaf = _Leaf(path, type, ())
        if of_all in self._arrays:
            leaf, steps = _Leaf(of_all, type, tuple(lengths)), [*around, *steps]
        if leaf not in self._leaves:
            is_array = self._module.definition(type).opcode == Op.TypeArray
            if len(leaf.lengths) + is_array > 1:
                raise self._refused(
                    f"{of_all} is an array of arrays, which Vulkan has none of: its structs' "
                    "indices must be constants"
                )
            for length in leaf.lengths:
                type = self._declare(Op.TypeArray, type, length)
            pointer = self._declare(Op.TypePointer, StorageClass.UniformConstant, type)
            self._leaves[leaf] = self._new_id()
            storage = StorageClass.UniformConstant
            self._globals += encode(Op.Variable, pointer, self._leaves[leaf], storage)
        return self._leaves[leaf], steps

    def _root(self, variable: int) -> list[int]:
        """A variable that keeps its other members."""
        type = self._roots[variable]
        if not self._types.has_data(type):
            return []
        pointer = self._declare(Op.TypePointer, StorageClass.Uniform, type)
        return encode(Op.Variable, pointer, variable, StorageClass.Uniform)

    # Declarations

    def _new_id(self) -> int:
        self._next += 1
        return self._next - 1

    def _copy(self, old: int) -> int:
        new = self._new_id()
        self._copies.setdefault(old, []).append(new)
        return new

    def _declare(self, opcode: int, *operands: int) -> int:
        """Id of a type, or of a constant by its type and value."""
        key = (opcode, *operands)
        if key not in self._declared:
            id = self._declared[key] = self._new_id()
            result = grammar.RESULT_WORD[opcode] - 1
            self._globals += encode(opcode, *operands[:result], id, *operands[result:])
        return self._declared[key]

    def _preamble(self) -> list[int]:
        """What stands before the functions, with names and bindings of what is new."""
        module, types = self._module, self._types
        gone = {root for root, type in self._roots.items() if not types.has_data(type)}
        interfaces = {entry.at: entry.interface for entry in module.entry_points}
        added = {
            module.indices(Op.Name, Op.MemberName)[0]: self._new_names(),
            module.indices(Op.Decorate, Op.MemberDecorate)[0]: self._new_decorations(),
        }
        written: list[int] = []
        for index in range(self._first):
            words = list(module.instruction_words(index))
            opcode = words[0] & 0xFFFF
            written += added.get(index, ())
            if opcode == Op.EntryPoint:
                kept = [id for id in interfaces[index] if id not in gone]
                head = words[1 : len(words) - len(interfaces[index])]
                words = encode(opcode, *head, *kept, *self._leaves.values())
            elif opcode in _NAMING:
                for new in self._copies.get(words[1], ()):
                    written += [words[0], new, *words[2:]]
            elif opcode in _OF_MEMBERS and types.is_mixed(words[1]):
                member = types.kept(words[1]).get(words[2])
                words = [] if member is None else [*words[:2], member, *words[3:]]
            elif opcode == Op.TypeStruct and types.is_mixed(words[1]):
                words = encode(opcode, words[1], *(words[2 + n] for n in types.kept(words[1])))
            elif opcode == Op.Line or (opcode == Op.Variable and words[2] in self._roots):
                words = []
            written += words
        return written

    def _new_names(self) -> list[int]:
        named = (
            encode(Op.Name, id, *encode_string(leaf.path)) for leaf, id in self._leaves.items()
        )
        return [word for words in named for word in words]

    def _new_decorations(self) -> list[int]:
        """Bindings above all others."""
        module = self._module
        decorations = (module.instruction_words(index) for index in module.indices(Op.Decorate))
        taken = (words[3] for words in decorations if words[2] == Decoration.Binding)
        found: list[int] = []
        for binding, id in enumerate(self._leaves.values(), max(taken, default=-1) + 1):
            found += encode(Op.Decorate, id, Decoration.DescriptorSet, 0)
            found += encode(Op.Decorate, id, Decoration.Binding, binding)
        return found


def _id_words(words: list[int]) -> Iterator[int]:
    """Which words of an instruction in a function are ids."""
    kind = grammar.INSTRUCTIONS.get(words[0] & 0xFFFF)
    number = 1
    for operand in kind.operands if kind else ():
        end = len(words) if operand.endswith("*") else min(number + 1, len(words))
        if operand.startswith("PairLiteralIntegerIdRef"):
            yield from range(number + 1, end, 2)
        elif operand.startswith("ImageOperands"):
            yield from range(number + 1, len(words))
        elif operand.startswith(("Id", "PairIdRefIdRef")):
            yield from range(number, end)
        number = end
