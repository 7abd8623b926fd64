"""From what a program declares and what was given: every input with its value, ready to upload."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import product

from shaderlab.scene.geometry import DEFAULT_CAMERA, Camera
from shaderlab.scene.inputs import Inputs, Numbers, Source
from shaderlab.scene.meanings import Meaning, Surroundings, meaning
from shaderlab.scene.textures import BLACK, Texture
from shaderlab.spirv.reflection import Descriptor, Interface, Resource, ResourceKind
from shaderlab.spirv.value_types import Component, Leaf, Numeric, leaves, size

RUN_TIME_ELEMENTS = 64
"""Elements bound for an array of run-time length."""


class InputKind(StrEnum):
    """What an input is to the pipeline; the command line's words."""

    UNIFORM = "uniform"
    """A loose one, as OpenGL has them."""
    BLOCK_MEMBER = "block member"
    TEXTURE = "texture"
    SAMPLER = "sampler"
    IMAGE = "image"
    BUFFER = "buffer"
    PUSH_CONSTANT = "push constant"
    SPECIALIZATION = "specialization"
    VARYING = "varying"
    ATTRIBUTE = "attribute"


@dataclass(frozen=True)
class ShaderInput:
    """One input of a program with its value."""

    name: str
    kind: InputKind
    type: str
    """As GLSL writes it: `vec3`, `float[4]`, `sampler2D`."""
    value: Numbers | Texture | None
    """None for varyings, attributes and samplers."""
    source: Source
    numeric: Numeric | None = None
    """Of one element, for an editor."""
    descriptor: Descriptor | None = None
    location: int | None = None
    meaning: Meaning | None = None
    """What the value follows from, where it is a default that does."""


@dataclass(frozen=True)
class _Slot:
    """A value inside a block, and the input it is."""

    name: str
    leaf: Leaf
    meaning: Meaning | None


class Binding:
    """A program's inputs: named once, given values for each frame."""

    def __init__(self, interface: Interface):
        self._interface = interface
        self._blocks: dict[Descriptor, tuple[Resource, list[_Slot], int]] = {}
        for resource in interface.resources:
            block = resource.block
            if block is None or resource.descriptor in self._blocks:
                continue
            nbytes = size(block, run_time_length=RUN_TIME_ELEMENTS)
            slots = _slots("" if resource.is_anonymous else resource.name, leaves(block))
            self._blocks[resource.descriptor] = (resource, slots, nbytes)
        self._push: list[_Slot] = []
        self._push_bytes = 0
        for constants in interface.push_constants:
            name = "" if constants.is_anonymous else constants.name
            self._push += _slots(name, leaves(constants.block))
            self._push_bytes = max(self._push_bytes, size(constants.block))

    def listed(
        self, inputs: Inputs, size: tuple[int, int], camera: Camera = DEFAULT_CAMERA
    ) -> tuple[ShaderInput, ...]:
        """Every input with its value, in the order of declaration."""
        around = Surroundings(inputs.uniforms, size, camera)
        found: list[ShaderInput] = []
        for resource in self._interface.resources:
            block = self._blocks.get(resource.descriptor)
            if block is not None:
                kind = _kind(resource)
                found += (
                    _shown(slot, kind, inputs, around, resource.descriptor) for slot in block[1]
                )
            else:
                found.append(_texture_input(resource, inputs))
        found += (_shown(slot, InputKind.PUSH_CONSTANT, inputs, around) for slot in self._push)
        for constant in self._interface.spec_constants:
            given = inputs.values.get(constant.name)
            found.append(
                ShaderInput(
                    constant.name,
                    InputKind.SPECIALIZATION,
                    constant.type.glsl,
                    given.value if given else (float(constant.default),),
                    given.source if given else Source.DEFAULT,
                    constant.type,
                )
            )
        for varying in self._interface.varyings:
            if varying.is_read:
                found.append(
                    ShaderInput(
                        varying.name,
                        InputKind.VARYING,
                        varying.type.glsl,
                        None,
                        Source.DEFAULT,
                        varying.type,
                        location=varying.location,
                    )
                )
        return tuple(found)

    def blocks(
        self, inputs: Inputs, size: tuple[int, int], camera: Camera = DEFAULT_CAMERA
    ) -> Mapping[Descriptor, bytes]:
        """Contents of every uniform block and storage buffer."""
        around = Surroundings(inputs.uniforms, size, camera)
        return {
            at: _packed(slots, nbytes, inputs, around)
            for at, (_, slots, nbytes) in self._blocks.items()
        }

    def push_constants(
        self, inputs: Inputs, size: tuple[int, int], camera: Camera = DEFAULT_CAMERA
    ) -> bytes:
        """Contents of the push constants; empty where there are none."""
        around = Surroundings(inputs.uniforms, size, camera)
        return _packed(self._push, self._push_bytes, inputs, around)

    def spec_constants(self, inputs: Inputs) -> Mapping[int, bytes]:
        """By `SpecId`: the value of each specialisation constant that was given."""
        found: dict[int, bytes] = {}
        for constant in self._interface.spec_constants:
            given = inputs.values.get(constant.name)
            if given is not None:
                kind = constant.type
                # A boolean is specialised as VkBool32, of four bytes.
                found[constant.id] = struct.pack(_code(kind), *_fitting(given.value[:1], kind))
        return found

    def textures(self, inputs: Inputs) -> Mapping[Descriptor, Texture]:
        """What every texture, storage image, texel buffer and input attachment shows."""
        return {
            resource.descriptor: _given_texture(resource, inputs)[0]
            for resource in self._interface.resources
            if resource.image is not None or resource.kind is ResourceKind.SAMPLER
        }


