"""Whether a device, and the draw around it, can run a shader: refused before a driver sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shaderlab.errors import UnsupportedShader
from shaderlab.frontend.program import Program
from shaderlab.scene.inputs import Inputs
from shaderlab.scene.uniforms import BLOCK_BYTES
from shaderlab.spirv.grammar import ENUMS, Op
from shaderlab.spirv.module import Module
from shaderlab.spirv.reflection import (
    Component,
    Descriptor,
    Interface,
    Output,
    Resource,
    ResourceKind,
    fragment_entry,
    reflect,
)

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
_TEXTURES = (ResourceKind.TEXTURE_2D, ResourceKind.TEXTURE_CUBE)


def supported_interface(device: Device, program: Program, inputs: Inputs) -> Interface:
    """The program's demands, all of which the device and the inputs meet.

    Raises UnsupportedShader, InvalidModule.
    """
    _check_runs_on(program.module, device)
    entry = fragment_entry(program.module, program.entry_point)
    if entry is None:
        raise UnsupportedShader(f'the module has no fragment entry point "{program.entry_point}"')
    interface = reflect(program.module, entry)
    _check_resources(interface, inputs)
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


def _check_resources(interface: Interface, inputs: Inputs) -> None:
    for name in interface.push_constants:
        raise UnsupportedShader(f"{name}: push constants are not supported")
    kinds: dict[Descriptor, ResourceKind] = {}
    for resource in interface.resources:
        _check_resource(resource, inputs)
        at = resource.descriptor
        if kinds.setdefault(at, resource.kind) != resource.kind:
            raise UnsupportedShader(
                f"set {at.set}, binding {at.binding} is declared with two types"
            )
    for varying in interface.varyings:
        place = f" at location {varying.location}" if varying.location is not None else ""
        raise UnsupportedShader(f"{varying.name}: no vertex shader writes the input{place}")


def _check_resource(resource: Resource, inputs: Inputs) -> None:
    at, kind = resource.descriptor, resource.kind
    where = f"{resource.name} (set {at.set}, binding {at.binding})"
    if at in inputs.blocks:
        if kind is not ResourceKind.UNIFORM_BLOCK:
            raise UnsupportedShader(f"{where}: only the uniform block can be there")
        if resource.last_offset >= BLOCK_BYTES:
            raise UnsupportedShader(
                f"{where}: a member lies at byte {resource.last_offset}, "
                f"but the uniform block has {BLOCK_BYTES} bytes"
            )
    elif at in inputs.textures and kind is ResourceKind.OTHER_TEXTURE:
        raise UnsupportedShader(f"{where}: only sampler2D and samplerCube can be there")
    elif at not in inputs.textures or kind not in _TEXTURES:
        raise UnsupportedShader(
            f"{where}: shaderlab offers set 0 only, the uniform block at binding 0 "
            "and iChannel0 to iChannel3 at bindings 1 to 4"
        )


def _check_output(output: Output) -> None:
    if output.blend_source:
        raise UnsupportedShader(f"{output.name}: dual-source blending is not supported")
    if output.component is Component.OTHER:
        raise UnsupportedShader(f"{output.name}: no attachment has this type")
    if output.location == 0 and output.component is not Component.FLOAT:
        raise UnsupportedShader(
            f"{output.name}: the output at location 0 is shown, so it must be float"
        )
