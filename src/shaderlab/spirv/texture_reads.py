"""Which texture each image instruction of a module reads or writes."""

from __future__ import annotations

from shaderlab.spirv.grammar import INSTRUCTIONS, Decoration, Op
from shaderlab.spirv.module import Module
from shaderlab.spirv.reflection import Descriptor

_PASSED_ON = (Op.Load, Op.AccessChain, Op.InBoundsAccessChain, Op.CopyObject, Op.Image)
_READS = tuple(
    kind.opcode
    for kind in INSTRUCTIONS.values()
    if kind.name.startswith("OpImage") and kind.name != "OpImage"
)


def image_variables(module: Module, id: int) -> frozenset[int]:
    """Ids of the variables an image, sampled image or sampler may be of.

    Followed through function parameters to what every call passes.
    """
    pending, found, seen = [id], set(), set()
    while pending:
        made_id = pending.pop()
        if made_id in seen:
            continue
        seen.add(made_id)
        made = module.definition(made_id)
        if made.opcode == Op.Variable:
            found.add(made.words[2])
        elif made.opcode == Op.SampledImage:
            pending += made.operands[:2]
        elif made.opcode in _PASSED_ON:
            pending.append(made.operands[0])
        elif made.opcode == Op.FunctionParameter:
            pending += _passed(module, made_id)
    return frozenset(found)


def texture_reads(module: Module) -> dict[int, Descriptor | None]:
    """By index of an instruction that reads, writes or asks an image: the image's descriptor.

    None where that may be one of several.
    """
    reads = module.indices(*_READS)
    descriptors = _image_descriptors(module) if reads else {}
    found: dict[int, Descriptor | None] = {}
    for index in reads:
        words = module.instruction_words(index)
        ids = image_variables(module, words[1 if module.opcodes[index] == Op.ImageWrite else 3])
        at = {descriptors[each] for each in ids if each in descriptors}
        found[index] = at.pop() if len(at) == 1 else None
    return found


def _image_descriptors(module: Module) -> dict[int, Descriptor]:
    """By id of a variable that holds an image, with or without its sampler."""
    placed: dict[int, dict[int, int]] = {}
    for index in module.indices(Op.Decorate):
        _, target, decoration, *literals = module.instruction_words(index)
        if decoration in (Decoration.DescriptorSet, Decoration.Binding):
            placed.setdefault(target, {})[decoration] = literals[0]
    found = {}
    for index in module.indices(Op.Variable):
        _, type_id, variable, *_ = module.instruction_words(index)
        if variable in placed and _holds_image(module, type_id):
            own = placed[variable]
            found[variable] = Descriptor(
                own.get(Decoration.DescriptorSet, 0), own.get(Decoration.Binding, 0)
            )
    return found


def _holds_image(module: Module, pointer_type: int) -> bool:
    type = module.definition(module.definition(pointer_type).operands[1])
    while type.opcode in (Op.TypeArray, Op.TypeRuntimeArray):
        type = module.definition(type.operands[0])
    return type.opcode in (Op.TypeImage, Op.TypeSampledImage)


def _passed(module: Module, parameter: int) -> list[int]:
    """What calls pass for a function's parameter."""
    for function in module.functions:
        inside = range(function.first, function.last + 1)
        own = [
            module.instruction_words(index)[2]
            for index in module.indices(Op.FunctionParameter)
            if index in inside
        ]
        if parameter in own:
            place = own.index(parameter)
            calls = (module.instruction_words(index) for index in module.indices(Op.FunctionCall))
            return [words[4 + place] for words in calls if words[3] == function.id]
    return []
