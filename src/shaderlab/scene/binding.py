"""From what a program declares and what was given: every input with its value, ready to upload."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from shaderlab.frontend.program import Program
from shaderlab.frontend.stage import Stage
from shaderlab.scene.blocks import Block, Slot, bound_bytes, checked_size
from shaderlab.scene.bound import BoundBuffer, BoundImage
from shaderlab.scene.geometry import DEFAULT_CAMERA, Camera
from shaderlab.scene.input_names import UniqueNames, in_block
from shaderlab.scene.inputs import Inputs, Numbers, Source
from shaderlab.scene.launch_meanings import (
    WRITTEN_IMAGE,
    factor_meaning,
    filled_meaning,
    launch_meaning,
    used_meaning,
)
from shaderlab.scene.meanings import Surroundings, meaning, transposed
from shaderlab.scene.packing import Packer, code, element_lengths, fitting
from shaderlab.scene.shader_input import InputKind, ShaderInput
from shaderlab.scene.texts_values import texts_values
from shaderlab.scene.texture_meanings import TextureMeaning, texture_meaning
from shaderlab.scene.textures import BLACK, Filter, Texture
from shaderlab.spirv.analysis.kernel_uses import KernelUses
from shaderlab.spirv.analysis.origins import INDEX
from shaderlab.spirv.reflection import (
    Descriptor,
    Interface,
    PushConstants,
    Resource,
    ResourceKind,
    SpecConstant,
)
from shaderlab.spirv.value_types import Leaf, leaves


class Binding:
    """A program's inputs: named once, given values for each frame."""

    def __init__(
        self,
        interface: Interface,
        given: Mapping[str, Numbers] | None = None,
        *,
        uses: KernelUses | None = None,
        filter: Filter = Filter.LINEAR,
        filters: Mapping[str, Filter] | None = None,
    ):
        """`given`: values that the program's own text gives, by name or the last part of it.

        `uses`: of a compute shader, whose whole numbers follow from its launch.  `filter`: of
        textures and samplers that nobody chose; `filters`: the text's own, by name.
        """
        self._filter, self._filters = filter, filters or {}
        self._interface = interface
        self._uses = uses
        self._names = UniqueNames()
        self._blocks: dict[Descriptor, tuple[Resource, Block]] = {}
        self._resource_names: dict[int, str] = {}
        for resource in interface.resources:
            block = resource.block
            if block is None:
                where = f"set {resource.descriptor.set}, binding {resource.descriptor.binding}"
                self._resource_names[resource.variable] = self._names.of(resource.name, where)
            elif resource.descriptor not in self._blocks:
                nbytes = checked_size(resource.name, block)
                found = leaves(block)
                slots = self._slots(
                    in_block(resource, found),
                    "" if resource.is_anonymous else f"{resource.name}.",
                    found,
                    nbytes,
                    resource.descriptor,
                )
                self._blocks[resource.descriptor] = resource, Block(slots, nbytes)
        self._push = Block(*self._push_slots(interface.push_constants))
        self._spec_names = {
            constant.id: self._names.of(constant.name, f"constant {constant.id}")
            for constant in interface.spec_constants
        }
        self._given = self._by_full_name(given or {})

    @classmethod
    def of(cls, program: Program) -> Binding:
        """Of a program, with the values its own text gives."""
        dialect = (program.binds_as or program).dialect
        return cls(
            program.interface,
            texts_values(program),
            uses=program.kernel_uses if program.stage is Stage.COMPUTE else None,
            filter=Filter.MIPMAP if dialect.samples_levels else Filter.LINEAR,
            filters={n: Filter(each.filter) for n, each in program.given.items() if each.filter},
        )

    def _slots(
        self,
        names: Sequence[str],
        prefix: str,
        found: Sequence[Leaf],
        nbytes: int,
        at: Descriptor | None,
    ) -> list[Slot]:
        where = f"set {at.set}, binding {at.binding}" if at else "push constants"
        slots = []
        for name, leaf in zip(names, found, strict=True):
            means = meaning(name, leaf.type, element_lengths(leaf))
            if means is not None and self._interface.transposed and leaf.type.columns > 1:
                means = transposed(means, leaf.type)
            if self._uses is not None and not leaf.lengths:
                use = self._uses.of(at, INDEX.sub("", leaf.path))
                means = used_meaning(leaf.type, use) or means
                means = means or launch_meaning(name, leaf.type, use) or factor_meaning(leaf.type)
            unique = self._names.of(name, where)
            slots.append(Slot(unique, prefix + leaf.path, leaf, means, Packer(leaf, nbytes)))
        return slots

    def _push_slots(self, blocks: Sequence[PushConstants]) -> tuple[list[Slot], int]:
        nbytes = max((checked_size(each.name, each.block) for each in blocks), default=0)
        slots: list[Slot] = []
        for each in blocks:
            prefix = "" if each.is_anonymous else f"{each.name}."
            found = leaves(each.block)
            names = [prefix + leaf.path for leaf in found]
            slots += self._slots(names, prefix, found, nbytes, None)
        return slots, nbytes

    def _by_full_name(self, given: Mapping[str, Numbers]) -> dict[str, Numbers]:
        if not given:
            return {}
        counts = {slot.name: slot.count for slot in self._all_slots()}
        counts |= {name: 1 for name in self._spec_names.values()}
        found = {}
        for name, count in counts.items():
            value = given.get(name) or given.get(name.rsplit(".", 1)[-1])
            if value is not None and len(value) == count:
                found[name] = tuple(value)
        return found

    def _all_slots(self) -> list[Slot]:
        return [s for _, block in self._blocks.values() for s in block.slots] + [*self._push.slots]

    def listed(
        self, inputs: Inputs, size: tuple[int, int], camera: Camera = DEFAULT_CAMERA
    ) -> tuple[ShaderInput, ...]:
        """Every input with its value, in the order of declaration."""
        around = _surroundings(inputs, size, camera)
        found: list[ShaderInput] = []
        for resource in self._interface.resources:
            if resource.block is None:
                found.append(self._texture_input(resource, inputs))
                continue
            first, block = self._blocks[resource.descriptor]
            if first is resource:
                shown = partial(self._shown, kind=_kind(resource), at=resource.descriptor)
                found += (shown(slot, inputs, around) for slot in block.slots)
        found += (
            self._shown(slot, inputs, around, InputKind.PUSH_CONSTANT, None)
            for slot in self._push.slots
        )
        found += (self._constant_input(each, inputs) for each in self._interface.spec_constants)
        found += (
            ShaderInput(
                varying.name,
                InputKind.VARYING,
                varying.type.glsl,
                None,
                Source.DEFAULT,
                varying.type,
                location=varying.location,
            )
            for varying in self._interface.varyings
            if varying.is_read
        )
        return tuple(found)

    def blocks(
        self, inputs: Inputs, size: tuple[int, int], camera: Camera = DEFAULT_CAMERA
    ) -> Mapping[Descriptor, bytes]:
        """Contents of every uniform block and storage buffer; all elements of an array have them
        alike."""
        around = _surroundings(inputs, size, camera)
        return {
            at: block.packed(inputs, self._given, around, bound_bytes(inputs, at))
            for at, (_, block) in self._blocks.items()
        }

    def write_given(self, at: Descriptor, data: np.ndarray, inputs: Inputs) -> None:
        """Put what was chosen for arrays of a block into its bytes, (nbytes,) uint8."""
        for slot in self._blocks[at][1].slots:
            chosen = inputs.values.get(slot.name)
            value = chosen.value if chosen is not None else self._given.get(slot.name)
            if value is not None and slot.leaf.lengths:
                slot.packer.write(data.data, value)

    def push_constants(
        self, inputs: Inputs, size: tuple[int, int], camera: Camera = DEFAULT_CAMERA
    ) -> bytes:
        """Contents of the push constants; empty where there are none."""
        around = _surroundings(inputs, size, camera)
        bound = inputs.bound.push_constants if inputs.bound else None
        return self._push.packed(inputs, self._given, around, bound or None)

    def spec_constants(self, inputs: Inputs) -> Mapping[int, bytes]:
        """By `SpecId`: the value of each specialisation constant that was given."""
        bound = dict(inputs.bound.constants) if inputs.bound else {}
        found: dict[int, bytes] = {}
        for constant in self._interface.spec_constants:
            if constant.id in bound:
                nbytes = struct.calcsize(f"<{code(constant.type)}")
                found[constant.id] = bound[constant.id].ljust(8, b"\0")[:nbytes]
            name = self._spec_names[constant.id]
            chosen = inputs.values.get(name)
            value = chosen.value if chosen is not None else self._given.get(name)
            if value is not None:
                kind = constant.type
                # A boolean is specialised as VkBool32, of four bytes.
                found[constant.id] = struct.pack(f"<{code(kind)}", *fitting(value[:1], kind))
        return found

    def textures(self, inputs: Inputs) -> Mapping[Descriptor, Texture]:
        """What every texture, storage image, texel buffer and input attachment shows; of an array
        its first element."""
        return {at: shown[0] for at, shown in self.texture_elements(inputs).items()}

    def texture_elements(self, inputs: Inputs) -> Mapping[Descriptor, tuple[Texture, ...]]:
        """The same by element: one texture, or as many as the array of descriptors has.

        An element that was given nothing (`name[2]`) shows what the array was given (`name`).
        """
        found = {}
        # A texture and a sampler may share a descriptor: the texture decides.
        for resource in sorted(self._interface.resources, key=lambda each: each.image is not None):
            if resource.image is None and resource.kind is not ResourceKind.SAMPLER:
                continue
            texture, _, _ = self._texture(resource, inputs)
            own = self._chosen(resource, inputs)
            numbers = range(resource.count or 1)
            found[resource.descriptor] = tuple(own.get(n, texture) for n in numbers)
        return found

    def bound_images(
        self, inputs: Inputs
    ) -> Mapping[Descriptor, tuple[BoundBuffer | BoundImage, ...]]:
        """What another program had bound where no texture was chosen instead; blocks apart."""
        if inputs.bound is None:
            return {}
        return {
            resource.descriptor: inputs.bound.resources[resource.descriptor]
            for resource in self._interface.resources
            if resource.descriptor in inputs.bound.resources
            and self._resource_names.get(resource.variable, "") not in inputs.textures
            and (resource.block is None or resource.count != 1)
        }

    def _shown(
        self,
        slot: Slot,
        inputs: Inputs,
        around: Surroundings,
        kind: InputKind,
        at: Descriptor | None,
    ) -> ShaderInput:
        value, source = slot.value(inputs, self._given, around)
        bound = bound_bytes(inputs, at) if at else inputs.bound and inputs.bound.push_constants
        if bound and slot.name not in inputs.values:
            value, source = slot.packer.read(bound), Source.PROJECT
        lengths = slot.leaf.lengths
        suffix = "".join(f"[{length or ''}]" for length in lengths)
        is_given = slot.chosen(inputs) is not None or slot.name in self._given
        means = None if is_given else slot.meaning
        is_filled = kind is InputKind.BUFFER and (lengths or INDEX.search(slot.leaf.path))
        if self._uses is not None and is_filled and not (is_given or bound):
            use = self._uses.of(at, INDEX.sub("", slot.leaf.path))
            means = filled_meaning(use, slot.leaf.type)
        return ShaderInput(
            slot.name, kind, slot.leaf.type.glsl + suffix, value, source, slot.leaf.type, at,
            meaning=means, lengths=lengths, declared=slot.declared,
        )  # fmt: skip

    def _constant_input(self, constant: SpecConstant, inputs: Inputs) -> ShaderInput:
        name = self._spec_names[constant.id]
        value, source = (float(constant.default),), Source.DEFAULT
        if name in self._given:
            value, source = self._given[name], Source.TEXT
        chosen = inputs.values.get(name)
        if chosen is not None:
            value, source = chosen.value, chosen.source
        return ShaderInput(
            name, InputKind.SPECIALIZATION, constant.type.glsl, value, source, constant.type,
            declared=constant.name,
        )  # fmt: skip

    def _texture_input(self, resource: Resource, inputs: Inputs) -> ShaderInput:
        texture, source, means = self._texture(resource, inputs)
        image = resource.image
        word, kind = _WORDS.get(resource.kind, ("sampler", InputKind.SAMPLER))
        type_name = f"{image.prefix}{word}{image.glsl}" if image else word
        if resource.kind is ResourceKind.INPUT_ATTACHMENT and image is not None:
            type_name = f"{image.prefix}{word}{'MS' if image.multisampled else ''}"
        lengths = () if resource.count == 1 else (resource.count or 0,)
        is_bound = resource.descriptor in self.bound_images(inputs)
        return ShaderInput(
            self._resource_names[resource.variable], kind,
            type_name + "".join(f"[{length or ''}]" for length in lengths),
            texture if image and not is_bound else None, source, descriptor=resource.descriptor,
            meaning=means if image else None, lengths=lengths, declared=resource.name,
            chosen=frozenset(self._chosen(resource, inputs)),
            sampling=texture if kind is InputKind.SAMPLER else None,
        )  # fmt: skip

    def _chosen(self, resource: Resource, inputs: Inputs) -> dict[int, Texture]:
        """By number: the elements of an array that were given a texture of their own."""
        if resource.count == 1:
            return {}
        name = self._resource_names[resource.variable]
        own = ((n, inputs.textures.get(f"{name}[{n}]")) for n in range(resource.count or 1))
        return {n: given.value for n, given in own if given is not None}

    def _texture(
        self, resource: Resource, inputs: Inputs
    ) -> tuple[Texture, Source, TextureMeaning | None]:
        chosen = inputs.textures.get(self._resource_names[resource.variable])
        if chosen is not None:
            return chosen.value, chosen.source, None
        if inputs.bound is not None and resource.descriptor in inputs.bound.resources:
            return BLACK, Source.PROJECT, None
        means = texture_meaning(resource.name, resource.image, resource.kind)
        if means is None and self._uses is not None and resource.kind is ResourceKind.STORAGE_IMAGE:
            means = WRITTEN_IMAGE
        texture = means.texture if means else BLACK
        if resource.kind in _SAMPLED:
            texture = replace(texture, filter=self._filters.get(resource.name, self._filter))
        return texture, Source.DEFAULT, means


