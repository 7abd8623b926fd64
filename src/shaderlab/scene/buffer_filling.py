"""Default contents of the arrays in a compute shader's storage buffers.

They depend on how the shader uses them (`spirv.analysis.kernel_uses`): an index stays inside its
array, two neighbours that bound a loop are a few apart, a trip count is small.  All others are
random, the same for every run.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from itertools import islice

import numpy as np

from shaderlab.spirv.analysis.kernel_uses import KernelUses, Use
from shaderlab.spirv.reflection import Resource
from shaderlab.spirv.value_types import Array, Component, Member, Numeric, Struct, ValueType, size

EACH = 8
"""Iterations of a loop whose bounds are read from a buffer."""
SMALL = 8
"""Integers that are compared for equality are below it, or equal what they are compared with."""
_MOST_NUMBERS = 1 << 14
"""Of one element, that are filled: arrays of arrays multiply."""
_NOTHING = KernelUses({})


class Filling(StrEnum):
    """What an integer array is filled with; the texts are shown to the user."""

    NUMBERS = "random numbers"
    INDICES = "random indices"
    OFFSETS = f"offsets, {EACH} apart"
    COUNTS = f"random counts up to {2 * EACH}"
    LINKS = "links, each to the element at half its index"
    FEW = f"random, below {SMALL} or what they are compared with"


def filling(use: Use, kind: Numeric) -> Filling:
    """Of an array whose elements are used so."""
    if kind.component not in (Component.INT, Component.UINT):
        return Filling.NUMBERS
    if use.links:
        return Filling.LINKS
    if use.starts and use.ends:
        return Filling.OFFSETS
    if use.ends:
        return Filling.COUNTS
    if use.indexes:
        return Filling.INDICES
    return Filling.FEW if use.is_compared else Filling.NUMBERS


def fillings(resource: Resource, uses: KernelUses) -> dict[str, Filling]:
    """By path without the elements of arrays: what the arrays of a storage buffer are filled with,
    those of plain random numbers left out."""
    block = resource.block
    found = {}
    for member in block.members if block else ():
        if isinstance(member.type, Array):
            for path, kind, _ in _numbers(member.type.element, member, member.name, 0):
                what = filling(uses.of(resource.descriptor, path), kind)
                if what is not Filling.NUMBERS:
                    found[path] = what
    return found


def filled(
    resource: Resource, nbytes: int, span: int, start: bytes = b"", uses: KernelUses = _NOTHING
) -> np.ndarray:
    """(nbytes,) uint8: every array of a storage buffer filled, other members from `start`.

    `span`: one more than the largest whole number whose use says nothing of its size.
    """
    at = resource.descriptor
    random = np.random.default_rng((at.set, at.binding))
    data = np.zeros(nbytes, np.uint8)
    data[: min(len(start), nbytes)] = np.frombuffer(start, np.uint8)[:nbytes]
    block = resource.block
    assert block is not None
    for member in block.members:
        if not isinstance(member.type, Array):
            continue
        kind = member.type
        stride = kind.stride or size(kind.element, member) or 4
        room = max(0, nbytes - member.offset) // stride
        count = min(kind.length, room) if kind.length else room
        rows = data[member.offset : member.offset + count * stride].reshape(count, stride)
        found = _numbers(kind.element, member, member.name, 0)
        for path, numeric, offset in islice(found, _MOST_NUMBERS):
            _fill(rows, offset, numeric, random, span, uses.of(at, path))
    return data


def _numbers(
    kind: ValueType, member: Member, path: str, offset: int
) -> Iterator[tuple[str, Numeric, int]]:
    """Scalars and vectors inside one element, with their paths and first bytes."""
    if isinstance(kind, Numeric):
        if kind.columns == 1:
            yield path, kind, offset
            return
        column = Numeric(kind.component, kind.bits, kind.rows)
        for n in range(kind.columns):
            yield path, column, offset + n * (member.matrix_stride or column.nbytes)
    elif isinstance(kind, Array):
        stride = kind.stride or size(kind.element, member)
        for n in range(min(kind.length, 256)):
            yield from _numbers(kind.element, member, path, offset + n * stride)
    elif isinstance(kind, Struct):
        for each in kind.members:
            yield from _numbers(each.type, each, f"{path}.{each.name}", offset + each.offset)


def _fill(
    rows: np.ndarray, offset: int, kind: Numeric, random: np.random.Generator, span: int, use: Use
) -> None:
    count, nbytes = len(rows), kind.nbytes
    if not nbytes or offset + nbytes > rows.shape[1]:
        return
    shape = (count, kind.rows)
    if kind.component is Component.FLOAT:
        dtype = {16: np.float16, 64: np.float64}.get(kind.bits, np.float32)
        numbers = random.random(shape).astype(dtype)
    else:
        dtype = {8: np.uint8, 16: np.uint16, 64: np.uint64}.get(kind.bits, np.uint32)
        most = min(max(span, 1), 1 << min(kind.bits, 31) - 1)
        numbers = _whole_numbers(shape, random, most, use, filling(use, kind)).astype(dtype)
    rows[:, offset : offset + nbytes] = numbers.view(np.uint8).reshape(count, nbytes)


def _whole_numbers(
    shape: tuple[int, int], random: np.random.Generator, most: int, use: Use, what: Filling
) -> np.ndarray:
    """`shape` int64, from 0 up to below `most` where the use says nothing else."""
    count, columns = shape
    places = np.broadcast_to(np.arange(count, dtype=np.int64)[:, None], shape)
    match what:
        case Filling.OFFSETS:
            found = places * columns * EACH + np.arange(columns) * EACH
        case Filling.COUNTS:
            found = random.integers(0, 2 * EACH + 1, shape)
        case Filling.LINKS:
            found = places // 2
            if count and use.compared:  # the end of the list
                found = np.where(places == 0, min(use.compared), found)
        case Filling.FEW:
            few = np.array(sorted({*range(SMALL), *use.compared}), np.int64)
            found = few[random.integers(0, len(few), shape)]
        case _:
            found = random.integers(0, most, shape)
    if use.limit is not None:
        found = found % max(1, use.limit)
    return found
