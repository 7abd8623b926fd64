"""What all passes that measure a fragment shader add to it, and where they may add it."""

from __future__ import annotations

from shaderlab.spirv.analysis.cfg import callers_of
from shaderlab.spirv.grammar import BuiltIn, Decoration, Op, StorageClass
from shaderlab.spirv.module import Block, EntryPoint, Function, Module
from shaderlab.spirv.passes.rewriting import Rewriter

BINDING = 0
"""Binding of the storage buffer in its descriptor set."""


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


def storage_buffer(rewriter: Rewriter, element: int, stride: int = 4) -> tuple[int, int]:
    """Add a storage buffer that holds an array of type `element`, `stride` bytes each.

    Returns the variable's id and its descriptor set, the smallest from 1 up the module leaves free.
    """
    array = rewriter.new_type(Op.TypeRuntimeArray, element)
    rewriter.decorate(array, Decoration.ArrayStride, stride)
    structure = rewriter.new_type(Op.TypeStruct, array)
    rewriter.decorate(structure, Decoration.Block)
    rewriter.decorate_member(structure, 0, Decoration.Offset, 0)
    buffer = rewriter.variable(StorageClass.StorageBuffer, structure)
    descriptor_set = _free_descriptor_set(rewriter.module)
    rewriter.decorate(buffer, Decoration.DescriptorSet, descriptor_set)
    rewriter.decorate(buffer, Decoration.Binding, BINDING)
    if rewriter.module.version < (1, 3):
        rewriter.extension("SPV_KHR_storage_buffer_storage_class")
    return buffer, descriptor_set


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


def _free_descriptor_set(module: Module) -> int:
    used = set()
    for index in module.indices(Op.Decorate):
        words = module.instruction_words(index)
        if words[2] == Decoration.DescriptorSet and len(words) > 3:
            used.add(words[3])
    return next(number for number in range(1, len(used) + 2) if number not in used)
