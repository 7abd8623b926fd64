"""The arrays of run-time length in a compute shader's storage buffers.

They have as many elements as the launch has invocations (LLMPerf's simple rule), or as many as its
index analysis found are read (`gpu.vulkan.buffer_sizes`).
"""

from __future__ import annotations

from dataclasses import dataclass

from shaderlab.errors import UnsupportedShader
from shaderlab.spirv.module import printable
from shaderlab.spirv.reflection import Interface, Resource, ResourceKind
from shaderlab.spirv.value_types import Array, Member, size

MOST_BYTES = 1 << 28
"""Of one buffer."""


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
