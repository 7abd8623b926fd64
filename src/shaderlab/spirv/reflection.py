"""What a fragment shader asks of the pipeline around it, read from its module.

SPIR-V specification, sections 3.20 (decorations) and 3.7 (storage classes); Vulkan specification,
"Shader Interfaces".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from shaderlab.spirv.grammar import ENUMS, Decoration, ExecutionModel, Op, StorageClass
from shaderlab.spirv.module import EntryPoint, Module

_DIM_2D, _DIM_CUBE = ENUMS["Dim"]["2D"], ENUMS["Dim"]["Cube"]
_DESCRIBED = (StorageClass.UniformConstant, StorageClass.Uniform, StorageClass.StorageBuffer)
"""Storage classes of variables that are bound to descriptors."""


class Descriptor(NamedTuple):
    """A place a shader reads a resource from."""

    set: int
    binding: int


class ResourceKind(Enum):
    """What a shader expects at a descriptor."""

    UNIFORM_BLOCK = "uniform block"
    TEXTURE_2D = "sampler2D"
    TEXTURE_CUBE = "samplerCube"
    OTHER_TEXTURE = "another combined image sampler"
    OTHER = "another resource"


class Resource(NamedTuple):
    """A variable that is bound to a descriptor."""

    name: str
    """In the source, else `%id`."""
    descriptor: Descriptor
    kind: ResourceKind
    last_offset: int = 0
    """Of a block: the byte its last member begins at."""


class Varying(NamedTuple):
    """An input that an earlier stage must write."""

    name: str
    location: int | None
    """None where only members have locations."""


class Component(Enum):
    """Component type of a colour output."""

    FLOAT = "float"
    INT = "int"
    UINT = "uint"
    OTHER = "other"
    """Such as 64-bit ones."""


class Output(NamedTuple):
    """A colour output."""

    name: str
    location: int
    component: Component
    blend_source: int = 0
    """1 for the second source of blending."""


@dataclass(frozen=True)
class Interface:
    """A fragment shader's demands."""

    resources: tuple[Resource, ...]
    push_constants: tuple[str, ...]
    """Names of the variables that hold them."""
    varyings: tuple[Varying, ...]
    outputs: tuple[Output, ...]
    """By ascending location; may lack location 0, or be empty."""


def fragment_entry(module: Module, name: str) -> EntryPoint | None:
    """The fragment entry point of that name."""
    for entry in module.entry_points:
        if entry.name == name and entry.execution_model == ExecutionModel.Fragment:
            return entry
    return None


def reflect(module: Module, entry: EntryPoint) -> Interface:
    """Read the demands of an entry point.  Raises InvalidModule."""
    decorations, last_offsets = _decorations(module), _last_offsets(module)
    resources: list[Resource] = []
    push_constants: list[str] = []
    varyings: list[Varying] = []
    outputs: dict[tuple[int, int], Output] = {}
    for index in module.indices(Op.Variable):
        _, type_id, variable, storage, *_ = module.instruction_words(index)
        own = decorations.get(variable, {})
        name = module.names.get(variable) or f"%{variable}"
        pointee = module.definition(type_id).operands[1]
        if storage == StorageClass.PushConstant:
            push_constants.append(name)
        elif storage in _DESCRIBED:
            at = Descriptor(own.get(Decoration.DescriptorSet, 0), own.get(Decoration.Binding, 0))
            kind = _kind(module, storage, pointee, decorations)
            resources.append(Resource(name, at, kind, last_offsets.get(pointee, 0)))
        elif variable not in entry.interface:
            continue
        elif storage == StorageClass.Input and Decoration.BuiltIn not in own:
            varyings.append(Varying(name, own.get(Decoration.Location)))
        elif storage == StorageClass.Output:
            # gl_FragDepth and the like have no location: no attachment takes them.
            for output in _outputs(module, name, pointee, own):
                outputs[output.location, output.blend_source] = output
    return Interface(
        tuple(resources),
        tuple(push_constants),
        tuple(varyings),
        tuple(output for _, output in sorted(outputs.items())),
    )


def _decorations(module: Module) -> dict[int, dict[int, int]]:
    """First literal (0 for none) of each decoration by target id."""
    found: dict[int, dict[int, int]] = {}
    for index in module.indices(Op.Decorate):
        _, target, decoration, *literals = module.instruction_words(index)
        found.setdefault(target, {})[decoration] = literals[0] if literals else 0
    return found


def _kind(
    module: Module, storage: int, pointee: int, decorations: Mapping[int, Mapping[int, int]]
) -> ResourceKind:
    kind = module.definition(pointee)
    if storage == StorageClass.Uniform and kind.opcode == Op.TypeStruct:
        is_storage = Decoration.BufferBlock in decorations.get(pointee, {})
        return ResourceKind.OTHER if is_storage else ResourceKind.UNIFORM_BLOCK
    if kind.opcode != Op.TypeSampledImage:
        return ResourceKind.OTHER
    sampled_type, dimension, depth, arrayed, multisampled = module.definition(
        kind.operands[0]
    ).operands[:5]
    is_float = module.definition(sampled_type).opcode == Op.TypeFloat
    if is_float and depth != 1 and not arrayed and not multisampled:
        if dimension == _DIM_2D:
            return ResourceKind.TEXTURE_2D
        if dimension == _DIM_CUBE:
            return ResourceKind.TEXTURE_CUBE
    return ResourceKind.OTHER_TEXTURE


def _last_offsets(module: Module) -> dict[int, int]:
    """By struct type: the byte its last member begins at."""
    found: dict[int, int] = {}
    for index in module.indices(Op.MemberDecorate):
        _, struct, _, decoration, *literals = module.instruction_words(index)
        if decoration == Decoration.Offset:
            found[struct] = max(found.get(struct, 0), literals[0])
    return found


def _outputs(module: Module, name: str, pointee: int, own: Mapping[int, int]) -> Iterator[Output]:
    if Decoration.Location not in own:
        return
    kind, count = module.definition(pointee), 1
    if kind.opcode == Op.TypeArray:
        count = module.definition(kind.operands[1]).operands[0]
        kind = module.definition(kind.operands[0])
    if kind.opcode == Op.TypeVector:
        kind = module.definition(kind.operands[0])
    component = Component.OTHER
    if kind.opcode == Op.TypeFloat and kind.operands[0] <= 32:
        component = Component.FLOAT
    elif kind.opcode == Op.TypeInt and kind.operands[0] <= 32:
        component = Component.INT if kind.operands[1] else Component.UINT
    for n in range(count):
        yield Output(name, own[Decoration.Location] + n, component, own.get(Decoration.Index, 0))
