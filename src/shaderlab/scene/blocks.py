"""The bytes of uniform blocks, storage buffers and push constants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from shaderlab.errors import UnsupportedShader
from shaderlab.scene.bound import BoundBuffer
from shaderlab.scene.contents import small
from shaderlab.scene.geometry import Camera
from shaderlab.scene.inputs import Input, Inputs, Numbers, Source, anywhere
from shaderlab.scene.meanings import Meaning, Surroundings
from shaderlab.scene.packing import RUN_TIME_ELEMENTS, Packer, numbers_of
from shaderlab.spirv.module import printable
from shaderlab.spirv.reflection import Descriptor
from shaderlab.spirv.value_types import Leaf, Struct, size

_MOST_BYTES = 1 << 28
"""Of one block; devices take less of most kinds."""


def checked_size(name: str, block: Struct) -> int:
    """Bytes of a block.  Raises UnsupportedShader for one that no draw fills."""
    nbytes = size(block, run_time_length=RUN_TIME_ELEMENTS)
    if nbytes > _MOST_BYTES:
        raise UnsupportedShader(
            f"{printable(name)} takes {nbytes:,} bytes; blocks of more than {_MOST_BYTES:,} are "
            "not filled"
        )
    return nbytes


@dataclass(frozen=True)
class Slot:
    """A value inside a block, and the input it is."""

    name: str
    declared: str
    leaf: Leaf
    meaning: Meaning | None
    packer: Packer

    def value(
        self, inputs: Inputs, given: Mapping[str, Numbers], around: Surroundings
    ) -> tuple[Numbers, Source]:
        chosen = self.chosen(inputs)
        if chosen is not None:
            return chosen.value, chosen.source
        if self.name in given:
            return given[self.name], Source.TEXT
        if self.meaning is not None:
            return self.meaning.value(
                around
            ), inputs.clock.source if self.is_live else Source.DEFAULT
        return (0.0,) * self.count, Source.DEFAULT

    def chosen(self, inputs: Inputs) -> Input[Numbers] | None:
        """What was chosen for it, by its whole name or by its last."""
        found = inputs.values.get(self.name)
        if found is None:
            found = inputs.values.get(anywhere(self.name.rpartition(".")[2]))
            if found is not None and len(found.value) != self.count:
                return None
        return found

    @property
    def is_live(self) -> bool:
        return self.meaning is not None and self.meaning.is_live

    @property
    def count(self) -> int:
        """Numbers in all."""
        return numbers_of(self.leaf.type, self.leaf.lengths)


_Key = tuple[Mapping, tuple[int, int], Camera, tuple[tuple[int, int], ...], bytes | None]


class Block:
    """The bytes of one block, kept from frame to frame but for what changes by itself."""

    def __init__(self, slots: Sequence[Slot], nbytes: int):
        self.slots = slots
        self._nbytes = nbytes
        self._live = [slot for slot in slots if slot.is_live]
        self._key: _Key | None = None
        self._kept = bytearray()

    def packed(
        self,
        inputs: Inputs,
        given: Mapping[str, Numbers],
        around: Surroundings,
        bound: bytes | None = None,
    ) -> bytes:
        """`bound`: what another program had there, which chosen values alone replace."""
        key = inputs.values, around.size, around.camera, around.channels, bound
        if bound is not None:
            if key != self._key:
                self._kept = bytearray(bound.ljust(self._nbytes, b"\0"))
                for slot in self.slots:
                    if slot.name in inputs.values:
                        slot.packer.write(self._kept, inputs.values[slot.name].value)
                self._key = key
            return bytes(self._kept)
        if key != self._key:
            self._kept = bytearray(self._nbytes)
            for slot in self.slots:
                value, _ = slot.value(inputs, given, around)
                if any(value):
                    slot.packer.write(self._kept, value)
            self._key = key
        for slot in self._live:
            slot.packer.write(self._kept, slot.value(inputs, given, around)[0])
        return bytes(self._kept)


def bound_bytes(inputs: Inputs, at: Descriptor) -> bytes | None:
    """Contents of a block as another program had bound it."""
    elements = inputs.bound.resources.get(at) if inputs.bound is not None else None
    if elements and isinstance(elements[0], BoundBuffer):
        return small(elements[0].contents)
    return None
