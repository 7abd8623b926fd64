"""What all passes that measure a fragment shader add to it, and where they may add it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from shaderlab.spirv.analysis.cfg import callers_of
from shaderlab.spirv.grammar import ENUMS, BuiltIn, Decoration, Op, StorageClass
from shaderlab.spirv.module import Block, EntryPoint, Function, Module
from shaderlab.spirv.passes.rewriting import Rewriter, encode
from shaderlab.spirv.reflection import Descriptor, Interface, ResourceKind

_SETS = 4
"""Descriptor sets every device has (Vulkan specification, "Required Limits")."""


def first_ordinary(module: Module, block: Block) -> int:
    """Index before which code may be put in a block: after its OpPhi and OpVariable."""
    place = block.first + 1
    for index in range(block.first + 1, block.last):
        opcode = int(module.opcodes[index])
        if opcode in (Op.Phi, Op.Variable):
            place = index + 1
        elif opcode not in (Op.Line, Op.NoLine, Op.ExtInst):
            break
    return place


def storage_buffer(
    rewriter: Rewriter, element: int, stride: int = 4, taken: Iterable[Descriptor] = ()
) -> tuple[int, Descriptor]:
    """Add a storage buffer that holds an array of type `element`, `stride` bytes each.

    Returns the variable's id and where it is bound: in the smallest set from 1 up that the module
    leaves free, if every device has that one.  `taken`: by the draw's other stage.
    """
    array = rewriter.new_type(Op.TypeRuntimeArray, element)
    rewriter.decorate(array, Decoration.ArrayStride, stride)
    structure = rewriter.new_type(Op.TypeStruct, array)
    rewriter.decorate(structure, Decoration.Block)
    rewriter.decorate_member(structure, 0, Decoration.Offset, 0)
    buffer = rewriter.variable(StorageClass.StorageBuffer, structure)
    at = _free_descriptor(rewriter.module, taken)
    rewriter.decorate(buffer, Decoration.DescriptorSet, at.set)
    rewriter.decorate(buffer, Decoration.Binding, at.binding)
    if rewriter.module.version < (1, 3):
        rewriter.extension("SPV_KHR_storage_buffer_storage_class")
    return buffer, at


def frag_coord(rewriter: Rewriter, entry: EntryPoint) -> int:
    """The gl_FragCoord variable: the entry point's own, another's, or a new one."""
    module = rewriter.module
    found = []
    for index in module.indices(Op.Decorate):
        words = module.instruction_words(index)
        if words[2:4] == (Decoration.BuiltIn, BuiltIn.FragCoord):
            variable = module.definition(words[1])
            if variable.opcode == Op.Variable and variable.words[3] == StorageClass.Input:
                found.append(words[1])
    own = [id for id in found if id in entry.interface]
    if own or found:
        return (own or found)[0]
    vector = rewriter.type(Op.TypeVector, rewriter.type(Op.TypeFloat, 32), 4)
    position = rewriter.variable(StorageClass.Input, vector)
    rewriter.decorate(position, Decoration.BuiltIn, BuiltIn.FragCoord)
    return position


class BuiltInInput(NamedTuple):
    """A built-in input of 32-bit integers."""

    variable: int
    component: int
    """Id of the type of one component, which may be signed."""


def built_in(rewriter: Rewriter, entry: EntryPoint, which: int, pointee: int) -> BuiltInInput:
    """The variable of a built-in input: the entry point's own, another's, or a new one of type
    `pointee`, an unsigned integer or a vector of them."""
    module = rewriter.module
    found = []
    for index in module.indices(Op.Decorate):
        words = module.instruction_words(index)
        if words[2:4] == (Decoration.BuiltIn, which):
            variable = module.definition(words[1])
            if variable.opcode == Op.Variable and variable.words[3] == StorageClass.Input:
                found.append(words[1])
    own = [id for id in found if id in entry.interface]
    if not found:
        variable = rewriter.variable(StorageClass.Input, pointee)
        rewriter.decorate(variable, Decoration.BuiltIn, which)
        return BuiltInInput(variable, rewriter.type(Op.TypeInt, 32, 0))
    chosen = (own or found)[0]
    pointer = module.definition(module.definition(chosen).words[1])
    kind = module.definition(pointer.operands[1])
    is_vector = kind.opcode == Op.TypeVector
    return BuiltInInput(chosen, kind.operands[0] if is_vector else pointer.operands[1])


def extend_interfaces(
    rewriter: Rewriter, functions: list[Function], inputs: list[int], others: list[int]
) -> None:
    """List global variables `functions` use now in the entry points that reach them (§3.42.6).

    Up to 1.3 an interface holds inputs and outputs only; from 1.4 on all global variables.  Another
    entry point that shares an instrumented function uses its variables too.
    """
    module = rewriter.module
    everything = [*inputs, *others] if module.version >= (1, 4) else inputs
    sharing = callers_of(module, (function.id for function in functions))
    for entry in module.entry_points:
        if entry.id in sharing:
            listed = set(entry.interface)
            rewriter.append_operands(entry.at, [id for id in everything if id not in listed])


def may_test_early(module: Module, entry: EntryPoint, interface: Interface) -> bool:
    """Whether a GPU may test depth before the shader runs, as long as nothing counts in it."""
    ends = (Op.Kill, Op.TerminateInvocation, Op.DemoteToHelperInvocation)
    if module.indices(*ends) or interface.builtins & _LATE_BUILTINS:
        return False
    if _is_early(module, entry):
        return False
    stores = (ResourceKind.STORAGE_BUFFER, ResourceKind.STORAGE_IMAGE)
    return not any(resource.kind in stores for resource in interface.resources)


def tests_early(rewriter: Rewriter, entry: EntryPoint) -> None:
    """Have depth tested before the shader runs although it stores something now.

    Otherwise pixels that are hidden would be counted, on which the shader as written never runs.
    """
    if _is_early(rewriter.module, entry):
        return
    last = max(each.at for each in rewriter.module.entry_points)
    mode = ENUMS["ExecutionMode"]["EarlyFragmentTests"]
    rewriter.insert_before(last + 1, encode(Op.ExecutionMode, entry.id, mode))


_LATE_BUILTINS = {"FragDepth", "SampleMask", "FragStencilRefEXT"}


def _is_early(module: Module, entry: EntryPoint) -> bool:
    mode = ENUMS["ExecutionMode"]["EarlyFragmentTests"]
    modes = module.indices(Op.ExecutionMode)
    return any(module.instruction_words(each)[1:3] == (entry.id, mode) for each in modes)


def _free_descriptor(module: Module, taken: Iterable[Descriptor]) -> Descriptor:
    bindings: dict[int, int] = {}
    sets: dict[int, int] = {}
    for index in module.indices(Op.Decorate):
        words = module.instruction_words(index)
        if len(words) > 3 and words[2] == Decoration.DescriptorSet:
            sets[words[1]] = words[3]
        elif len(words) > 3 and words[2] == Decoration.Binding:
            bindings[words[1]] = words[3]
    used = {(at, bindings.get(id, 0)) for id, at in sets.items()} | set(taken)
    full = {at for at, _ in used}
    for number in range(1, _SETS):
        if number not in full:
            return Descriptor(number, 0)
    of_set = {binding for at, binding in used if at == 1}
    return Descriptor(1, next(n for n in range(len(of_set) + 1) if n not in of_set))
