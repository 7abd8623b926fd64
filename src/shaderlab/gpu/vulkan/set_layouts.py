"""What the stages of a draw declare as descriptor sets, push constants and a pipeline layout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from shaderlab.frontend.program import Program
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.device import Device
from shaderlab.scene.binding import Binding
from shaderlab.scene.inputs import Inputs
from shaderlab.spirv.module import Module
from shaderlab.spirv.reflection import Descriptor, Interface, Resource, ResourceKind

RUN_TIME_DESCRIPTORS = 16
"""Bound for an array of descriptors without a length."""

DESCRIPTOR_TYPES = {
    ResourceKind.UNIFORM_BLOCK: vk.VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
    ResourceKind.STORAGE_BUFFER: vk.VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
    ResourceKind.SAMPLED_TEXTURE: vk.VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
    ResourceKind.TEXTURE: vk.VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
    ResourceKind.SAMPLER: vk.VK_DESCRIPTOR_TYPE_SAMPLER,
    ResourceKind.STORAGE_IMAGE: vk.VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
    ResourceKind.UNIFORM_TEXEL_BUFFER: vk.VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
    ResourceKind.STORAGE_TEXEL_BUFFER: vk.VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
    ResourceKind.INPUT_ATTACHMENT: vk.VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT,
}
COMBINED = (ResourceKind.TEXTURE, ResourceKind.SAMPLER, ResourceKind.SAMPLED_TEXTURE)
"""Kinds that may share a descriptor."""


@dataclass(frozen=True)
class StageInterface:
    """A shader stage's demands."""

    stage: int
    """VkShaderStageFlagBits."""
    program: Program

    @property
    def interface(self) -> Interface:
        return self.program.interface

    @property
    def module(self) -> Module:
        return self.program.module


@dataclass(frozen=True)
class Slot:
    """A descriptor of one or more stages."""

    resource: Resource
    count: int
    stages: int


Sets = dict[int, dict[int, tuple[int, int, int]]]
"""VkDescriptorType, number of descriptors and stages, by set and binding."""


def pipeline_layout(device: Device, stages: Sequence[StageInterface], stack: ExitStack) -> Any:
    """VkPipelineLayout for supported stages, without anything bound."""
    layouts = set_layouts(device, sets_of(slots_of(stages)), stack)
    bindings = [Binding.of(each.program) for each in stages]
    return joined(device, layouts, push_bytes(bindings), push_stages(stages), stack)


def element_count(resource: Resource) -> int:
    """Descriptors bound for it."""
    return RUN_TIME_DESCRIPTORS if resource.count is None else resource.count


def slots_of(stages: Sequence[StageInterface]) -> dict[Descriptor, Slot]:
    found: dict[Descriptor, Slot] = {}
    for each in stages:
        for resource in each.interface.resources:
            at = resource.descriptor
            count, flags = element_count(resource), each.stage
            known = found.get(at)
            if known is None:
                found[at] = Slot(resource, count, flags)
            else:
                joined = _joined_resource(known.resource, resource)
                found[at] = Slot(joined, max(known.count, count), known.stages | flags)
    return found


def with_place_left(slots: Mapping[Descriptor, Slot], device: Device) -> dict[Descriptor, Slot]:
    """The slots, so that on lavapipe no uniform block has the fourth place.

    It copies uniforms that branches depend on into the shader, and for the fourth block overruns
    its stack ("stack smashing detected"; Mesa 22.3.6, of no earlier or later block).  Places count
    elements of uniform blocks in a stage, by set and binding: one more of the block before, which
    nothing reads, moves the fourth on.
    """
    found = dict(slots)
    if not device.info.slug.startswith("llvmpipe"):
        return found
    most = device.limits.maxPerStageDescriptorUniformBuffers
    for stage in _STAGES:
        blocks = [
            at
            for at, slot in sorted(found.items())
            if slot.stages & stage and slot.resource.kind is ResourceKind.UNIFORM_BLOCK
        ]
        room = most - sum(found[at].count for at in blocks)
        place = 0
        for before, at in pairwise(blocks):
            place += found[before].count
            lacks = _UNSAFE_PLACE + 1 - place
            if 0 < lacks <= min(found[at].count, room):
                found[before] = replace(found[before], count=found[before].count + lacks)
                break
    return found


_UNSAFE_PLACE = 3
_STAGES = (
    vk.VK_SHADER_STAGE_VERTEX_BIT, vk.VK_SHADER_STAGE_FRAGMENT_BIT, vk.VK_SHADER_STAGE_COMPUTE_BIT
)  # fmt: skip


def _joined_resource(one: Resource, other: Resource) -> Resource:
    """What both can be bound to: a texture and a sampler share a combined image sampler."""
    if one.kind is other.kind:
        return one
    textured = one if one.image is not None else other
    return replace(textured, kind=ResourceKind.SAMPLED_TEXTURE)


def sets_of(slots: Mapping[Descriptor, Slot]) -> Sets:
    sets: Sets = {0: {}}
    for at, slot in slots.items():
        kind = DESCRIPTOR_TYPES[slot.resource.kind]
        sets.setdefault(at.set, {})[at.binding] = (kind, slot.count, slot.stages)
    return sets


def set_layouts(device: Device, sets: Sets, stack: ExitStack) -> list[Any]:
    return [_set_layout(device, sets.get(n, {}), stack) for n in range(max(sets) + 1)]


def _set_layout(device: Device, types: Mapping[int, tuple[int, int, int]], stack: ExitStack) -> Any:
    bindings = [
        vk.VkDescriptorSetLayoutBinding(
            binding=binding, descriptorType=kind, descriptorCount=count, stageFlags=stages
        )
        for binding, (kind, count, stages) in sorted(types.items())
    ]
    info = vk.VkDescriptorSetLayoutCreateInfo(pBindings=bindings)
    return device.create("DescriptorSetLayout", info, stack)


def joined(
    device: Device, layouts: list[Any], push_bytes: int, push_stages: int, stack: ExitStack
) -> Any:
    ranges = [vk.VkPushConstantRange(stageFlags=push_stages, size=push_bytes)] if push_bytes else []
    info = vk.VkPipelineLayoutCreateInfo(pSetLayouts=layouts, pPushConstantRanges=ranges)
    return device.create("PipelineLayout", info, stack)


def push_bytes(bindings: Sequence[Binding]) -> int:
    sizes = [each.push_constants(Inputs(), (1, 1)) for each in bindings]
    return max((-(-len(each) // 4) * 4 for each in sizes), default=0)


def push_stages(stages: Sequence[StageInterface]) -> int:
    flags = 0
    for each in stages:
        if each.interface.push_constants:
            flags |= each.stage
    return flags
