"""Which texture a read of an optimised program reads, and the read in GLSL.

RADV's programs load a texture's descriptor from an address:

    vec1 64 con ssa_3 = pack_64_2x32_split ssa_1, ssa_2     where set 0 lies
    vec8 32 con ssa_12 = intrinsic load_smem_amd (ssa_3, ssa_11) ()    its 32 bytes from ssa_11 on
    vec4 32 div ssa_16 = (float32)tex ssa_12 (texture_handle), ssa_14 (sampler_handle), ssa_15 (…

Mesa 25 itself chooses the face of a cube map (`cube_amd`); what it chose it for is read instead.

A set holds its bindings in order, each as many bytes as its kind takes (radv_descriptor_set.c). How
many differs between Mesas, so a program is read with the one layout that has a descriptor of the
right kind wherever it loads one, and is refused if two have and disagree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from shaderlab.gpu.radv.arguments import SCALAR, number_of
from shaderlab.gpu.radv.nir import Instruction, Source, UnreadableNir
from shaderlab.gpu.radv.operations import FLOAT, INT, UINT
from shaderlab.spirv.reflection import Descriptor, Resource, ResourceKind
from shaderlab.spirv.value_types import Dimension, Image

_LOAD, _PACK, _CONSTANT = "load_smem_amd", "pack_64_2x32_split", "load_const"
_CALLS = {
    "tex": "texture({s}, {coord})",
    "txb": "texture({s}, {coord}, {bias})",
    "txl": "textureLod({s}, {coord}, {lod})",
    "txd": "textureGrad({s}, {coord}, {ddx}, {ddy})",
    "txf": "texelFetch({s}, {coord}, {lod})",
    "tg4": "textureGather({s}, {coord}, {component})",
}
_HANDLES = ("texture_handle", "sampler_handle")
_DIMENSIONS = {Dimension.D1: 1, Dimension.D2: 2, Dimension.D3: 3, Dimension.CUBE: 3}
"""Components of a coordinate."""
_LETTERS = {"float32": FLOAT, "int32": INT, "uint32": UINT}
"""By the type that a read gives."""
_PREFIXES = {FLOAT: "", INT: "i", UINT: "u"}

Operand = Callable[[Source, int, str], str]
"""A component of a source as an expression of a type."""


class _Place(NamedTuple):
    """Where a descriptor is loaded from."""

    set: int
    byte: int


@dataclass(frozen=True)
class _Layout:
    """Bytes that descriptors take in a set."""

    image: int
    combined: int
    sampler: int
    """Where the sampler of a combined one lies."""

    def bytes_of(self, kind: ResourceKind) -> tuple[int, int]:
        """Size and alignment.  Raises UnreadableNir."""
        if kind is ResourceKind.SAMPLED_TEXTURE:
            return self.combined, 32
        if kind in (
            ResourceKind.TEXTURE, ResourceKind.STORAGE_IMAGE, ResourceKind.INPUT_ATTACHMENT
        ):  # fmt: skip
            return self.image, 32
        if kind is ResourceKind.OTHER:
            raise UnreadableNir("textures beside an acceleration structure are not replayed")
        return 16, 16


_LAYOUTS = (_Layout(64, 96, 80), _Layout(64, 96, 64), _Layout(32, 64, 48), _Layout(32, 64, 32))
"""With room for the masks of multisampled images, and without, as later Mesas need none from RDNA 3
on; a combined one's sampler lies at its end, or behind the image."""


@dataclass(frozen=True)
class _Descriptor:
    """What lies at a place in a set: a texture, a sampler, or half of both in one."""

    resource: Resource
    element: int

    @property
    def name(self) -> str:
        at = self.resource.descriptor
        name = f"bound_{at.set}_{at.binding}"
        return name if self.resource.count == 1 else f"{name}[{self.element}]"

    @property
    def declaration(self) -> str:
        at, image = self.resource.descriptor, self.resource.image
        kind = "sampler"
        if image is not None:
            combined = self.resource.kind is ResourceKind.SAMPLED_TEXTURE
            kind = f"{image.prefix}{'sampler' if combined else 'texture'}{image.glsl}"
        length = "" if self.resource.count == 1 else f"[{self.resource.count}]"
        return (
            f"layout(set = {at.set}, binding = {at.binding}) uniform {kind} "
            f"bound_{at.set}_{at.binding}{length};"
        )