def _surroundings(inputs: Inputs, size: tuple[int, int], camera: Camera) -> Surroundings:
    return Surroundings(inputs.uniforms, size, camera, inputs.channel_sizes(size))


_SAMPLED = (ResourceKind.SAMPLED_TEXTURE, ResourceKind.TEXTURE, ResourceKind.SAMPLER)
_WORDS = {
    ResourceKind.SAMPLED_TEXTURE: ("sampler", InputKind.TEXTURE),
    ResourceKind.TEXTURE: ("texture", InputKind.TEXTURE),
    ResourceKind.STORAGE_IMAGE: ("image", InputKind.IMAGE),
    ResourceKind.UNIFORM_TEXEL_BUFFER: ("sampler", InputKind.BUFFER),
    ResourceKind.STORAGE_TEXEL_BUFFER: ("image", InputKind.BUFFER),
    ResourceKind.INPUT_ATTACHMENT: ("subpassInput", InputKind.TEXTURE),
}
"""The first part of the type's name in GLSL, and what the input is."""


def _kind(resource: Resource) -> InputKind:
    if resource.kind is ResourceKind.STORAGE_BUFFER:
        return InputKind.BUFFER
    is_loose = resource.block is not None and resource.block.name == "gl_DefaultUniformBlock"
    return InputKind.UNIFORM if is_loose else InputKind.BLOCK_MEMBER
