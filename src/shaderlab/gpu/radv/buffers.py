"""Which buffer a load, a store or an atomic operation of an optimised program reaches.

Each driver's programs name it in their own way:

    RADV    a descriptor, loaded from where its set lies     load_ssbo (%26, %27)
    ANV     `resource_intel` with set and binding            load_ssbo (%147, %150)
    Turnip  `bindless_resource_ir3`: a place in its set      load_ssbo (%164, %131)
    PanVK   a constant: table and place in it (Valhall)      load_ssbo (0x1000002, %184)
            or an address, loaded from the set (Bifrost)     load_global (%211)
    NVK     an address, loaded from the set                  load_global (%253)

What computes with an address is followed back to where the buffer's own was loaded.  That stands
for 0 in a replayed program, so that an address is a byte of its buffer, and its upper word nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from shaderlab.gpu.radv.arguments import SCALAR, number_of
from shaderlab.gpu.radv.nir import Instruction, Source, UnreadableNir
from shaderlab.spirv.reflection import Descriptor, Resource, ResourceKind

_FOLLOWED = frozenset(
    ("iadd", "isub", "mov", "phi", "bcsel", "b32csel", "pack_64_2x32_split", "vec2", "vec3", "vec4")
)
"""Operations whose result is an address where an operand is one."""
_OF_ADDRESSES = frozenset((*_FOLLOWED, "u2u64", "i2i64", "load_const", "load_ssbo_address"))
"""What 64-bit numbers that are addresses come from."""
_REACHING = re.compile(r"(?:load|store)_global|global_atomic|load_smem_amd")
"""Operations that take an address."""
_BUFFERS = (ResourceKind.STORAGE_BUFFER, ResourceKind.UNIFORM_BLOCK)
_PLACE_BYTES = {"amd": 16, "nvidia": 16, "mali": 32}
"""Of a buffer's descriptor in a set."""
_IN_TWO_PLACES = ("A6xx gen 3", "A7xx gen 3")
"""Adrenos that read a storage buffer through either of two descriptors (tu_descriptor_set.cc,
descriptor_size)."""


