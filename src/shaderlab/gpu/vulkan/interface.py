"""What a fragment shader module asks of the pipeline around it, read from its SPIR-V.

Set 0 is shaderlab's (design of the uniform block): binding 0 the uniform block, bindings 1 to 4
`iChannel0` to `iChannel3`.  A module that asks for anything else is refused here, with a reason,
before a driver sees it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from shaderlab.errors import UnsupportedShader
from shaderlab.scene.uniforms import BLOCK_BYTES
from shaderlab.spirv.grammar import ENUMS, Decoration, ExecutionModel, Op, StorageClass
from shaderlab.spirv.module import Module

if TYPE_CHECKING:
    from shaderlab.gpu.vulkan.device import Device

CHANNELS = range(1, 5)
"""Bindings of iChannel0..3."""

_CAPABILITY = ENUMS["Capability"]
_NAMES = {number: name for name, number in reversed(_CAPABILITY.items())}
_DIM_2D, _DIM_CUBE = ENUMS["Dim"]["2D"], ENUMS["Dim"]["Cube"]

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


class Resource(Enum):
    """What a binding of set 0 holds."""

    UNIFORM_BLOCK = "uniform block"
    TEXTURE_2D = "sampler2D"
    TEXTURE_CUBE = "samplerCube"


class Component(Enum):
    """Component type of a colour output."""

    FLOAT = "float"
    INT = "int"
    UINT = "uint"


class Output(NamedTuple):
    location: int
    component: Component


@dataclass(frozen=True)
class Interface:
    """A module's demands, all of which shaderlab meets."""

    bindings: dict[int, Resource]
    """Resources of set 0 by binding."""
    outputs: tuple[Output, ...]
    """Colour outputs by ascending location; may lack location 0, or be empty."""


def check_runs_on(module: Module, device: Device) -> None:
    """Raise UnsupportedShader if the device lacks the module's SPIR-V version or a capability."""
    if module.version > device.spirv_version:
        ours, newest = (".".join(map(str, v)) for v in (module.version, device.spirv_version))
        raise UnsupportedShader(
            f"the module is SPIR-V {ours}, but {device.info.name} takes {newest} at most"
        )
    for index in module.indices(Op.Capability):
        capability = module.instruction_words(index)[1]
        if capability in _ALWAYS or _BY_FEATURE.get(capability) in device.features:
            continue
        raise _lacking(device, _NAMES.get(capability, str(capability)))
    # OpTerminateInvocation has no capability of its own.
    terminates = bool(module.indices(Op.TerminateInvocation))
    if terminates and "shaderTerminateInvocation" not in device.features:
        raise _lacking(device, "OpTerminateInvocation")


def _lacking(device: Device, what: str) -> UnsupportedShader:
    return UnsupportedShader(f"the shader needs {what}, which {device.info.name} does not offer")


def interface(module: Module, entry_point: str) -> Interface:
    """Read the demands of a fragment entry point.  Raises UnsupportedShader, InvalidModule."""
    entries = [
        e
        for e in module.entry_points
        if e.name == entry_point and e.execution_model == ExecutionModel.Fragment
    ]
    if not entries:
        raise UnsupportedShader(f'the module has no fragment entry point "{entry_point}"')
    decorations = _decorations(module)
    bindings: dict[int, Resource] = {}
    outputs: list[Output] = []
    for index in module.indices(Op.Variable):
        _, type_id, variable, storage, *_ = module.instruction_words(index)
        own = decorations.get(variable, {})
        pointee = module.definition(type_id).operands[1]
        if storage == StorageClass.PushConstant:
            raise UnsupportedShader(
                f"{_called(module, variable)}: push constants are not supported"
            )
        if storage in (
            StorageClass.UniformConstant,
            StorageClass.Uniform,
            StorageClass.StorageBuffer,
        ):
            binding, resource = _resource(module, variable, storage, pointee, decorations)
            if bindings.setdefault(binding, resource) != resource:
                raise UnsupportedShader(f"set 0, binding {binding} is declared as two things")
        elif variable in entries[0].interface and storage == StorageClass.Input:
            if Decoration.BuiltIn not in own:
                place = (
                    f" at location {own[Decoration.Location]}" if Decoration.Location in own else ""
                )
                raise UnsupportedShader(
                    f"{_called(module, variable)}: no vertex shader hands on the input{place}"
                )
        elif variable in entries[0].interface and storage == StorageClass.Output:
            outputs += _outputs(module, variable, pointee, own)
    by_location = {output.location: output for output in outputs}
    return Interface(
        dict(sorted(bindings.items())), tuple(by_location[n] for n in sorted(by_location))
    )