@dataclass(frozen=True)
class Read:
    """One read, of which texture and through which sampler is known."""

    instruction: Instruction
    texture: _Descriptor
    sampler: _Descriptor | None
    direction: Source | None = None
    """Into a cube map, where the coordinates are a face's."""

    @property
    def letter(self) -> str:
        """The type of what it gives."""
        return _LETTERS[self.instruction.indices]

    @property
    def declarations(self) -> Iterator[str]:
        yield self.texture.declaration
        if self.sampler is not None:
            yield self.sampler.declaration

    def statement(self, name: str, operand: Operand) -> str:
        """The four components into a vector `name`."""
        made = self.instruction
        image = self.texture.resource.image
        assert image is not None
        fetches = made.op == "txf"
        width = _DIMENSIONS[image.dimension]
        kinds = {role: INT if fetches else FLOAT for role in made.roles}
        sources = dict(zip(made.roles, made.sources, strict=True))
        if self.direction is not None:
            sources["coord"] = self.direction
        values = {
            role: _vector(source, 1 if role in ("lod", "bias") else width, kinds[role], operand)
            for role, source in sources.items()
            if role not in _HANDLES
        }
        call = _CALLS[made.op].format(
            s=self._sampled(image), component=made.constants[0] if made.constants else 0, **values
        )
        return f"{_PREFIXES[self.letter]}vec4 {name} = {call};"

    def _sampled(self, image: Image) -> str:
        if self.texture.resource.kind is ResourceKind.SAMPLED_TEXTURE:
            return self.texture.name
        if self.sampler is None:  # a fetch
            return self.texture.name
        return f"{image.prefix}sampler{image.glsl}({self.texture.name}, {self.sampler.name})"


def _vector(source: Source, width: int, letter: str, operand: Operand) -> str:
    parts = [operand(source, c, letter) for c in range(width)]
    if width == 1:
        return parts[0]
    return f"{'i' if letter == INT else ''}vec{width}({', '.join(parts)})"


def reads(instructions: Iterable[Instruction], resources: Sequence[Resource]) -> dict[int, Read]:
    """The reads of a program by the SSA value each gives; `resources`: what the program declares.

    Raises UnreadableNir where what one reads is not certain, or a read is not replayed.
    """
    every = list(instructions)
    made = {each.result: each for each in every if each.result >= 0}
    wanted = [each for each in every if each.roles]
    if not wanted:
        return {}
    for each in wanted:
        _check(each)
    sets = _sets(every, resources)
    places = {
        (each.result, role): _place(source, made, sets)
        for each in wanted
        for role, source in zip(each.roles, each.sources, strict=True)
        if role in _HANDLES
    }
    found: list[dict[int, Read]] = []
    for layout in _LAYOUTS:
        at = _contents(resources, layout)
        of_layout = {each.result: _read(each, places, at) for each in wanted}
        whole = {result: read for result, read in of_layout.items() if read is not None}
        if len(whole) == len(wanted) and whole not in found:
            found.append(whole)
    if len(found) != 1:
        raise UnreadableNir("which texture is read is not certain")
    return {
        result: replace(each, direction=_direction(each, made)) for result, each in found[0].items()
    }


def _direction(read: Read, made: Mapping[int, Instruction]) -> Source | None:
    """What a face of a cube map was chosen for, the third coordinate being its number."""
    image = read.texture.resource.image
    if image is None or image.dimension is not Dimension.CUBE:
        return None
    coordinates = made[read.instruction.sources[read.instruction.roles.index("coord")].value]
    if coordinates.op != "vec3" or coordinates.sources[2].value not in made:
        return None
    face = made[coordinates.sources[2].value]
    if face.op != "cube_amd" or coordinates.sources[2].swizzle != "w":
        return None
    if "ddx" in read.instruction.roles:
        raise UnreadableNir("cube maps read with given derivatives are not replayed")
    return face.sources[0]


