"""Whether a device, and the draw around it, can run a shader: refused before a driver sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shaderlab.errors import UnsupportedShader
from shaderlab.frontend.program import Program
from shaderlab.spirv.grammar import ENUMS, Op
from shaderlab.spirv.module import Module
from shaderlab.spirv.reflection import (
    Descriptor,
    Interface,
    Output,
    Resource,
    ResourceKind,
    fragment_entry,
)
from shaderlab.spirv.value_types import Component, Dimension, size

if TYPE_CHECKING:
    from shaderlab.gpu.vulkan.device import Device

_CAPABILITY = ENUMS["Capability"]
_NAMES = {number: name for name, number in reversed(_CAPABILITY.items())}

_ALWAYS = {
    _CAPABILITY[name]
    for name in (
        "Matrix", "Shader", "DerivativeControl", "ImageQuery", "Image1D", "Sampled1D",
        "StorageImageExtendedFormats", "InputAttachment",
    )
}  # fmt: skip
_BY_FEATURE = {
    _CAPABILITY["ClipDistance"]: "shaderClipDistance",
    _CAPABILITY["CullDistance"]: "shaderCullDistance",
    _CAPABILITY["DemoteToHelperInvocation"]: "shaderDemoteToHelperInvocation",
    _CAPABILITY["Float16"]: "shaderFloat16",
    _CAPABILITY["Float64"]: "shaderFloat64",
    _CAPABILITY["ImageGatherExtended"]: "shaderImageGatherExtended",
    _CAPABILITY["Int16"]: "shaderInt16",
    _CAPABILITY["Int64"]: "shaderInt64",
    _CAPABILITY["Int8"]: "shaderInt8",
    _CAPABILITY["SampleRateShading"]: "sampleRateShading",
}


def supported_interface(device: Device, program: Program) -> Interface:
    """The program's demands, all of which the device meets.

    Raises UnsupportedShader, InvalidModule.
    """
    _check_runs_on(program.module, device)
    if fragment_entry(program.module, program.entry_point) is None:
        raise UnsupportedShader(f'the module has no fragment entry point "{program.entry_point}"')
    interface = program.interface
    _check_resources(device, interface)
    for output in interface.outputs:
        _check_output(output)
    return interface


def _check_runs_on(module: Module, device: Device) -> None:
    """Refuse a SPIR-V version or a capability the device lacks."""
    if module.version > device.spirv_version:
        ours, newest = (".".join(map(str, v)) for v in (module.version, device.spirv_version))
        raise UnsupportedShader(
            f"the module is SPIR-V {ours}, but {device.info.name} supports {newest} at most"
        )
    for index in module.indices(Op.Capability):
        capability = module.instruction_words(index)[1]
        if capability in _ALWAYS or _BY_FEATURE.get(capability) in device.features:
            continue
        raise _lacking(device, _NAMES.get(capability, str(capability)))
    # OpTerminateInvocation has no separate capability.
    terminates = bool(module.indices(Op.TerminateInvocation))
    if terminates and "shaderTerminateInvocation" not in device.features:
        raise _lacking(device, "OpTerminateInvocation")


def _lacking(device: Device, what: str) -> UnsupportedShader:
    return UnsupportedShader(f"the shader needs {what}, which {device.info.name} does not support")


def _check_resources(device: Device, interface: Interface) -> None:
    for constants in interface.push_constants:
        raise UnsupportedShader(f"{constants.name}: push constants are not supported")
    kinds: dict[Descriptor, ResourceKind] = {}
    for resource in interface.resources:
        _check_resource(device, resource)
        at = resource.descriptor
        if kinds.setdefault(at, resource.kind) != resource.kind:
            raise UnsupportedShader(
                f"set {at.set}, binding {at.binding} is declared with two types"
            )
    for varying in interface.varyings:
        raise UnsupportedShader(
            f"{varying.name}: no vertex shader writes the input at location {varying.location}"
        )


def _check_resource(device: Device, resource: Resource) -> None:
    at, kind = resource.descriptor, resource.kind
    where = f"{resource.name} (set {at.set}, binding {at.binding})"
    if kind is ResourceKind.UNIFORM_BLOCK:
        largest = device.limits.maxUniformBufferRange
        if size(resource.type) > largest:
            raise UnsupportedShader(
                f"{where}: the block has {size(resource.type):,} bytes, but {device.info.name} "
                f"takes {largest:,}"
            )
        return
    image = resource.image
    if kind is not ResourceKind.SAMPLED_TEXTURE or image is None or resource.count != 1:
        raise UnsupportedShader(f"{where}: this kind of resource is not supported")
    is_plain = image.component is Component.FLOAT and not (
        image.depth or image.arrayed or image.multisampled
    )
    if not is_plain or image.dimension not in (Dimension.D2, Dimension.CUBE):
        raise UnsupportedShader(f"{where}: only sampler2D and samplerCube are supported")


def _check_output(output: Output) -> None:
    if output.blend_source:
        raise UnsupportedShader(f"{output.name}: dual-source blending is not supported")
    if output.location == 0 and output.component is not Component.FLOAT:
        raise UnsupportedShader(
            f"{output.name}: the output at location 0 is shown, so it must be float"
        )
