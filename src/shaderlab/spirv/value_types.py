"""Types of what a shader reads and writes, and how their values lie in a block.

SPIR-V specification, sections 3.42.6 (type declarations) and 2.18 (explicit layout).  A type is
plain data: two that are equal are laid out alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

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
