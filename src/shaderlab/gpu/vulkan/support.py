"""Whether a device can run a draw's shaders: refused, all at once, before a driver sees them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from shaderlab.errors import UnsupportedShader
from shaderlab.frontend.program import Program
from shaderlab.frontend.stage import Stage
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.features import ALWAYS, BY_CAPABILITY, NAMES
from shaderlab.gpu.vulkan.formats import stored_format
from shaderlab.gpu.vulkan.set_layouts import (
    COMBINED,
    DESCRIPTOR_TYPES,
    StageInterface,
    element_count,
)
from shaderlab.scene.packing import RUN_TIME_ELEMENTS
from shaderlab.spirv.grammar import ENUMS, ExecutionModel, Op
from shaderlab.spirv.module import Module
from shaderlab.spirv.reflection import Resource, ResourceKind, entry_point
from shaderlab.spirv.value_types import Component, Dimension, size

if TYPE_CHECKING:
    from shaderlab.gpu.vulkan.device import Device

_MOST_BINDINGS = 1 << 16
"""Drivers keep a table up to the largest binding of a set."""

_MODELS = {
    vk.VK_SHADER_STAGE_FRAGMENT_BIT: (ExecutionModel.Fragment, "fragment"),
    vk.VK_SHADER_STAGE_VERTEX_BIT: (ExecutionModel.Vertex, "vertex"),
    vk.VK_SHADER_STAGE_COMPUTE_BIT: (ExecutionModel.GLCompute, "compute"),
}

_BITS = {
    Stage.FRAGMENT: vk.VK_SHADER_STAGE_FRAGMENT_BIT,
    Stage.VERTEX: vk.VK_SHADER_STAGE_VERTEX_BIT,
    Stage.COMPUTE: vk.VK_SHADER_STAGE_COMPUTE_BIT,
}

_PER_STAGE = {
    ResourceKind.UNIFORM_BLOCK: ("maxPerStageDescriptorUniformBuffers", "uniform blocks"),
    ResourceKind.STORAGE_BUFFER: ("maxPerStageDescriptorStorageBuffers", "storage buffers"),
    ResourceKind.SAMPLED_TEXTURE: ("maxPerStageDescriptorSampledImages", "textures"),
    ResourceKind.TEXTURE: ("maxPerStageDescriptorSampledImages", "textures"),
    ResourceKind.UNIFORM_TEXEL_BUFFER: ("maxPerStageDescriptorSampledImages", "textures"),
    ResourceKind.SAMPLER: ("maxPerStageDescriptorSamplers", "samplers"),
    ResourceKind.STORAGE_IMAGE: ("maxPerStageDescriptorStorageImages", "storage images"),
    ResourceKind.STORAGE_TEXEL_BUFFER: ("maxPerStageDescriptorStorageImages", "storage images"),
    ResourceKind.INPUT_ATTACHMENT: (
        "maxPerStageDescriptorInputAttachments",
        "input attachments",
    ),
}


_UNBOUND = {
    ENUMS["Capability"]["PhysicalStorageBufferAddresses"]: (
        "reads buffers by their addresses (buffer_reference, PhysicalStorageBufferAddresses)"
    ),
    ENUMS["Capability"]["RayQueryKHR"]: "traces rays (RayQueryKHR)",
}
"""By capability, whatever the device has: what a shader does."""

_REMEDY = (
    "Its times can still be estimated without running it (predict --static), and it can be "
    "compiled for GPUs that are not here (compiled)."
)


def supported_stages(
    device: Device, program: Program, vertex: Program | None = None
) -> tuple[StageInterface, ...]:
    """The demands of a draw's stages, all of which the device meets; the fragment stage first.

    Of a compute shader, or a vertex stage that runs by itself, that one stage.

    Raises UnsupportedShader, which names all that is missing, and InvalidModule.
    """
    bit = _BITS[program.stage]
    stages = [_stage(program, bit)]
    if vertex is not None:
        stages.append(_stage(vertex, vk.VK_SHADER_STAGE_VERTEX_BIT))
    lacking: list[str] = []
    problems: list[str] = []
    for each in stages:
        lacking += _lacking(each, device)
        problems += _unbound(each.module)
        problems += _problems(each, device)
    problems += _clashes(stages)
    problems += _stage_links(stages) if program.stage is Stage.FRAGMENT else []
    missing = list(dict.fromkeys(lacking))
    if missing:
        needs = missing[0] if len(missing) == 1 else f"{', '.join(missing[:-1])} and {missing[-1]}"
        problems.insert(0, f"the shader needs {needs}, which {device.info.name} does not support")
    if problems:
        raise UnsupportedShader("; ".join(problems)).with_remedy(_REMEDY)
    return tuple(stages)


def _stage(program: Program, stage: int) -> StageInterface:
    model, word = _MODELS[stage]
    entry = entry_point(program.module, program.entry_point, model)
    if entry is None:
        raise UnsupportedShader(f'the module has no {word} entry point "{program.entry_point}"')
    return StageInterface(stage, program)


def _lacking(each: StageInterface, device: Device) -> Iterator[str]:
    """A SPIR-V version, capabilities and features the device lacks."""
    module = each.module
    if module.version > device.spirv_version:
        ours, newest = (".".join(map(str, v)) for v in (module.version, device.spirv_version))
        yield f"SPIR-V {ours} (the newest it takes is {newest})"
    for index in module.indices(Op.Capability):
        capability = module.instruction_words(index)[1]
        if capability in ALWAYS or BY_CAPABILITY.get(capability) in device.features:
            continue
        if capability not in _UNBOUND:
            yield NAMES.get(capability, f"capability {capability}")
    # OpTerminateInvocation has no separate capability.
    terminates = bool(module.indices(Op.TerminateInvocation))
    if terminates and "shaderTerminateInvocation" not in device.features:
        yield "OpTerminateInvocation"
    has_second = any(output.blend_source for output in each.interface.outputs)
    is_fragment = each.stage == vk.VK_SHADER_STAGE_FRAGMENT_BIT
    if is_fragment and has_second and "dualSrcBlend" not in device.features:
        yield "dual-source blending"


def _unbound(module: Module) -> Iterator[str]:
    for index in module.indices(Op.Capability):
        if what := _UNBOUND.get(module.instruction_words(index)[1]):
            yield f"the shader {what}, for which shaderlab has nothing to bind"


def _problems(each: StageInterface, device: Device) -> Iterator[str]:
    interface, limits, name = each.interface, device.limits, device.info.name
    counts: dict[tuple[str, str], int] = {}
    for resource in interface.resources:
        yield from _resource_problems(resource, device)
        if resource.kind in _PER_STAGE:
            limit = _PER_STAGE[resource.kind]
            counts[limit] = counts.get(limit, 0) + element_count(resource)
    for (limit, word), count in counts.items():
        if count > getattr(limits, limit):
            yield f"the shader reads {count} {word}, but {name} takes {getattr(limits, limit)}"
    for constants in interface.push_constants:
        nbytes, most = size(constants.block), limits.maxPushConstantsSize
        if nbytes > most:
            yield f"{constants.name}: {nbytes} bytes of push constants, but {name} takes {most}"
    if each.stage != vk.VK_SHADER_STAGE_FRAGMENT_BIT:
        for varying in interface.varyings:
            if varying.is_read and varying.type.bits != 32:
                yield f"{varying.name}: an attribute of {varying.type.bits} bits is not supported"
        return
    for output in interface.outputs:
        if output.type.bits == 64 or output.component is Component.BOOL:
            yield f"{output.name}: no attachment has the type {output.type.glsl}"


def _resource_problems(resource: Resource, device: Device) -> Iterator[str]:
    at, limits = resource.descriptor, device.limits
    where = f"{resource.name} (set {at.set}, binding {at.binding})"
    if at.set >= limits.maxBoundDescriptorSets or at.binding >= _MOST_BINDINGS:
        yield (
            f"{where}: {device.info.name} has {limits.maxBoundDescriptorSets} sets, "
            f"and bindings below {_MOST_BINDINGS:,} are supported"
        )
    if resource.kind not in DESCRIPTOR_TYPES:
        yield f"{where}: resources of this kind are not supported"
    if resource.block is not None and resource.kind in DESCRIPTOR_TYPES:
        nbytes = size(resource.block, run_time_length=RUN_TIME_ELEMENTS)
        is_uniform = resource.kind is ResourceKind.UNIFORM_BLOCK
        most = limits.maxUniformBufferRange if is_uniform else limits.maxStorageBufferRange
        if nbytes > most:
            yield f"{where}: the block has {nbytes:,} bytes, but {device.info.name} takes {most:,}"
    image = resource.image
    if image is None:
        return
    if image.dimension is Dimension.RECT or image.bits not in (16, 32):
        yield f"{where}: Vulkan has no textures of this type"
    stores = (ResourceKind.STORAGE_IMAGE, ResourceKind.STORAGE_TEXEL_BUFFER)
    if resource.kind in stores and stored_format(image) is None:
        yield f"{where}: the format {image.format} is not supported"


def _clashes(stages: list[StageInterface]) -> Iterator[str]:
    kinds: dict[tuple[int, int], ResourceKind] = {}
    for each in stages:
        for resource in each.interface.resources:
            at = resource.descriptor
            kind = ResourceKind.SAMPLED_TEXTURE if resource.kind in COMBINED else resource.kind
            if kinds.setdefault(at, kind) != kind:
                yield f"set {at.set}, binding {at.binding} is declared with two types"


def _stage_links(stages: list[StageInterface]) -> Iterator[str]:
    """Inputs of the fragment stage that a vertex stage of the user's does not write."""
    fragment, *before = stages
    if not before:
        for name in ("ClipDistance", "CullDistance"):
            if _reads_builtin(fragment.module, name, fragment.interface.builtins):
                yield f"gl_{name} is read, but no vertex stage of yours writes it"
        return
    written = {output.location for output in before[0].interface.outputs}
    for varying in fragment.interface.varyings:
        if varying.is_read and varying.location not in written:
            yield (
                f"{varying.name}: the vertex stage does not write the input at location "
                f"{varying.location}"
            )


def _reads_builtin(module: Module, name: str, declared: frozenset[str]) -> bool:
    """Whether the module declares it, and the capability to read it."""
    return name in declared and any(
        NAMES.get(module.instruction_words(index)[1]) == name
        for index in module.indices(Op.Capability)
    )
