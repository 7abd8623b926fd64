"""What a shader asks of the pipeline around it, read from its module.

SPIR-V specification, sections 3.20 (decorations) and 3.7 (storage classes); Vulkan specification,
"Shader Interfaces".
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from shaderlab.errors import InvalidModule
from shaderlab.spirv.grammar import ENUMS, Decoration, ExecutionModel, Op, StorageClass
from shaderlab.spirv.module import EntryPoint, Module
from shaderlab.spirv.type_reading import Types, is_stored_matrix
from shaderlab.spirv.value_types import (
    Array,
    Component,
    Dimension,
    Image,
    Numeric,
    SampledImage,
    Sampler,
    Struct,
    ValueType,
)
from shaderlab.spirv.varyings import Output, Varying, slots
from shaderlab.spirv.workgroup import Workgroup, workgroup

_DESCRIBED = (StorageClass.UniformConstant, StorageClass.Uniform, StorageClass.StorageBuffer)
"""Storage classes of variables that are bound to descriptors."""

_TRANSPOSING = (ENUMS["SourceLanguage"]["HLSL"], ENUMS["SourceLanguage"].get("Slang", 11))


_BUILTINS = {number: name for name, number in reversed(ENUMS["BuiltIn"].items())}


class Descriptor(NamedTuple):
    """A place a shader reads a resource from."""

    set: int
    binding: int


class ResourceKind(StrEnum):
    """What a shader expects at a descriptor: Vulkan's descriptor types."""

    UNIFORM_BLOCK = "uniform block"
    STORAGE_BUFFER = "storage buffer"
    SAMPLED_TEXTURE = "texture with sampler"
    """`sampler2D` and the like: a combined image sampler."""
    TEXTURE = "texture"
    SAMPLER = "sampler"
    STORAGE_IMAGE = "storage image"
    UNIFORM_TEXEL_BUFFER = "texel buffer"
    STORAGE_TEXEL_BUFFER = "storage texel buffer"
    INPUT_ATTACHMENT = "input attachment"
    OTHER = "another resource"
    """Such as an acceleration structure."""


@dataclass(frozen=True)
class Resource:
    """A variable that is bound to a descriptor."""

    name: str
    """In the source: of the instance, else of the block, else `%id`."""
    descriptor: Descriptor
    kind: ResourceKind
    type: ValueType
    """Of one element, where it is an array of descriptors."""
    count: int | None = 1
    """Elements of the array of descriptors; None for an array without a length."""
    variable: int = 0
    """Its id in the module."""
    attachment: int = 0
    """Of an input attachment: its index."""
    is_anonymous: bool = False
    """A block without an instance name: its members are named by themselves in the source."""

    @property
    def block(self) -> Struct | None:
        """The type of a block's contents."""
        return self.type if isinstance(self.type, Struct) else None

    @property
    def image(self) -> Image | None:
        """The image of a texture, storage image, texel buffer or input attachment."""
        kind = self.type.image if isinstance(self.type, SampledImage) else self.type
        return kind if isinstance(kind, Image) else None


class PushConstants(NamedTuple):
    """The block of push constants."""

    name: str
    block: Struct
    variable: int
    is_anonymous: bool = False


class SpecConstant(NamedTuple):
    """A specialisation constant."""

    name: str
    id: int
    """Its `SpecId`."""
    type: Numeric
    default: float | int | bool


@dataclass(frozen=True)
class Interface:
    """A shader's demands."""

    resources: tuple[Resource, ...]
    push_constants: tuple[PushConstants, ...]
    spec_constants: tuple[SpecConstant, ...]
    varyings: tuple[Varying, ...]
    """Inputs with locations, by ascending location; of a vertex shader its attributes."""
    outputs: tuple[Output, ...]
    """By ascending location; may lack location 0, or be empty."""
    builtins: frozenset[str]
    """Built-in inputs and outputs, by the grammar's names: `FragCoord`, `FragDepth`."""
    transposed: bool = False
    """Whether the matrices are the transposes of the source's, as compilers of HLSL and Slang
    make them: the product with a vector is written the other way round there."""
    workgroup: Workgroup | None = None
    """Of a compute shader."""


def entry_point(module: Module, name: str, model: int) -> EntryPoint | None:
    """The entry point of that name and `grammar.ExecutionModel`."""
    for entry in module.entry_points:
        if entry.name == name and entry.execution_model == model:
            return entry
    return None


