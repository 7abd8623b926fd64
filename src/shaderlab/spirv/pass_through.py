"""A vertex shader that passes on what vertex buffers hold: a position, and every varying.

Attribute 0 is the position in clip space.  Attribute n + 1 is the n-th entry of `locations`: four
components of 32 bits, of which each varying at that location takes its own.  Varyings of 16 and 64
bits are converted from these.  After them come point size, clip and cull distances, four to an
attribute, where they are asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from shaderlab.errors import InvalidModule
from shaderlab.spirv.grammar import (
    ENUMS,
    MAGIC,
    BuiltIn,
    Decoration,
    ExecutionModel,
    Op,
    StorageClass,
)
from shaderlab.spirv.passes.rewriting import encode, encode_string
from shaderlab.spirv.value_types import Component, Numeric
from shaderlab.spirv.varyings import Varying

_VERSION = 0x00010000
_CONVERSIONS = {
    Component.FLOAT: Op.FConvert, Component.INT: Op.SConvert, Component.UINT: Op.UConvert,
}  # fmt: skip
"""From 32 bits to more or fewer."""
_DISTANCES = {BuiltIn.ClipDistance: "ClipDistance", BuiltIn.CullDistance: "CullDistance"}
"""Capabilities by what needs them."""
ENTRY_POINT = "main"


@dataclass(frozen=True)
class PassThrough:
    """The module, and what its attributes hold."""

    spirv: bytes
    locations: tuple[int, ...]
    """Of varyings, by ascending location."""
    components: tuple[Component, ...]
    """FLOAT, INT or UINT of each attribute but the position."""


def pass_through(
    varyings: tuple[Varying, ...], built_ins: Mapping[int, int] | None = None
) -> PassThrough:
    """For a fragment shader that declares these.  `built_ins`: which others are written, and how
    many numbers of each.

    What it declares and does not read must be declared here too (Vulkan specification, "Interface
    Matching"), and is not written.
    """
    by_location: dict[int, list[Varying]] = {}
    for varying in varyings:
        if varying.is_read:
            by_location.setdefault(varying.location, []).append(varying)
    locations = tuple(sorted(by_location))
    components = tuple(by_location[location][0].type.component for location in locations)
    writer = _Writer()
    position = writer.attribute(0, Component.FLOAT)
    writer.built_in(BuiltIn.Position, position)
    for number, location in enumerate(locations):
        attribute = writer.attribute(number + 1, components[number])
        for varying in by_location[location]:
            writer.hand_on(attribute, components[number], varying)
    number = len(locations)
    for kind, count in (built_ins or {}).items():
        vectors = [writer.attribute(number + 1 + n, Component.FLOAT) for n in range(-(-count // 4))]
        number += len(vectors)
        writer.numbers(kind, vectors, count)
    for varying in varyings:
        if not varying.is_read:
            writer.output(varying)
    more = (Component.FLOAT,) * (number - len(locations))
    return PassThrough(writer.build(), locations, components + more)


class _Writer:
    """Collects the sections of a module."""

    def __init__(self) -> None:
        self._next_id = 1
        self._decorations: list[int] = []
        self._types: list[int] = []
        self._body: list[int] = []
        self._interface: list[int] = []
        self._capabilities = {"Shader"}
        self._declared: dict[tuple[int, ...], int] = {}
        self._main = self._new_id()

    def _new_id(self) -> int:
        self._next_id += 1
        return self._next_id - 1

    def _type(self, opcode: int, *operands: int) -> int:
        key = (opcode, *operands)
        if key not in self._declared:
            self._declared[key] = id = self._new_id()
            self._types += encode(opcode, id, *operands)
        return self._declared[key]

    def _numeric(self, component: Component, rows: int, bits: int = 32) -> int:
        if bits != 32:
            family = "Float" if component is Component.FLOAT else "Int"
            self._capabilities.add(f"{family}{bits}")
            if bits == 16:
                self._capabilities.add("StorageInputOutput16")
        if component is Component.FLOAT:
            scalar = self._type(Op.TypeFloat, bits)
        else:
            scalar = self._type(Op.TypeInt, bits, int(component is Component.INT))
        return scalar if rows == 1 else self._type(Op.TypeVector, scalar, rows)

    def _variable(self, storage: int, kind: int, *decorations: tuple[int, int]) -> int:
        pointer = self._type(Op.TypePointer, storage, kind)
        id = self._new_id()
        self._types += encode(Op.Variable, pointer, id, storage)
        for decoration, literal in decorations:
            self._decorations += encode(Op.Decorate, id, decoration, literal)
        self._interface.append(id)
        return id

    def attribute(self, location: int, component: Component) -> int:
        """Id of the loaded value, a vector of four."""
        kind = self._numeric(component, 4)
        variable = self._variable(StorageClass.Input, kind, (Decoration.Location, location))
        loaded = self._new_id()
        self._body += encode(Op.Load, kind, loaded, variable)
        return loaded

    def numbers(self, kind: int, vectors: list[int], count: int) -> None:
        """Write a point size, or so many clip or cull distances, of these vectors."""
        scalar = self._numeric(Component.FLOAT, 1)
        parts = []
        for n in range(count):
            parts.append(self._new_id())
            self._body += encode(Op.CompositeExtract, scalar, parts[-1], vectors[n // 4], n % 4)
        if kind == BuiltIn.PointSize:
            self.built_in(kind, parts[0], scalar)
            return
        self._capabilities.add(_DISTANCES[kind])
        length = self._new_id()
        self._types += encode(Op.Constant, self._numeric(Component.UINT, 1), length, count)
        array = self._type(Op.TypeArray, scalar, length)
        made = self._new_id()
        self._body += encode(Op.CompositeConstruct, array, made, *parts)
        self.built_in(kind, made, array)

    def built_in(self, which: int, value: int, kind: int | None = None) -> None:
        """Write gl_Position, or another one of type `kind`."""
        kind = kind or self._numeric(Component.FLOAT, 4)
        block = self._new_id()
        self._types += encode(Op.TypeStruct, block, kind)
        self._decorations += encode(Op.Decorate, block, Decoration.Block)
        self._decorations += encode(Op.MemberDecorate, block, 0, Decoration.BuiltIn, which)
        variable = self._variable(StorageClass.Output, block)
        zero = self._new_id()
        self._types += encode(Op.Constant, self._numeric(Component.INT, 1), zero, 0)
        at = self._new_id()
        pointer = self._type(Op.TypePointer, StorageClass.Output, kind)
        self._body += encode(Op.AccessChain, pointer, at, variable, zero)
        self._body += encode(Op.Store, at, value)

    def hand_on(self, attribute: int, component: Component, varying: Varying) -> None:
        """Write the output of one varying from its location's attribute."""
        its, variable = varying.type, self.output(varying)
        value = self._components(attribute, component, varying)
        if its.component is not component:
            value = self._made(Op.Bitcast, self._numeric(its.component, its.rows), value)
        if its.bits != 32:
            value = self._made(_CONVERSIONS[its.component], self._output_type(its), value)
        self._body += encode(Op.Store, variable, value)

    def _made(self, opcode: int, kind: int, value: int) -> int:
        result = self._new_id()
        self._body += encode(opcode, kind, result, value)
        return result

    def output(self, varying: Varying) -> int:
        """Declare the output that a varying reads."""
        decorations = [(Decoration.Location, varying.location)]
        if varying.component:
            decorations.append((Decoration.Component, varying.component))
        kind = self._output_type(varying.type)
        return self._variable(StorageClass.Output, kind, *decorations)

    def _output_type(self, kind: Numeric) -> int:
        return self._numeric(kind.component, kind.rows, kind.bits)

    def _components(self, attribute: int, component: Component, varying: Varying) -> int:
        first, rows = varying.first, varying.type.rows
        if (first, rows) == (0, 4):
            return attribute
        kind = self._numeric(component, rows)
        value = self._new_id()
        if rows == 1:
            self._body += encode(Op.CompositeExtract, kind, value, attribute, first)
        else:
            chosen = range(first, first + rows)
            self._body += encode(Op.VectorShuffle, kind, value, attribute, attribute, *chosen)
        return value

    def build(self) -> bytes:
        void = self._type(Op.TypeVoid)
        function = self._type(Op.TypeFunction, void)
        label = self._new_id()
        memory = (ENUMS["AddressingModel"]["Logical"], ENUMS["MemoryModel"]["GLSL450"])
        words = [MAGIC, _VERSION, 0, self._next_id, 0]
        for name in sorted(self._capabilities):
            words += encode(Op.Capability, ENUMS["Capability"][name])
        if "StorageInputOutput16" in self._capabilities:
            words += encode(Op.Extension, *encode_string("SPV_KHR_16bit_storage"))
        words += encode(Op.MemoryModel, *memory)
        name = encode_string(ENTRY_POINT)
        words += encode(Op.EntryPoint, ExecutionModel.Vertex, self._main, *name, *self._interface)
        words += self._decorations
        words += self._types
        words += encode(Op.Function, void, self._main, 0, function)
        words += encode(Op.Label, label)
        words += self._body
        words += encode(Op.Return)
        words += encode(Op.FunctionEnd)
        try:
            return np.array(words, "<u4").tobytes()
        except OverflowError:
            raise InvalidModule("a varying lies at a location beyond 32 bits") from None