def _called(module: Module, variable: int) -> str:
    return module.names.get(variable) or f"%{variable}"


def _decorations(module: Module) -> dict[int, dict[int, int]]:
    """First literal (0 for none) of each decoration by target id."""
    found: dict[int, dict[int, int]] = {}
    for index in module.indices(Op.Decorate):
        _, target, decoration, *literals = module.instruction_words(index)
        found.setdefault(target, {})[decoration] = literals[0] if literals else 0
    return found


def _resource(
    module: Module, variable: int, storage: int, pointee: int, decorations: dict
) -> tuple[int, Resource]:
    own = decorations.get(variable, {})
    place = (own.get(Decoration.DescriptorSet, 0), own.get(Decoration.Binding, 0))
    where = f"{_called(module, variable)} (set {place[0]}, binding {place[1]})"
    kind = module.definition(pointee)
    if place == (0, 0):
        is_block = Decoration.BufferBlock not in decorations.get(pointee, {})
        if storage == StorageClass.Uniform and kind.opcode == Op.TypeStruct and is_block:
            _check_block(module, pointee, where)
            return 0, Resource.UNIFORM_BLOCK
        raise UnsupportedShader(f"{where}: only the uniform block can be there")
    if place[0] == 0 and place[1] in CHANNELS and kind.opcode == Op.TypeSampledImage:
        image = module.definition(kind.operands[0]).operands
        sampled_type, dimension, depth, arrayed, multisampled = image[:5]
        is_float = module.definition(sampled_type).opcode == Op.TypeFloat
        if is_float and depth != 1 and not arrayed and not multisampled:
            if dimension == _DIM_2D:
                return place[1], Resource.TEXTURE_2D
            if dimension == _DIM_CUBE:
                return place[1], Resource.TEXTURE_CUBE
        raise UnsupportedShader(f"{where}: only sampler2D and samplerCube can be there")
    raise UnsupportedShader(
        f"{where}: shaderlab offers set 0 only, the uniform block at binding 0 "
        "and iChannel0 to iChannel3 at bindings 1 to 4"
    )


def _check_block(module: Module, block: int, where: str) -> None:
    """Refuse a block that reaches beyond the uniform block's bytes."""
    for index in module.indices(Op.MemberDecorate):
        _, target, _, decoration, *literals = module.instruction_words(index)
        if target == block and decoration == Decoration.Offset and literals[0] >= BLOCK_BYTES:
            raise UnsupportedShader(
                f"{where}: a member lies at byte {literals[0]}, "
                f"but the uniform block has {BLOCK_BYTES} bytes"
            )


def _outputs(module: Module, variable: int, pointee: int, own: dict[int, int]) -> list[Output]:
    if Decoration.Location not in own:
        return []  # gl_FragDepth and the like: no attachment takes it
    if own.get(Decoration.Index):
        raise UnsupportedShader(f"{_called(module, variable)}: dual-source blending is not offered")
    kind, count = module.definition(pointee), 1
    if kind.opcode == Op.TypeArray:
        count = module.definition(kind.operands[1]).operands[0]
        kind = module.definition(kind.operands[0])
    if kind.opcode == Op.TypeVector:
        kind = module.definition(kind.operands[0])
    if kind.opcode == Op.TypeFloat and kind.operands[0] <= 32:
        component = Component.FLOAT
    elif kind.opcode == Op.TypeInt and kind.operands[0] <= 32:
        component = Component.INT if kind.operands[1] else Component.UINT
    else:
        raise UnsupportedShader(f"{_called(module, variable)}: no attachment has this type")
    first = own[Decoration.Location]
    if first == 0 and component is not Component.FLOAT:
        raise UnsupportedShader(
            f"{_called(module, variable)}: the output at location 0 is shown, so it must be float"
        )
    return [Output(first + n, component) for n in range(count)]
