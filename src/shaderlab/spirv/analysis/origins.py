"""The inputs of an entry point, each with its bit, and where pointers lead within them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from shaderlab.spirv.grammar import Decoration, Op
from shaderlab.spirv.module import EntryPoint, Module
from shaderlab.spirv.reflection import Interface, pointee_of
from shaderlab.spirv.type_reading import Types
from shaderlab.spirv.value_types import Array, Struct, ValueType

INDEX = re.compile(r"\[(\d*)\]")

_MOST_MEMBERS = 4096


class Place(NamedTuple):
    """What a pointer, or a struct that was loaded, is of."""

    variable: int
    kind: ValueType
    path: str
    """What leads there: members, each with a full stop before it, and elements, `[]` for any:
    `.lights[2].colour`."""


class Origins:
    """The inputs, each with its bit."""

    def __init__(self, module: Module, entry: EntryPoint, interface: Interface):
        self._types = Types(module)
        self._module = module
        self.names: list[str] = []
        """By bit."""
        self._bits: dict[str, int] = {}
        self._masks: dict[tuple[int, str], int] = {}
        self.variables: dict[int, Place] = {}
        self._prefixes: dict[int, str] = {}
        for resource in interface.resources:
            hides_name = resource.is_anonymous and resource.block is not None
            self._add(resource.variable, "" if hides_name else resource.name)
        for constants in interface.push_constants:
            self._add(constants.variable, "" if constants.is_anonymous else constants.name)
        with_location = {
            words[1]
            for words in map(module.instruction_words, module.indices(Op.Decorate))
            if words[2] == Decoration.Location
        }
        varyings = {INDEX.sub("", varying.name) for varying in interface.varyings}
        for variable in entry.interface:
            name = module.names.get(variable) or f"%{variable}"
            is_block = any(each.startswith(f"{name}.") for each in varyings)
            if is_block or (variable in with_location and name in varyings):
                self._add(variable, name)

        self.constants: dict[int, int] = {}
        """Masks of specialisation constants by id."""
        names = {constant.id: constant.name for constant in interface.spec_constants}
        for words in map(module.instruction_words, module.indices(Op.Decorate)):
            if len(words) > 3 and words[2] == Decoration.SpecId and words[3] in names:
                self.constants[words[1]] = self.bit(names[words[3]])

    def _add(self, variable: int, name: str) -> None:
        pointer = self._module.definition(variable).result_type
        kind = self._types.read(pointee_of(self._module, pointer))
        self.variables[variable] = Place(variable, kind, "")
        self._prefixes[variable] = name

    def bit(self, name: str) -> int:
        if name not in self._bits:
            self._bits[name] = 1 << len(self.names)
            self.names.append(name)
        return self._bits[name]

    def member(self, place: Place, index: int | None) -> Place:
        """One step further in; `index`: of the member, None where it is not constant."""
        kind = place.kind
        if isinstance(kind, Array):
            if not place.path and isinstance(_innermost(kind), Struct):
                return place._replace(kind=kind.element)  # all blocks of an array hold the same
            which = "" if index is None or not kind.length else index
            return place._replace(kind=kind.element, path=f"{place.path}[{which}]")
        if isinstance(kind, Struct) and index is not None and index < len(kind.members):
            member = kind.members[index]
            return place._replace(kind=member.type, path=f"{place.path}.{member.name}")
        return place

    def mask(self, place: Place) -> int:
        """Bits of all inputs at a place."""
        key = place.variable, place.path
        if key not in self._masks:
            prefix = self._prefixes[place.variable]
            bits = 0
            for count, path in enumerate(paths(place.kind, place.path)):
                if count == _MOST_MEMBERS:
                    break
                bits |= self.bit(f"{prefix}{path}" if prefix else path[1:])
            self._masks[key] = bits
        return self._masks[key]


def _innermost(kind: ValueType) -> ValueType:
    while isinstance(kind, Array):
        kind = kind.element
    return kind


def paths(kind: ValueType, path: str) -> Iterator[str]:
    """Of all values of a type."""
    while isinstance(kind, Array):
        if path or not isinstance(_innermost(kind), Struct):
            path += "[]"
        kind = kind.element
    if isinstance(kind, Struct):
        for member in kind.members:
            yield from paths(member.type, f"{path}.{member.name}")
    else:
        yield path
