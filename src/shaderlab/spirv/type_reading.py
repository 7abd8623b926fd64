"""A module's type declarations, read.

SPIR-V specification, sections 3.42.6 (type declarations) and 2.18 (explicit layout).
"""

from __future__ import annotations

import re

from shaderlab.errors import InvalidModule
from shaderlab.spirv.grammar import ENUMS, Decoration, Op
from shaderlab.spirv.module import Module
from shaderlab.spirv.value_types import (
    Array,
    Component,
    Dimension,
    Image,
    Member,
    Numeric,
    Opaque,
    SampledImage,
    Sampler,
    Struct,
    ValueType,
)

_DEEPEST = 32
"""Types nested deeper than this are refused: no compiler writes them."""
_MOST_MEMBERS = 1 << 16
"""Of a struct with those inside it; a few lines can nest billions."""
_WIDTHS = (8, 16, 32, 64)


class Types:
    """Reads the types of one module, each once."""

    def __init__(self, module: Module):
        self._module = module
        self._known: dict[int, ValueType] = {}
        self._members: dict[int, int] = {}
        """By type: members of structs inside it, each as often as it is reached."""
        self._member_names: dict[tuple[int, int], str] = {}
        self._of_members: dict[tuple[int, int], dict[int, int]] = {}
        self._strides: dict[int, int] = {}
        for index in module.indices(Op.MemberName):
            _, struct, member, *_ = module.instruction_words(index)
            self._member_names[struct, member] = module.string(index, 3)
        for index in module.indices(Op.MemberDecorate):
            _, struct, member, decoration, *literals = module.instruction_words(index)
            self._of_members.setdefault((struct, member), {})[decoration] = (
                literals[0] if literals else 0
            )
        for index in module.indices(Op.Decorate):
            _, target, decoration, *literals = module.instruction_words(index)
            if decoration == Decoration.ArrayStride and literals:
                self._strides[target] = literals[0]

    def read(self, type_id: int) -> ValueType:
        """Raises InvalidModule."""
        return self._read(type_id, 0)

    def _read(self, type_id: int, depth: int) -> ValueType:
        if depth > _DEEPEST:
            raise InvalidModule(f"type %{type_id} is nested more than {_DEEPEST} deep")
        known = self._known.get(type_id)
        if known is None:
            self._known[type_id] = known = self._parsed(type_id, depth)
            self._members[type_id] = self._count(type_id)
        return known

    def _count(self, type_id: int) -> int:
        definition = self._module.definition(type_id)
        parts = definition.operands
        if definition.opcode in (Op.TypeArray, Op.TypeRuntimeArray):
            return self._members[parts[0]]
        if definition.opcode != Op.TypeStruct:
            return 0
        found = len(parts) + sum(self._members[each] for each in parts)
        if found > _MOST_MEMBERS:
            raise InvalidModule(f"type %{type_id} has more than {_MOST_MEMBERS:,} members in all")
        return found

    def _parsed(self, type_id: int, depth: int) -> ValueType:
        definition = self._module.definition(type_id)
        opcode, operands = definition.opcode, definition.operands
        if opcode in (Op.TypeBool, Op.TypeInt, Op.TypeFloat, Op.TypeVector, Op.TypeMatrix):
            return self._numeric(opcode, operands, depth)
        if opcode in (Op.TypeArray, Op.TypeRuntimeArray):
            element = self._read(operands[0], depth + 1)
            length = self._length(operands[1]) if opcode == Op.TypeArray else 0
            return Array(element, length, self._strides.get(type_id, 0))
        if opcode == Op.TypeStruct:
            return self._struct(type_id, operands, depth)
        if opcode == Op.TypeSampledImage:
            image = self._read(operands[0], depth + 1)
            return SampledImage(image) if isinstance(image, Image) else Opaque(definition.name)
        if opcode == Op.TypeSampler:
            return Sampler()
        if opcode == Op.TypeImage:
            return self._image(operands, depth)
        return Opaque(definition.name)

    def _numeric(self, opcode: int, operands: tuple[int, ...], depth: int) -> Numeric:
        if opcode == Op.TypeBool:
            return Numeric(Component.BOOL)
        if operands and opcode in (Op.TypeInt, Op.TypeFloat) and operands[0] not in _WIDTHS:
            raise InvalidModule(f"Vulkan has no numbers of {operands[0]} bits")
        if opcode == Op.TypeInt:
            return Numeric(Component.INT if operands[1] else Component.UINT, operands[0])
        if opcode == Op.TypeFloat:
            return Numeric(Component.FLOAT, operands[0])
        inner = self._read(operands[0], depth + 1)
        if not 2 <= operands[1] <= 4:
            raise InvalidModule(f"Vulkan has no vectors or matrices of {operands[1]} parts")
        if not isinstance(inner, Numeric):
            raise InvalidModule(f"%{operands[0]}, the component type of a vector, is not a number")
        if opcode == Op.TypeVector:
            return Numeric(inner.component, inner.bits, operands[1])
        return Numeric(inner.component, inner.bits, inner.rows, operands[1])

    def _struct(self, type_id: int, members: tuple[int, ...], depth: int) -> Struct:
        read: list[Member] = []
        for number, member in enumerate(members):
            own = self._of_members.get((type_id, number), {})
            kind = self._read(member, depth + 1)
            stride, by_rows = own.get(Decoration.MatrixStride, 0), Decoration.RowMajor in own
            kind, stride, by_rows = _unwrapped(kind) or (kind, stride, by_rows)
            read.append(
                Member(
                    self._member_names.get((type_id, number)) or f"_{number}",
                    kind,
                    own.get(Decoration.Offset, 0),
                    stride,
                    by_rows,
                )
            )
        return Struct(self._module.names.get(type_id, ""), tuple(read))

    def _image(self, operands: tuple[int, ...], depth: int) -> ValueType:
        sampled_type, dimension, compares, arrayed, multisampled, sampled, image_format = operands[
            :7
        ]
        component = self._read(sampled_type, depth + 1)
        name = _DIMENSIONS.get(dimension)
        if name not in set(Dimension):
            return Opaque("OpTypeImage")
        is_number = isinstance(component, Numeric)
        return Image(
            component.component if is_number else Component.FLOAT,
            component.bits if is_number else 32,
            Dimension(name),
            compares == 1,
            bool(arrayed),
            bool(multisampled),
            sampled != 2,
            _FORMATS.get(image_format, "Unknown"),
        )

    def _length(self, constant: int) -> int:
        definition = self._module.definition(constant)
        if definition.opcode not in (Op.Constant, Op.SpecConstant):
            return 1  # an expression over specialisation constants: one element is bound
        return definition.operands[0]