def _slots(block: str, found: list[Leaf]) -> list[_Slot]:
    return [
        _Slot(
            f"{block}.{leaf.path}" if block else leaf.path,
            leaf,
            meaning(leaf.path.rsplit(".", 1)[-1], leaf.type, leaf.lengths),
        )
        for leaf in found
    ]


def _kind(resource: Resource) -> InputKind:
    if resource.kind is ResourceKind.STORAGE_BUFFER:
        return InputKind.BUFFER
    is_loose = resource.block is not None and resource.block.name == "gl_DefaultUniformBlock"
    return InputKind.UNIFORM if is_loose else InputKind.BLOCK_MEMBER


def _value(slot: _Slot, inputs: Inputs, around: Surroundings) -> tuple[Numbers, Source]:
    given = inputs.values.get(slot.name)
    if given is not None:
        return given.value, given.source
    if slot.meaning is not None:
        return slot.meaning.value(around), inputs.clock.source
    return (0.0,) * _count(slot.leaf), Source.DEFAULT


def _count(leaf: Leaf) -> int:
    count = leaf.type.count
    for length in leaf.lengths:
        count *= length or RUN_TIME_ELEMENTS
    return count


def _shown(
    slot: _Slot,
    kind: InputKind,
    inputs: Inputs,
    around: Surroundings,
    descriptor: Descriptor | None = None,
) -> ShaderInput:
    value, source = _value(slot, inputs, around)
    suffix = "".join(f"[{length or ''}]" for length in slot.leaf.lengths)
    is_given = slot.name in inputs.values
    return ShaderInput(
        slot.name, kind, slot.leaf.type.glsl + suffix, value, source, slot.leaf.type, descriptor,
        meaning=None if is_given else slot.meaning,
    )  # fmt: skip


def _texture_input(resource: Resource, inputs: Inputs) -> ShaderInput:
    texture, source = _given_texture(resource, inputs)
    image = resource.image
    kinds = {
        ResourceKind.SAMPLED_TEXTURE: ("sampler", InputKind.TEXTURE),
        ResourceKind.TEXTURE: ("texture", InputKind.TEXTURE),
        ResourceKind.STORAGE_IMAGE: ("image", InputKind.IMAGE),
        ResourceKind.UNIFORM_TEXEL_BUFFER: ("sampler", InputKind.BUFFER),
        ResourceKind.STORAGE_TEXEL_BUFFER: ("image", InputKind.BUFFER),
        ResourceKind.INPUT_ATTACHMENT: ("subpassInput", InputKind.TEXTURE),
    }
    word, kind = kinds.get(resource.kind, ("sampler", InputKind.SAMPLER))
    type_name = f"{image.prefix}{word}{image.glsl}" if image else word
    if resource.kind is ResourceKind.INPUT_ATTACHMENT and image is not None:
        type_name = f"{image.prefix}{word}{'MS' if image.multisampled else ''}"
    return ShaderInput(
        resource.name, kind, type_name, texture if image else None, source,
        descriptor=resource.descriptor,
    )  # fmt: skip


def _given_texture(resource: Resource, inputs: Inputs) -> tuple[Texture, Source]:
    given = inputs.textures.get(resource.name)
    return (given.value, given.source) if given else (BLACK, Source.DEFAULT)


def _packed(slots: list[_Slot], nbytes: int, inputs: Inputs, around: Surroundings) -> bytes:
    data = bytearray(nbytes)
    for slot in slots:
        value, _ = _value(slot, inputs, around)
        if any(value):
            _write(data, slot.leaf, value)
    return bytes(data)


def _write(data: bytearray, leaf: Leaf, value: Numbers) -> None:
    kind = leaf.type
    lengths = [length or RUN_TIME_ELEMENTS for length in leaf.lengths]
    step = kind.bits // 8
    code = _code(kind)
    numbers = iter(_fitting(value, kind))
    for indices in product(*map(range, lengths)):
        base = leaf.offset + sum(n * s for n, s in zip(indices, leaf.strides, strict=True))
        for column in range(kind.columns):
            for row in range(kind.rows):
                number = next(numbers, None)
                if number is None:
                    return
                major, minor = (row, column) if leaf.row_major else (column, row)
                at = base + major * leaf.matrix_stride + minor * step
                if at + step <= len(data):
                    struct.pack_into(code, data, at, number)


def _code(kind: Numeric) -> str:
    if kind.component is Component.FLOAT:
        return {16: "<e", 32: "<f", 64: "<d"}.get(kind.bits, "<f")
    letter = {8: "b", 16: "h", 32: "i", 64: "q"}.get(kind.bits, "i")
    return "<" + (letter if kind.component is Component.INT else letter.upper())


def _fitting(value: Numbers, kind: Numeric) -> list[float] | list[int]:
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