def reflect(module: Module, entry: EntryPoint) -> Interface:
    """Read the demands of an entry point.  Raises InvalidModule."""
    types, decorations = Types(module), _decorations(module)
    used = _named_operands(module)
    resources: list[Resource] = []
    push_constants: list[PushConstants] = []
    varyings: list[Varying] = []
    outputs: dict[tuple[int, int], Output] = {}
    builtins: set[str] = set()
    for index in module.indices(Op.Variable):
        _, type_id, variable, storage, *_ = module.instruction_words(index)
        own = decorations.get(variable, {})
        pointee = pointee_of(module, type_id)
        if storage == StorageClass.PushConstant:
            block = types.read(pointee)
            if isinstance(block, Struct) and variable in used:
                push_constants.append(
                    PushConstants(
                        _name(module, variable, pointee),
                        block,
                        variable,
                        not module.names.get(variable),
                    )
                )
        elif storage in _DESCRIBED:
            if variable in used:
                resources.append(_resource(module, types, decorations, index))
        elif variable not in entry.interface:
            continue
        elif storage in (StorageClass.Input, StorageClass.Output):
            builtins |= _builtins(module, pointee, own)
            name = _name(module, variable, pointee)
            taken = slots(module, types, name, pointee, own)
            if storage == StorageClass.Input:
                is_read = variable in used
                varyings += (slot._replace(is_read=is_read) for slot in taken)
            else:
                # gl_FragDepth and the like have no location: no attachment takes them.
                for slot in taken:
                    output = Output(
                        slot.name, slot.location, slot.type, own.get(Decoration.Index, 0)
                    )
                    outputs[output.location, output.blend_source] = output
    is_compute = entry.execution_model == ExecutionModel.GLCompute
    group = workgroup(module, entry) if is_compute else None
    return Interface(
        tuple(_without_unnamed(module, resources)),
        tuple(push_constants),
        _spec_constants(module, types, decorations, group),
        tuple(sorted(varyings, key=lambda v: (v.location, v.component))),
        tuple(output for _, output in sorted(outputs.items())),
        frozenset(builtins),
        _is_transposed(module),
        group,
    )


def _is_transposed(module: Module) -> bool:
    named = (module.instruction_words(i)[1] for i in module.indices(Op.Source))
    return any(each in _TRANSPOSING for each in named) or any(
        is_stored_matrix(each) for each in module.names.values()
    )


def pointee_of(module: Module, type_id: int) -> int:
    """Id of the type that a pointer type leads to.  Raises InvalidModule for other types."""
    definition = module.definition(type_id)
    if definition.opcode != Op.TypePointer:
        raise InvalidModule(f"%{type_id} is the type of a variable but no pointer")
    return definition.operands[1]


def _named_operands(module: Module) -> frozenset[int]:
    """Ids of variables that some instruction in a function names.

    Functions that nothing calls count too: a driver may want their resources bound as well.
    """
    variables = {module.instruction_words(i)[2] for i in module.indices(Op.Variable)}
    found: set[int] = set()
    functions = module.indices(Op.Function)
    if not functions:
        return frozenset()
    start = int(module.starts[functions[0]])
    words = module.words[start:]
    # Words that are no ids (opcodes, literals) only make this larger than it need be.
    found = variables & set(words.tolist())
    return frozenset(found)


def _without_unnamed(module: Module, resources: list[Resource]) -> list[Resource]:
    """Where two share a place, without textures and samplers that no function names: glslang gives
    them the first place, and `_named_operands` may take a literal for one."""
    if len({each.descriptor for each in resources}) == len(resources):
        return resources
    chains = Op.AccessChain, Op.InBoundsAccessChain, Op.ImageTexelPointer, Op.CopyObject, Op.Load
    named = {module.instruction_words(index)[3] for index in module.indices(*chains)}
    for index in module.indices(Op.FunctionCall):
        named |= {*module.instruction_words(index)[4:]}
    return [each for each in resources if each.block is not None or each.variable in named]


def _decorations(module: Module) -> dict[int, dict[int, int]]:
    """First literal (0 for none) of each decoration by target id."""
    found: dict[int, dict[int, int]] = {}
    for index in module.indices(Op.Decorate):
        _, target, decoration, *literals = module.instruction_words(index)
        found.setdefault(target, {})[decoration] = literals[0] if literals else 0
    return found


