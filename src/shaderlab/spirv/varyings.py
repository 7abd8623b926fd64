"""Inputs and outputs of a stage, by location."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from shaderlab.errors import InvalidModule
from shaderlab.spirv.grammar import Decoration, Op
from shaderlab.spirv.module import Module, printable
from shaderlab.spirv.type_reading import Types
from shaderlab.spirv.value_types import Array, Component, Numeric, Struct, ValueType

_MOST_LOCATIONS = 1024
"""Of one variable.  Devices have 32, rarely more."""


class Varying(NamedTuple):
    """An input that an earlier stage, or the vertex buffers, must write."""

    name: str
    location: int
    type: Numeric
    """Of one location: a column, where the source has a matrix or an array."""
    component: int = 0
    """First component of the location that it takes."""
    is_read: bool = True
    """Whether any instruction of the module names it."""

    @property
    def first(self) -> int:
        """The first of its numbers among those of its location; `component` counts 32 bits each."""
        return self.component // 2 if self.type.bits == 64 else self.component


class Output(NamedTuple):
    """A colour output."""

    name: str
    location: int
    type: Numeric
    blend_source: int = 0
    """1 for the second source of blending."""

    @property
    def component(self) -> Component:
        return self.type.component


def slots(
    module: Module, types: Types, name: str, pointee: int, own: Mapping[int, int]
) -> Iterator[Varying]:
    """One `Varying` for each location that an input or output takes."""
    if Decoration.BuiltIn in own:
        return
    kind = types.read(pointee)
    if _locations(kind) > _MOST_LOCATIONS:
        raise InvalidModule(
            f"{printable(name)} takes more than {_MOST_LOCATIONS:,} locations, which no device has"
        )
    if isinstance(kind, Struct):
        yield from _block_slots(module, name, pointee, kind, own)
    elif Decoration.Location in own:
        yield from _type_slots(name, kind, own, own[Decoration.Location])


def _block_slots(
    module: Module, name: str, struct_id: int, kind: Struct, own: Mapping[int, int]
) -> Iterator[Varying]:
    of_members: dict[int, dict[int, int]] = {}
    for index in module.indices(Op.MemberDecorate):
        _, struct, member, decoration, *literals = module.instruction_words(index)
        if struct == struct_id:
            of_members.setdefault(member, {})[decoration] = literals[0] if literals else 0
    location = own.get(Decoration.Location, 0)
    for number, member in enumerate(kind.members):
        its = {**own, **of_members.get(number, {})}
        if Decoration.BuiltIn in its:
            continue
        location = of_members.get(number, {}).get(Decoration.Location, location)
        for slot in _type_slots(f"{name}.{member.name}", member.type, its, location):
            yield slot
            location = slot.location + 1


def _locations(kind: ValueType) -> int:
    """How many locations a value takes, at least."""
    if isinstance(kind, Array):
        return kind.length * _locations(kind.element)
    if isinstance(kind, Struct):
        return sum(_locations(member.type) for member in kind.members)
    return kind.columns if isinstance(kind, Numeric) else 0


def _type_slots(
    name: str, kind: ValueType, own: Mapping[int, int], location: int
) -> Iterator[Varying]:
    if isinstance(kind, Array):
        for n in range(kind.length if _locations(kind.element) else 0):
            for slot in _type_slots(f"{name}[{n}]", kind.element, own, location):
                yield slot
                location = slot.location + 1
    elif isinstance(kind, Struct):
        for member in kind.members:
            for slot in _type_slots(f"{name}.{member.name}", member.type, own, location):
                yield slot
                location = slot.location + 1
    elif isinstance(kind, Numeric):
        column = Numeric(kind.component, kind.bits, kind.rows)
        for n in range(kind.columns):
            label = f"{name}[{n}]" if kind.columns > 1 else name
            yield Varying(label, location, column, own.get(Decoration.Component, 0))
            # 64-bit vectors of three and four components take two locations.
            location += 2 if column.bits == 64 and column.rows > 2 else 1
