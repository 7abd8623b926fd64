"""Types of what a shader reads and writes, as a module declares them.

SPIR-V specification, sections 3.42.6 (type declarations) and 2.18 (explicit layout).  A type is
plain data: two that are equal are laid out alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from shaderlab.errors import InvalidModule
from shaderlab.spirv.grammar import ENUMS, Decoration, Op
from shaderlab.spirv.module import Module

_DEEPEST = 32
"""Types nested deeper than this are refused: no compiler writes them."""
_MOST_MEMBERS = 1 << 16
"""Of a struct with those inside it; a few lines can nest billions."""
_WIDTHS = (8, 16, 32, 64)
_MOST_LEAVES = 4096
"""Values of one block that are listed; the others keep their default."""


class Component(StrEnum):
    """What one component of a value is."""

    BOOL = "bool"
    INT = "int"
    UINT = "uint"
    FLOAT = "float"


@dataclass(frozen=True)
class Numeric:
    """A scalar, a vector or a matrix."""

    component: Component
    bits: int = 32
    rows: int = 1
    """Components of a vector; of a column, in a matrix."""
    columns: int = 1

    @property
    def glsl(self) -> str:
        """Its name in GLSL: `float`, `ivec3`, `mat4x3`; `float16_t` and the like by their bits."""
        if self.bits != 32 and self.component is not Component.BOOL:
            scalar = f"{self.component.value}{self.bits}_t"
            count = f"{self.columns}x{self.rows}" if self.columns > 1 else f"{self.rows}"
            return scalar if (self.rows, self.columns) == (1, 1) else f"{scalar}x{count}"
        if self.columns > 1:
            square = self.rows == self.columns
            return f"mat{self.columns}" if square else f"mat{self.columns}x{self.rows}"
        if self.rows == 1:
            return self.component.value
        prefix = {"bool": "b", "int": "i", "uint": "u", "float": ""}[self.component.value]
        return f"{prefix}vec{self.rows}"

    @property
    def count(self) -> int:
        """Components in all."""
        return self.rows * self.columns

    @property
    def nbytes(self) -> int:
        """Bytes of one row or vector, tightly packed."""
        return self.rows * self.bits // 8


@dataclass(frozen=True)
class Array:
    """Elements of one type."""

    element: ValueType
    length: int
    """0: decided by the size of what is bound."""
    stride: int = 0
    """Bytes from one element to the next, 0 where the layout is not explicit."""


@dataclass(frozen=True)
class Member:
    """One member of a block or struct."""

    name: str
    """In the source, else `_` and its number."""
    type: ValueType
    offset: int = 0
    """Bytes from the start of the struct."""
    matrix_stride: int = 0
    """Bytes from one column (row, where `row_major`) to the next; 0 where there is no matrix."""
    row_major: bool = False


@dataclass(frozen=True)
class Struct:
    """A block, or a struct inside one."""

    name: str
    members: tuple[Member, ...]


class Dimension(StrEnum):
    """`Dim` of an image."""

    D1 = "1D"
    D2 = "2D"
    D3 = "3D"
    CUBE = "Cube"
    RECT = "Rect"
    BUFFER = "Buffer"
    SUBPASS = "SubpassData"


@dataclass(frozen=True)
class Image:
    """A texture, a storage image, a texel buffer or an input attachment."""

    component: Component
    bits: int
    dimension: Dimension
    depth: bool
    """Read by comparison (`sampler2DShadow`)."""
    arrayed: bool
    multisampled: bool
    sampled: bool
    """False: a storage image, or a storage texel buffer."""
    format: str = "Unknown"
    """The grammar's name, as `Rgba8`."""

    @property
    def glsl(self) -> str:
        """The part of its GLSL name after `sampler`, `texture` or `image`: `2DArrayShadow`."""
        multisampled = "MS" if self.multisampled else ""
        arrayed = "Array" if self.arrayed else ""
        shadow = "Shadow" if self.depth else ""
        return f"{self.dimension.value}{multisampled}{arrayed}{shadow}"

    @property
    def prefix(self) -> str:
        """Of its GLSL name: `i`, `u` or nothing."""
        return {"int": "i", "uint": "u"}.get(self.component.value, "")