def _unwrapped(kind: ValueType) -> tuple[ValueType, int, bool] | None:
    """The matrix, with its stride and whether it is stored by rows, of a struct that Slang stores
    one in, or of an array of these; None of another type.

    What Slang calls a row is a column of the module's matrix, as everywhere in its modules.
    """
    if isinstance(kind, Array):
        inner = _unwrapped(kind.element)
        return inner and (Array(inner[0], kind.length, kind.stride), *inner[1:])
    named = is_stored_matrix(kind.name) if isinstance(kind, Struct) else None
    if named is None or not isinstance(kind, Struct) or len(kind.members) != 1:
        return None
    vectors = kind.members[0].type
    if not isinstance(vectors, Array) or not isinstance(vectors.element, Numeric):
        return None
    one, by_columns = vectors.element, named[1] == "Col"
    if not (2 <= vectors.length <= 4 and 2 <= one.rows <= 4):
        return None
    rows, columns = (vectors.length, one.rows) if by_columns else (one.rows, vectors.length)
    return Numeric(one.component, one.bits, rows, columns), vectors.stride, by_columns


def is_stored_matrix(name: str) -> re.Match[str] | None:
    """Whether a struct of that name is one in which Slang stores a matrix."""
    return _STORED_MATRIX.match(name)


_STORED_MATRIX = re.compile(r"_MatrixStorage_\w*?_?(Col|Row)Major")
_DIMENSIONS = {number: name for name, number in reversed(ENUMS["Dim"].items())}
_FORMATS = {number: name for name, number in reversed(ENUMS["ImageFormat"].items())}
