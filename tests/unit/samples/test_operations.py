"""What instructions are called in a sample, and what of a module is counted without running it."""

from __future__ import annotations

from collections import Counter

from shaderlab.samples.operations import (
    opcode_of,
    operations_by_label,
    static_opcodes,
    undefined_uses,
)
from shaderlab.spirv.grammar import Op
from shaderlab.spirv.module import Module
from shaderlab.spirv.passes.rewriting import encode, encode_string
from tests.unit.spirv.test_module import words_of

VOID, FLOAT, VECTOR, MATRIX, PROCEDURE, GLSL, OTHER, MAIN = range(1, 9)
ONE, COLUMN, UNDEFINED, UNUSED = range(10, 14)
SIN, NORMALIZE = 13, 69


def module(body: list[list[int]]) -> Module:
    return Module.parse(
        words_of(
            encode(Op.Capability, 1),
            encode(Op.ExtInstImport, GLSL, *encode_string("GLSL.std.450")),
            encode(Op.ExtInstImport, OTHER, *encode_string("Other")),
            encode(Op.MemoryModel, 0, 1),
            encode(Op.EntryPoint, 4, MAIN, *encode_string("main")),
            encode(Op.TypeVoid, VOID),
            encode(Op.TypeFloat, FLOAT, 32),
            encode(Op.TypeVector, VECTOR, FLOAT, 3),
            encode(Op.TypeMatrix, MATRIX, VECTOR, 4),
            encode(Op.TypeFunction, PROCEDURE, VOID),
            encode(Op.Constant, FLOAT, ONE, 0x3F800000),
            encode(Op.ConstantComposite, VECTOR, COLUMN, ONE, ONE, ONE),
            encode(Op.Undef, FLOAT, UNDEFINED),
            encode(Op.Undef, FLOAT, UNUSED),
            encode(Op.Function, VOID, MAIN, 0, PROCEDURE),
            encode(Op.Label, 20),
            *(encode(*instruction) for instruction in body),
            encode(Op.Return),
            encode(Op.FunctionEnd),
        )
    )


def named(*body: list[int]) -> Counter[str]:
    found = operations_by_label(module(list(body)))
    assert set(found) == {20}
    return found[20] - Counter(["OpReturn"])


def test_a_name_says_which_function_and_how_many_components():
    assert named(
        [Op.FAdd, FLOAT, 30, ONE, ONE],
        [Op.FAdd, FLOAT, 31, ONE, ONE],
        [Op.FMul, VECTOR, 32, COLUMN, COLUMN],
        [Op.CompositeConstruct, MATRIX, 33, 32, 32, 32, 32],
        [Op.ExtInst, FLOAT, 34, GLSL, SIN, ONE],
        [Op.ExtInst, VECTOR, 35, GLSL, NORMALIZE, COLUMN],
        [Op.ExtInst, FLOAT, 36, OTHER, SIN, ONE],
        [Op.ExtInst, FLOAT, 37, GLSL, 9999, ONE],
    ) == {
        "OpFAdd": 2,
        "OpFMul*3": 1,
        "OpCompositeConstruct*12": 1,
        "OpExtInst.Sin": 1,
        "OpExtInst.Normalize*3": 1,
        "OpExtInst": 1,
        "OpExtInst.9999": 1,
    }


def test_lines_are_no_operations():
    assert named([Op.Line, 40, 1, 1], [Op.NoLine]) == {}


def test_the_opcode_of_an_operation():
    names = ("OpFAdd", "OpFMul*3", "OpExtInst.Sin", "OpExtInst.Normalize*3")
    assert [opcode_of(name) for name in names] == ["OpFAdd", "OpFMul", "OpExtInst", "OpExtInst"]


def test_all_instructions_count_statically_declarations_too():
    counts = static_opcodes(module([[Op.FAdd, FLOAT, 30, ONE, ONE]]))
    assert (counts["OpUndef"], counts["OpFAdd"], counts["OpLabel"]) == (2, 1, 1)
    assert counts.total() == 19


def test_uses_of_what_is_undefined_are_operands_and_no_literals():
    assert undefined_uses(module([[Op.FAdd, FLOAT, 30, ONE, ONE]])) == 0
    assert (
        undefined_uses(
            module(
                [
                    [Op.FAdd, FLOAT, 30, UNDEFINED, UNDEFINED],
                    [Op.CompositeConstruct, VECTOR, 31, ONE, UNDEFINED, ONE],
                    [Op.CompositeInsert, VECTOR, 32, UNDEFINED, COLUMN, UNDEFINED],
                    [Op.CompositeExtract, FLOAT, 33, COLUMN, UNDEFINED],
                    [Op.ExtInst, FLOAT, 34, GLSL, UNDEFINED, UNDEFINED],
                ]
            )
        )
        == 5
    )