@dataclass(frozen=True)
class SampledImage:
    """A texture with its sampler: `sampler2D`."""

    image: Image


@dataclass(frozen=True)
class Sampler:
    """A sampler by itself."""


@dataclass(frozen=True)
class Opaque:
    """A type no draw can bind: an acceleration structure, a pointer, …"""

    name: str
    """The grammar's, as `OpTypeAccelerationStructureKHR`."""


ValueType = Numeric | Array | Struct | Image | SampledImage | Sampler | Opaque


@dataclass(frozen=True)
class Leaf:
    """One value inside a block: a number, vector or matrix, or an array (of arrays) of these."""

    path: str
    """`light.colour`, `lights[2].colour`, `weights` (an array of numbers is one value)."""
    type: Numeric
    offset: int
    """Bytes from the start of the block."""
    lengths: tuple[int, ...] = ()
    """Of the arrays around it, outermost first."""
    strides: tuple[int, ...] = ()
    """Bytes, one for each of `lengths`."""
    matrix_stride: int = 0
    row_major: bool = False


def read(module: Module, type_id: int) -> ValueType:
    """The type of an id.  Raises InvalidModule."""
    return Types(module).read(type_id)


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
            raise InvalidModule(f"a number of {operands[0]} bits is none of Vulkan's")
        if opcode == Op.TypeInt:
            return Numeric(Component.INT if operands[1] else Component.UINT, operands[0])
        if opcode == Op.TypeFloat:
            return Numeric(Component.FLOAT, operands[0])
        inner = self._read(operands[0], depth + 1)
        if not 2 <= operands[1] <= 4:
            raise InvalidModule(f"a vector or matrix of {operands[1]} parts is none of Vulkan's")
        if not isinstance(inner, Numeric):
            raise InvalidModule(f"%{operands[0]}, of which a vector is made, is no number")
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


def leaves(struct: Struct) -> list[Leaf]:
    """The values of a block in order; the first 4,096 of them.

    An array of structs is listed element by element, one of run-time length with one element.
    """
    found: list[Leaf] = []
    for leaf in _leaves(struct, "", 0):
        found.append(leaf)
        if len(found) == _MOST_LEAVES:
            break
    return found


def _leaves(struct: Struct, prefix: str, base: int) -> Iterator[Leaf]:
    for member in struct.members:
        yield from _of_member(member, member.type, prefix + member.name, base + member.offset)


def _of_member(member: Member, kind: ValueType, path: str, offset: int) -> Iterator[Leaf]:
    lengths: list[int] = []
    strides: list[int] = []
    inner = kind
    while isinstance(inner, Array):
        lengths.append(inner.length)
        strides.append(inner.stride)
        inner = inner.element
    if isinstance(inner, Numeric):
        yield Leaf(
            path, inner, offset, tuple(lengths), tuple(strides),
            member.matrix_stride, member.row_major,
        )  # fmt: skip
    elif isinstance(inner, Struct) and isinstance(kind, Array):
        for n in range(kind.length or 1):
            at = offset + n * kind.stride
            yield from _of_member(member, kind.element, f"{path}[{n}]", at)
    elif isinstance(inner, Struct):
        yield from _leaves(inner, f"{path}.", offset)


def size(kind: ValueType, member: Member | None = None, run_time_length: int = 1) -> int:
    """Bytes a value of explicit layout takes; arrays of run-time length with so many elements.

    `member`: whose type it is, for the stride of matrices.
    """
    if isinstance(kind, Numeric):
        if kind.columns == 1:
            return kind.nbytes
        stride = member.matrix_stride if member else 0
        vectors = kind.rows if member and member.row_major else kind.columns
        return vectors * stride if stride else kind.columns * kind.nbytes
    if isinstance(kind, Array):
        count = kind.length or run_time_length
        return count * (kind.stride or size(kind.element, member, run_time_length))
    if isinstance(kind, Struct):
        return max((m.offset + size(m.type, m, run_time_length) for m in kind.members), default=0)
    return 0
