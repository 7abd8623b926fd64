"""Values as bytes of a block: where a number goes is found once, then only numbers change."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from itertools import product

from shaderlab.scene.inputs import Numbers
from shaderlab.spirv.value_types import Component, Leaf, Numeric

RUN_TIME_ELEMENTS = 64
"""Elements bound for an array of run-time length."""
_MOST_NUMBERS = 1 << 20
"""Of one value; what an array has beyond them stays zero."""


class Packer:
    """Writes one value of a block."""

    def __init__(self, leaf: Leaf, nbytes: int):
        """`nbytes`: of the block; what lies beyond is left out."""
        kind = leaf.type
        self._kind = kind
        lengths = element_lengths(leaf)
        places = _places(leaf, lengths)
        step = struct.calcsize(f"<{code(kind)}")
        self._runs: list[tuple[int, int, int, struct.Struct]] = []
        """First number, how many in a row, the byte they begin at, and how they are written."""
        first = 0
        while first < len(places):
            last = first + 1
            if places[first] + step > nbytes:
                first = last
                continue
            while (
                last < len(places)
                and places[last] == places[last - 1] + step
                and places[last] + step <= nbytes
            ):
                last += 1
            written = struct.Struct(f"<{last - first}{code(kind)}")
            self._runs.append((first, last - first, places[first], written))
            first = last

    def write(self, data: bytearray | memoryview, value: Numbers) -> None:
        """The value's numbers, as far as there are so many; the rest is left as it is."""
        numbers = fitting(value, self._kind)
        for first, count, at, written in self._runs:
            part = numbers[first : first + count]
            if len(part) == count:
                written.pack_into(data, at, *part)
            elif part:
                struct.pack_into(f"<{len(part)}{code(self._kind)}", data, at, *part)

    def read(self, data: bytes) -> Numbers:
        """The value that the bytes of a block hold; zeros beyond their end."""
        found: list[float] = []
        for _, count, at, written in self._runs:
            whole = written.size <= len(data) - at
            part = written.unpack_from(data, at) if whole else (0.0,) * count
            found += (number if math.isfinite(number) else 0.0 for number in map(float, part))
        return tuple(found)


def element_lengths(leaf: Leaf) -> tuple[int, ...]:
    """Of the arrays around a value, with what is bound for those of run-time length."""
    return tuple(length or RUN_TIME_ELEMENTS for length in leaf.lengths)


def numbers_of(kind: Numeric, lengths: Sequence[int]) -> int:
    """Numbers of a value that are kept: all of them, but for arrays of more than a million."""
    return min(kind.count * math.prod(length or RUN_TIME_ELEMENTS for length in lengths),
               _MOST_NUMBERS)  # fmt: skip


def _places(leaf: Leaf, lengths: tuple[int, ...]) -> list[int]:
    """Byte of each number, in the order of `Numbers`."""
    kind, step = leaf.type, struct.calcsize(f"<{code(leaf.type)}")
    by_rows = leaf.row_major and kind.columns > 1
    inner = [
        (row if by_rows else column) * leaf.matrix_stride + (column if by_rows else row) * step
        for column in range(kind.columns)
        for row in range(kind.rows)
    ]
    found: list[int] = []
    for indices in product(*map(range, lengths)):
        base = leaf.offset + sum(n * s for n, s in zip(indices, leaf.strides, strict=True))
        found += (base + each for each in inner)
        if len(found) >= _MOST_NUMBERS:
            break
    return found[:_MOST_NUMBERS]


def code(kind: Numeric) -> str:
    """The letter of `struct` for one component."""
    if kind.component is Component.FLOAT:
        return {16: "e", 32: "f", 64: "d"}.get(kind.bits, "f")
    letter = {8: "b", 16: "h", 32: "i", 64: "q"}.get(kind.bits, "i")
    return letter if kind.component is Component.INT else letter.upper()


def fitting(value: Numbers, kind: Numeric) -> list[float] | list[int]:
    """The numbers as the type can hold them: integers wrap as a conversion in a shader does."""
    if kind.component is Component.FLOAT:
        most = {16: 65504.0, 32: 3.4028234663852886e38}.get(kind.bits, 1.7976931348623157e308)
        return [max(-most, min(most, number)) for number in value]
    if kind.component is Component.BOOL:
        return [int(bool(number)) for number in value]
    span = 1 << kind.bits
    wrapped = [int(number) % span for number in value]
    if kind.component is Component.INT:
        return [n - span if n >= span >> 1 else n for n in wrapped]
    return wrapped
