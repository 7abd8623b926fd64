"""Locations and descriptor sets of one stage are fitted to the other's."""

from shaderlab.spirv.grammar import Decoration, Op, StorageClass
from shaderlab.spirv.module import Module
from shaderlab.spirv.passes.linking import linked_by_name, with_sets_above
from shaderlab.spirv.passes.rewriting import encode, encode_string
from tests.unit.spirv.test_module import words_of

FLOAT, BLOCK, POINTER, TO_BLOCK = 1, 2, 3, 4


def stage(kind: int, *variables: tuple[int, str, int], block: str = "") -> Module:
    """`variables`: (id, name, location) of one storage class; the last one is of the block."""
    named = [encode(Op.Name, id, *encode_string(name)) for id, name, _ in variables]
    if block:
        named[-1] = encode(Op.Name, BLOCK, *encode_string(block))
    return Module.parse(
        words_of(
            encode(Op.Capability, 1),
            encode(Op.MemoryModel, 0, 1),
            *named,
            *(encode(Op.Decorate, id, Decoration.Location, at) for id, _, at in variables),
            encode(Op.TypeFloat, FLOAT, 32),
            encode(Op.TypeStruct, BLOCK, FLOAT),
            encode(Op.TypePointer, POINTER, kind, FLOAT),
            encode(Op.TypePointer, TO_BLOCK, kind, BLOCK),
            *(
                encode(
                    Op.Variable,
                    TO_BLOCK if block and at + 1 == len(variables) else POINTER,
                    id,
                    kind,
                )
                for at, (id, _, _) in enumerate(variables)
            ),
        )
    )


def locations(module: Module) -> dict[int, int]:
    return {
        words[1]: words[3]
        for index in module.indices(Op.Decorate)
        if (words := module.instruction_words(index))[2] == Decoration.Location
    }


def test_outputs_lie_where_inputs_of_their_names_are_and_the_others_above():
    vertex = stage(StorageClass.Output, (10, "colour", 0), (11, "unread", 1), (12, "glow", 2))
    fragment = stage(StorageClass.Input, (20, "glow", 0), (21, "colour", 1))
    linked = Module.parse(linked_by_name(vertex, fragment, 8))
    assert locations(linked) == {10: 1, 11: 9, 12: 0}


def test_blocks_are_linked_by_the_blocks_name():
    vertex = stage(StorageClass.Output, (10, "colour", 0), (11, "instance", 1), block="Surface")
    fragment = stage(StorageClass.Input, (20, "colour", 5), (21, "other", 3), block="Surface")
    assert locations(Module.parse(linked_by_name(vertex, fragment, 8))) == {10: 5, 11: 3}


def test_inputs_of_a_vertex_stage_and_variables_without_a_name_stay():
    vertex = stage(StorageClass.Input, (10, "colour", 4))
    fragment = stage(StorageClass.Input, (20, "colour", 1))
    assert linked_by_name(vertex, fragment, 8) == vertex.to_bytes()
    nameless = stage(StorageClass.Output, (10, "", 4))
    assert linked_by_name(nameless, fragment, 8) == nameless.to_bytes()


def test_descriptor_sets_are_numbered_from_the_first_and_bindings_stay():
    module = Module.parse(
        words_of(
            encode(Op.Capability, 1),
            encode(Op.MemoryModel, 0, 1),
            encode(Op.Decorate, 10, Decoration.DescriptorSet, 0),
            encode(Op.Decorate, 10, Decoration.Binding, 7),
            encode(Op.Decorate, 11, Decoration.DescriptorSet, 2),
        )
    )
    moved = Module.parse(with_sets_above(module, 3))
    assert [moved.instruction_words(index)[1:] for index in moved.indices(Op.Decorate)] == [
        (10, Decoration.DescriptorSet, 3),
        (10, Decoration.Binding, 7),
        (11, Decoration.DescriptorSet, 5),
    ]