class Buffers:
    """The buffers of one program."""

    def __init__(
        self,
        instructions: Iterable[Instruction],
        resources: Sequence[Resource],
        vendor: str,
        architecture: str,
    ):
        every = list(instructions)
        self._made = {each.result: each for each in every if each.result >= 0}
        self._resources = resources
        self._vendor, self._architecture = vendor, architecture
        self._computed_with = {
            source.value
            for each in every
            if not (each.op in _OF_ADDRESSES and each.bits == 64) and not _REACHING.match(each.op)
            for source in each.sources
        }
        """Values that are used for more than to address something."""
        self._sets = {
            number_of(self._made[each.sources[0].value])
            for each in every
            if each.op == "pack_64_2x32_split" and self._op(each.sources[0]) == SCALAR
        }
        """Numbers of RADV's arguments that say where sets lie."""
        self._known: dict[int, Descriptor | None] = {}

    def of(self, source: Source) -> Descriptor:
        """What an operand names, a handle or an address.  Raises UnreadableNir."""
        found = self._behind(source.value, set())
        if len(found) != 1:
            raise UnreadableNir("which buffer is read or written is not certain")
        return found.pop()

    def is_address(self, instruction: Instruction) -> bool:
        """Whether a 64-bit number is an address, or is added to one."""
        return (
            instruction.bits == 64
            and instruction.op in _OF_ADDRESSES
            and instruction.result not in self._computed_with
        )

    def is_root(self, instruction: Instruction) -> bool:
        """Whether it loads, or is, what names a buffer."""
        return self._root(instruction) is not None

    @property
    def sets_end(self) -> int:
        """The number of RADV's first argument after those of sets."""
        return max(self._sets, default=0) + 1

    def _op(self, source: Source) -> str:
        made = self._made.get(source.value)
        return made.op if made is not None else ""

    def _behind(self, value: int, seen: set[int]) -> set[Descriptor]:
        """Buffers whose address goes into a value."""
        made = self._made.get(value)
        if made is None or value in seen:
            return set()
        seen.add(value)
        root = self._root(made)
        if root is not None:
            return {root}
        if made.op == "load_ssbo_address":
            return self._behind(made.sources[0].value, seen)
        if made.op not in _FOLLOWED:
            return set()
        first = 1 if made.op in ("bcsel", "b32csel") else 0
        return set().union(*(self._behind(s.value, seen) for s in made.sources[first:]))

    def _root(self, made: Instruction) -> Descriptor | None:
        if made.result not in self._known:
            self._known[made.result] = self._named(made)
        return self._known[made.result]

    def _named(self, made: Instruction) -> Descriptor | None:
        """The buffer that is named by one instruction itself."""
        if made.op == "load_smem_amd":
            return self._of_smem(made)
        if made.op == "resource_intel":
            found = re.search(r"desc_set=(\d+), binding=(\d+)", made.indices)
            return Descriptor(int(found[1]), int(found[2])) if found else None
        if made.op == "bindless_resource_ir3":
            found = re.search(r"desc_set=(\d+)", made.indices)
            at = self.constant(made.sources[0])
            if found is None or at is None:
                return None
            return self._placed(int(found[1]), at, 2 if self._architecture in _IN_TWO_PLACES else 1)
        if made.op == "load_const" and self._vendor == "mali" and made.constants[0] >> 24:
            return self._placed((made.constants[0] >> 24) - 1, made.constants[0] & 0xFFFFFF)
        if made.op in ("ldc_nv", "load_global"):
            return self._loaded(made)
        return None

    def _of_smem(self, made: Instruction) -> Descriptor | None:
        address, byte = self._made.get(made.sources[0].value), self.constant(made.sources[1])
        if address is None or address.op != "pack_64_2x32_split" or byte is None:
            return None
        argument = self._made.get(address.sources[0].value)
        declared = sorted({each.descriptor.set for each in self._resources})
        if argument is None or argument.op != SCALAR:
            return None
        if len(declared) != len(self._sets):
            raise UnreadableNir(
                "buffers of several sets, not all of which are read, are not replayed"
            )
        return self._placed(
            declared[sorted(self._sets).index(number_of(argument))], byte // _PLACE_BYTES["amd"]
        )

    def _loaded(self, made: Instruction) -> Descriptor | None:
        """The buffer whose address is loaded from its set: there is one set, where it is read."""
        byte: int | None = None
        if made.op == "ldc_nv" and self._vendor == "nvidia" and self.constant(made.sources[0]):
            byte = self.constant(made.sources[1])
        elif made.op == "load_global" and self._vendor == "mali":
            byte = self._byte_of_table(made.sources[0])
        sets = {each.descriptor.set for each in self._resources}
        if byte is None:
            return None
        place, rest = divmod(byte, _PLACE_BYTES[self._vendor])
        if len(sets) != 1 or rest:
            raise UnreadableNir("buffers of several sets are not replayed")
        return self._placed(sets.pop(), place)

    def _byte_of_table(self, address: Source) -> int | None:
        """Where in a set's table of descriptors an address lies, where it does.

        `pack_64_2x32_split(table.x + byte, …)`, the table's address being one of the driver's own
        constants, of 8 bytes."""
        packed = self._made.get(address.value)
        if packed is None or packed.op != "pack_64_2x32_split":
            return None
        low, byte = self._made.get(packed.sources[0].value), 0
        if low is not None and low.op == "iadd":
            constants = [self.constant(each) for each in low.sources]
            byte = next((each for each in constants if each is not None), 0)
            start = next(
                (s for s, c in zip(low.sources, constants, strict=True) if c is None), None
            )
            low = self._made.get(start.value) if start is not None else None
        if low is None or low.op != "load_push_constant" or "align_mul=8," not in low.indices:
            return None
        return byte

    def _placed(self, number: int, place: int, of_storage: int = 1) -> Descriptor:
        """The buffer at a place among the descriptors of a set, which lie in order.

        `of_storage`: places that a storage buffer takes.
        """
        found = sorted(
            (each for each in self._resources if each.descriptor.set == number),
            key=lambda each: each.descriptor,
        )
        if any(each.kind not in _BUFFERS or each.count != 1 for each in found):
            raise UnreadableNir("buffers beside textures or arrays of buffers are not replayed")
        places = [
            each.descriptor
            for each in found
            for _ in range(of_storage if each.kind is ResourceKind.STORAGE_BUFFER else 1)
        ]
        if not place < len(places):
            raise UnreadableNir("which buffer is read or written is not certain")
        return places[place]

    def constant(self, source: Source) -> int | None:
        """The number an operand is; None where it is not constant."""
        made = self._made.get(source.value)
        if made is None or made.op != "load_const":
            return None
        return made.constants["xyzw".index(source.swizzle[0]) if source.swizzle else 0]
