"""What the storage buffers of a compute shader hold before it runs.

Arrays of run-time length have as many elements as the launch has invocations (LLMPerf's simple
rule), or as many as its index analysis found are read (`gpu.vulkan.buffer_sizes`).  Values are
random and the same for every run: fractions in [0, 1), whole numbers from 0 up to the number of
invocations, so that a number read as an index finds an element.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from shaderlab.errors import UnsupportedShader
from shaderlab.spirv.module import printable
from shaderlab.spirv.reflection import Interface, Resource, ResourceKind
from shaderlab.spirv.value_types import Array, Component, Member, Numeric, Struct, ValueType, size

MOST_BYTES = 1 << 28
"""Of one buffer."""
_MOST_NUMBERS = 1 << 14
"""Of one element, that are filled: arrays of arrays multiply."""


@dataclass(frozen=True)
class RunTimeArray:
    """The last member of a storage buffer, whose length is that of what is bound."""

    resource: Resource
    member: Member
    number: int
    """Of the member in the block."""
    stride: int
    """Bytes from one element to the next."""

    @property
    def name(self) -> str:
        """Of the buffer, as its user writes it: of an anonymous block the member's."""
        return self.member.name if self.resource.is_anonymous else self.resource.name

    def nbytes(self, elements: int) -> int:
        """Bytes of the whole buffer.  Raises UnsupportedShader beyond what is filled."""
        found = self.member.offset + elements * self.stride
        if found > MOST_BYTES:
            raise UnsupportedShader(
                f"{printable(self.name)}: {elements:,} elements take {found:,} bytes; buffers of"
                f" more than {MOST_BYTES:,} are not filled"
            )
        return max(found, 16)

    def elements(self, nbytes: int) -> int:
        """How many a buffer of that many bytes has."""
        return max(0, nbytes - self.member.offset) // self.stride


def run_time_arrays(interface: Interface) -> tuple[RunTimeArray, ...]:
    """Those of all storage buffers, in the order of declaration."""
    found = []
    for resource in interface.resources:
        block = resource.block
        if resource.kind is not ResourceKind.STORAGE_BUFFER or block is None or not block.members:
            continue
        last = block.members[-1]
        if isinstance(last.type, Array) and not last.type.length:
            stride = last.type.stride or size(last.type.element, last) or 4
            found.append(RunTimeArray(resource, last, len(block.members) - 1, stride))
    return tuple(found)


def filled(resource: Resource, nbytes: int, span: int, start: bytes = b"") -> np.ndarray:
    """(nbytes,) uint8: every array of a storage buffer filled, other members from `start`.

    `span`: one more than the largest whole number.
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
        for numeric, offset in islice(_numbers(kind.element, member, 0), _MOST_NUMBERS):
            _fill(rows, offset, numeric, random, span)
    return data


def _numbers(kind: ValueType, member: Member, offset: int) -> Iterator[tuple[Numeric, int]]:
    """Scalars and vectors inside one element, with their first byte."""
    if isinstance(kind, Numeric):
        if kind.columns == 1:
            yield kind, offset
            return
        column = Numeric(kind.component, kind.bits, kind.rows)
        for n in range(kind.columns):
            yield column, offset + n * (member.matrix_stride or column.nbytes)
    elif isinstance(kind, Array):
        stride = kind.stride or size(kind.element, member)
        for n in range(min(kind.length, 256)):
            yield from _numbers(kind.element, member, offset + n * stride)
    elif isinstance(kind, Struct):
        for each in kind.members:
            yield from _numbers(each.type, each, offset + each.offset)


def _fill(
    rows: np.ndarray, offset: int, kind: Numeric, random: np.random.Generator, span: int
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
        numbers = random.integers(0, most, shape).astype(dtype)
    rows[:, offset : offset + nbytes] = numbers.view(np.uint8).reshape(count, nbytes)
