"""Numbers in an instruction that equal the id of a value are no use of it."""

from __future__ import annotations

import numpy as np
import pytest

from shaderlab.spirv import reflection
from shaderlab.spirv.analysis.dataflow import Dependence, analyse
from shaderlab.spirv.analysis.influence import influence
from shaderlab.spirv.grammar import Decoration, Op, StorageClass
from shaderlab.spirv.module import Module
from shaderlab.spirv.passes.rewriting import encode, encode_string
from tests.unit.spirv.test_module import words_of

READ, OTHER = 1, 2
"""Small ids, as the numbers of components and members are."""
VOID, BOOL, FLOAT, VEC4, PROCEDURE, ONE, ONES = range(20, 27)
TO_INPUT, INPUT, RAY, BLOCK, TO_BLOCK, UNIFORMS, TO_RAY, UINT, ZERO, TO_LOCAL = range(30, 40)
MAIN, THEN, END = 50, 51, 52


def module(*body: list[int]) -> Module:
    """A fragment stage that reads `depth` and `scene.ray`; `body` ends with a branch on %60."""
    return Module.parse(
        words_of(
            encode(Op.Capability, 1),
            encode(Op.MemoryModel, 0, 1),
            encode(Op.EntryPoint, 4, MAIN, *encode_string("main"), INPUT, UNIFORMS),
            encode(Op.ExecutionMode, MAIN, 7),
            encode(Op.Name, INPUT, *encode_string("depth")),
            encode(Op.Name, UNIFORMS, *encode_string("scene")),
            encode(Op.MemberName, BLOCK, 0, *encode_string("ray")),
            encode(Op.MemberName, RAY, 0, *encode_string("start")),
            encode(Op.MemberName, RAY, 1, *encode_string("reach")),
            encode(Op.Decorate, INPUT, Decoration.Location, 0),
            encode(Op.Decorate, BLOCK, Decoration.Block),
            encode(Op.MemberDecorate, BLOCK, 0, Decoration.Offset, 0),
            encode(Op.MemberDecorate, RAY, 0, Decoration.Offset, 0),
            encode(Op.MemberDecorate, RAY, 1, Decoration.Offset, 4),
            encode(Op.Decorate, UNIFORMS, Decoration.DescriptorSet, 0),
            encode(Op.Decorate, UNIFORMS, Decoration.Binding, 0),
            encode(Op.TypeVoid, VOID),
            encode(Op.TypeBool, BOOL),
            encode(Op.TypeFloat, FLOAT, 32),
            encode(Op.TypeInt, UINT, 32, 0),
            encode(Op.TypeVector, VEC4, FLOAT, 4),
            encode(Op.TypeFunction, PROCEDURE, VOID),
            encode(Op.Constant, FLOAT, ONE, 0x3F800000),
            encode(Op.Constant, UINT, ZERO, 0),
            encode(Op.ConstantComposite, VEC4, ONES, ONE, ONE, ONE, ONE),
            encode(Op.TypePointer, TO_INPUT, StorageClass.Input, FLOAT),
            encode(Op.Variable, TO_INPUT, INPUT, StorageClass.Input),
            encode(Op.TypeStruct, RAY, FLOAT, FLOAT),
            encode(Op.TypeStruct, BLOCK, RAY),
            encode(Op.TypePointer, TO_BLOCK, StorageClass.Uniform, BLOCK),
            encode(Op.TypePointer, TO_RAY, StorageClass.Uniform, RAY),
            encode(Op.Variable, TO_BLOCK, UNIFORMS, StorageClass.Uniform),
            encode(Op.TypePointer, TO_LOCAL, StorageClass.Function, FLOAT),
            encode(Op.Function, VOID, MAIN, 0, PROCEDURE),
            encode(Op.Label, 53),
            encode(Op.Load, FLOAT, READ, INPUT),
            encode(Op.FAdd, FLOAT, OTHER, READ, READ),
            *body,
            encode(Op.SelectionMerge, END, 0),
            encode(Op.BranchConditional, 60, THEN, END),
            encode(Op.Label, THEN),
            encode(Op.Kill),
            encode(Op.Label, END),
            encode(Op.Return),
            encode(Op.FunctionEnd),
        )
    )


ABOVE = encode(Op.FOrdGreaterThan, BOOL, 60, 61, ONE)


@pytest.mark.parametrize(
    "of_constants",
    [
        [encode(Op.CompositeExtract, FLOAT, 61, ONES, READ)],
        [encode(Op.CompositeExtract, FLOAT, 61, ONES, OTHER)],
        [
            encode(Op.VectorShuffle, VEC4, 62, ONES, ONES, OTHER, READ, OTHER, READ),
            encode(Op.CompositeExtract, FLOAT, 61, 62, 0),
        ],
        [
            encode(Op.CompositeInsert, VEC4, 62, ONE, ONES, READ),
            encode(Op.CompositeExtract, FLOAT, 61, 62, 0),
        ],
    ],
)
def test_what_is_made_of_constants_depends_on_nothing(of_constants):
    made = module(*of_constants, ABOVE)
    (compared,) = np.flatnonzero(made.opcodes == Op.FOrdGreaterThan)
    assert Dependence(int(analyse(made).dependence[compared])) is Dependence.CONSTANT
    assert decided(made) == set()


def decided(made: Module) -> set[str]:
    entry = made.fragment_entry_point("main")
    return set(influence(made, entry, reflection.reflect(made, entry)).decisions)


def test_an_input_that_is_read_is_one():
    made = module(encode(Op.FAdd, FLOAT, 61, READ, ONE), ABOVE)
    (compared,) = np.flatnonzero(made.opcodes == Op.FOrdGreaterThan)
    assert Dependence(int(analyse(made).dependence[compared])) is Dependence.VARYING
    assert decided(made) == {"depth"}


@pytest.mark.parametrize(("member", "name"), [(0, "scene.ray.start"), (1, "scene.ray.reach")])
def test_of_a_struct_that_was_read_whole_its_members_are_told_apart(member, name):
    made = module(
        encode(Op.AccessChain, TO_RAY, 62, UNIFORMS, ZERO),
        encode(Op.Load, RAY, 63, 62),
        encode(Op.CompositeExtract, FLOAT, 61, 63, member),
        ABOVE,
    )
    assert decided(made) == {name}
    copied = module(
        encode(Op.AccessChain, TO_RAY, 62, UNIFORMS, ZERO),
        encode(Op.Load, RAY, 63, 62),
        encode(Op.CopyObject, RAY, 64, 63),
        encode(Op.CompositeExtract, FLOAT, 61, 64, member),
        ABOVE,
    )
    assert decided(copied) == {name}


@pytest.mark.parametrize("other", range(71, 76))
def test_variables_whose_ids_are_near_are_told_apart(other):
    def loaded(id: int) -> Module:
        return module(
            encode(Op.Variable, TO_LOCAL, 70, StorageClass.Function),
            encode(Op.Variable, TO_LOCAL, other, StorageClass.Function),
            encode(Op.Store, 70, READ),
            encode(Op.Store, other, ONE),
            encode(Op.Load, FLOAT, 61, id),
            ABOVE,
        )

    assert decided(loaded(70)) == {"depth"}
    assert decided(loaded(other)) == set()