def _name(module: Module, variable: int, pointee: int) -> str:
    return module.names.get(variable) or module.names.get(pointee) or f"%{variable}"


def _resource(
    module: Module, types: Types, decorations: Mapping[int, Mapping[int, int]], index: int
) -> Resource:
    _, type_id, variable, storage, *_ = module.instruction_words(index)
    own = decorations.get(variable, {})
    pointee = pointee_of(module, type_id)
    kind, count, element = types.read(pointee), 1, pointee
    while isinstance(kind, Array):
        count = None if count is None or not kind.length else count * kind.length
        kind, element = kind.element, module.definition(element).operands[0]
    return Resource(
        _name(module, variable, element),
        Descriptor(own.get(Decoration.DescriptorSet, 0), own.get(Decoration.Binding, 0)),
        _kind(kind, storage, decorations.get(element, {})),
        kind,
        count,
        variable,
        own.get(Decoration.InputAttachmentIndex, 0),
        not module.names.get(variable),
    )


def _kind(kind: ValueType, storage: int, of_type: Mapping[int, int]) -> ResourceKind:
    if isinstance(kind, Struct):
        is_storage = storage == StorageClass.StorageBuffer or Decoration.BufferBlock in of_type
        return ResourceKind.STORAGE_BUFFER if is_storage else ResourceKind.UNIFORM_BLOCK
    if isinstance(kind, Sampler):
        return ResourceKind.SAMPLER
    if isinstance(kind, SampledImage):
        if kind.image.dimension is Dimension.BUFFER:
            return ResourceKind.UNIFORM_TEXEL_BUFFER
        return ResourceKind.SAMPLED_TEXTURE
    if not isinstance(kind, Image):
        return ResourceKind.OTHER
    if kind.dimension is Dimension.SUBPASS:
        return ResourceKind.INPUT_ATTACHMENT
    if kind.dimension is Dimension.BUFFER:
        uniform, stored = ResourceKind.UNIFORM_TEXEL_BUFFER, ResourceKind.STORAGE_TEXEL_BUFFER
        return uniform if kind.sampled else stored
    return ResourceKind.TEXTURE if kind.sampled else ResourceKind.STORAGE_IMAGE


def _spec_constants(
    module: Module,
    types: Types,
    decorations: Mapping[int, Mapping[int, int]],
    group: Workgroup | None,
) -> tuple[SpecConstant, ...]:
    found: list[SpecConstant] = []
    sides = dict(zip(group.constants, "xyz", strict=True)) if group else {}
    for index in module.indices(Op.SpecConstant, Op.SpecConstantTrue, Op.SpecConstantFalse):
        words = module.instruction_words(index)
        type_id, constant = words[1], words[2]
        number = decorations.get(constant, {}).get(Decoration.SpecId)
        kind = types.read(type_id)
        if number is None or not isinstance(kind, Numeric):
            continue
        side = f"gl_WorkGroupSize.{sides[number]}" if number in sides else ""
        name = module.names.get(constant) or side or f"constant {number}"
        default = _literal(kind, words[3:]) if len(words) > 3 else _is_true(module, index)
        found.append(SpecConstant(name, number, kind, default))
    return tuple(found)


def _is_true(module: Module, index: int) -> bool:
    return int(module.opcodes[index]) == Op.SpecConstantTrue


def _literal(kind: Numeric, words: tuple[int, ...]) -> float | int:
    raw = struct.pack(f"<{len(words)}I", *words)
    if kind.component is Component.FLOAT:
        code = {16: "<e", 32: "<f", 64: "<d"}.get(kind.bits, "<f")
    else:
        letter = {8: "b", 16: "h", 32: "i", 64: "q"}[kind.bits]
        code = "<" + (letter if kind.component is Component.INT else letter.upper())
    return struct.unpack_from(code, raw)[0]


def _builtins(module: Module, pointee: int, own: Mapping[int, int]) -> set[str]:
    found = set()
    if Decoration.BuiltIn in own:
        found.add(_BUILTINS.get(own[Decoration.BuiltIn], str(own[Decoration.BuiltIn])))
    for index in module.indices(Op.MemberDecorate):
        _, struct_id, _, decoration, *literals = module.instruction_words(index)
        if struct_id == pointee and decoration == Decoration.BuiltIn:
            found.add(_BUILTINS.get(literals[0], str(literals[0])))
    return found