def _check(read: Instruction) -> None:
    known = {*_HANDLES, "coord", "lod", "bias", "ddx", "ddy"}
    others = [role for role in read.roles if role not in known]
    if read.op not in _CALLS or others or read.indices not in _LETTERS:
        detail = f"{read.op} {' '.join(others)} {read.indices}".replace("  ", " ")
        raise UnreadableNir(f"texture reads by {detail} are not replayed")


def _sets(instructions: Iterable[Instruction], resources: Sequence[Resource]) -> dict[int, int]:
    """By the SSA value that holds a set's address: the number of the set.

    The sets that a program reads are arguments in their order, from 1 on (`arguments`).
    """
    loads = [each for each in instructions if each.op == SCALAR]
    declared = sorted({each.descriptor.set for each in resources})
    highest = max((number_of(each) for each in loads), default=0)
    if len(declared) != 1 and highest != len(declared):
        raise UnreadableNir("textures of several sets, not all of which are read, are not replayed")
    return {
        each.result: declared[number_of(each) - 1]
        for each in loads
        if 0 < number_of(each) <= len(declared)
    }


def _place(handle: Source, made: Mapping[int, Instruction], sets: Mapping[int, int]) -> _Place:
    """Where a texture's or a sampler's descriptor is loaded from."""
    load = made[handle.value]
    if load.op in ("vec4", "vec8"):  # with changed bits in front
        load = made[load.sources[-1].value]
    if load.op != _LOAD or handle.swizzle:
        raise UnreadableNir(f"a texture's descriptor from {load.op} is not replayed")
    address, offset = (made[each.value] for each in load.sources[:2])
    if address.op != _PACK or offset.op != _CONSTANT or address.sources[0].value not in sets:
        raise UnreadableNir("a texture chosen while the program runs is not replayed")
    return _Place(sets[address.sources[0].value], offset.constants[0])


def _contents(
    resources: Sequence[Resource], layout: _Layout
) -> dict[tuple[_Place, str], _Descriptor]:
    """By place and role of the handle."""
    found: dict[tuple[_Place, str], _Descriptor] = {}
    end: dict[int, int] = {}
    taken: set[Descriptor] = set()
    for resource in sorted(resources, key=lambda each: each.descriptor):
        at = resource.descriptor
        if at in taken or resource.count is None:
            raise UnreadableNir(f"set {at.set}, binding {at.binding} is declared in several ways")
        taken.add(at)
        size, alignment = layout.bytes_of(resource.kind)
        start = -(-end.get(at.set, 0) // alignment) * alignment
        end[at.set] = start + size * resource.count
        for element in range(resource.count):
            byte, descriptor = start + element * size, _Descriptor(resource, element)
            if resource.kind in (ResourceKind.SAMPLED_TEXTURE, ResourceKind.TEXTURE):
                found[_Place(at.set, byte), "texture_handle"] = descriptor
            if resource.kind is ResourceKind.SAMPLED_TEXTURE:
                byte += layout.sampler
            if resource.kind in (ResourceKind.SAMPLED_TEXTURE, ResourceKind.SAMPLER):
                found[_Place(at.set, byte), "sampler_handle"] = descriptor
    return found


def _read(
    read: Instruction,
    places: Mapping[tuple[int, str], _Place],
    at: Mapping[tuple[_Place, str], _Descriptor],
) -> Read | None:
    """None where the layout has no such descriptor.  Raises UnreadableNir."""
    found = {
        role: at.get((places[read.result, role], role)) for role in read.roles if role in _HANDLES
    }
    texture, sampler = found.get("texture_handle"), found.get("sampler_handle")
    if texture is None or ("sampler_handle" in found and sampler is None):
        return None
    combined = texture.resource.kind is ResourceKind.SAMPLED_TEXTURE
    if combined and sampler is not None:
        if sampler != texture:
            return None  # a combined one's texture through another's sampler
        sampler = None
    image = texture.resource.image
    if (
        image is None or image.dimension not in _DIMENSIONS or image.arrayed
        or image.multisampled or image.depth
    ):  # fmt: skip
        raise UnreadableNir("reads of layers, of samples and by comparison are not replayed")
    if not combined and sampler is None and read.op != "txf":
        return None
    return Read(read, texture, sampler)
