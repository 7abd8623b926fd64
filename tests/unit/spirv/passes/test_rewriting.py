"""Declarations are reused, edits land where they are asked for."""

import pytest

from shaderlab.errors import InvalidModule
from shaderlab.spirv import grammar
from shaderlab.spirv.grammar import Op, StorageClass
from shaderlab.spirv.module import Module
from shaderlab.spirv.passes.rewriting import Rewriter, encode, encode_string
from tests.unit.spirv.test_module import words_of
from tests.unit.spirv.walking import UINT, VOID, ZERO, module_of

EMPTY = module_of([[[Op.Label, 100], [Op.Return]]])


def test_without_edits_nothing_changes():
    assert Rewriter(EMPTY).build() == EMPTY.to_bytes()


def test_types_and_constants_are_reused():
    rewriter = Rewriter(EMPTY)
    assert rewriter.type(Op.TypeVoid) == VOID
    assert rewriter.type(Op.TypeInt, 32, 0) == UINT
    assert rewriter.constant(UINT, 0) == ZERO
    made = [rewriter.type(Op.TypeFloat, 32), rewriter.constant(UINT, 9)]
    assert made == [rewriter.type(Op.TypeFloat, 32), rewriter.constant(UINT, 9)]
    assert made == [EMPTY.bound, EMPTY.bound + 1]
    pointer = rewriter.pointer(StorageClass.Private, UINT)
    assert rewriter.pointer(StorageClass.Private, UINT) == pointer
    built = Module.parse(rewriter.build())
    assert built.bound == EMPTY.bound + 3
    assert len(built) == len(EMPTY) + 3


def test_a_specialization_constant_is_no_constant():
    module = Module.parse(
        words_of(
            encode(Op.MemoryModel, 0, 1),
            encode(Op.TypeInt, 1, 32, 0),
            encode(Op.SpecConstant, 1, 2, 7),
        )
    )
    assert Rewriter(module).constant(1, 7) not in (1, 2)


def test_sections_keep_their_order():
    rewriter = Rewriter(EMPTY)
    rewriter.capability(grammar.ENUMS["Capability"]["Int64"])
    rewriter.capability(grammar.ENUMS["Capability"]["Int64"])
    rewriter.capability(grammar.ENUMS["Capability"]["Matrix"])
    rewriter.extension("SPV_KHR_something")
    glsl = rewriter.import_set("GLSL.std.450")
    assert rewriter.import_set("GLSL.std.450") == glsl
    variable = rewriter.variable(StorageClass.Private, UINT, ZERO)
    rewriter.decorate(variable, grammar.Decoration.RelaxedPrecision)
    (entry,) = EMPTY.entry_points
    rewriter.append_operands(entry.at, [variable])
    (ret,) = EMPTY.indices(Op.Return)
    rewriter.insert_before(ret, encode(Op.Nop))
    rewriter.insert_before(ret, encode(Op.NoLine))
    built = Module.parse(rewriter.build())
    names = [instruction.name for instruction in built]
    assert names == [
        *("OpCapability",) * 3,
        "OpExtension",
        "OpExtInstImport",
        "OpMemoryModel",
        "OpEntryPoint",
        "OpExecutionMode",
        "OpDecorate",
        "OpTypeVoid",
        "OpTypeBool",
        "OpTypeInt",
        "OpTypeFunction",
        "OpConstantTrue",
        "OpConstant",
        "OpTypePointer",
        "OpVariable",
        "OpFunction",
        "OpLabel",
        "OpNop",
        "OpNoLine",
        "OpReturn",
        "OpFunctionEnd",
    ]
    assert built.entry_points[0].interface == (variable,)


def test_what_is_declared_is_not_declared_again():
    module = Module.parse(
        words_of(
            encode(Op.Capability, 1),
            encode(Op.Extension, *encode_string("SPV_KHR_a")),
            encode(Op.ExtInstImport, 5, *encode_string("GLSL.std.450")),
            encode(Op.MemoryModel, 0, 1),
        )
    )
    rewriter = Rewriter(module)
    rewriter.capability(1)
    rewriter.extension("SPV_KHR_a")
    assert rewriter.import_set("GLSL.std.450") == 5
    assert rewriter.build() == module.to_bytes()


def test_an_interface_may_not_outgrow_its_instruction():
    rewriter = Rewriter(EMPTY)
    with pytest.raises(InvalidModule, match="65,535 words"):
        rewriter.append_operands(EMPTY.entry_points[0].at, list(range(1, 65535)))


def test_ids_run_out_with_a_reason():
    module = Module.parse(words_of(bound=grammar.MAX_ID_BOUND))
    with pytest.raises(InvalidModule, match="no free ids"):
        Rewriter(module).new_id()


def test_a_module_without_a_memory_model_is_refused():
    rewriter = Rewriter(Module.parse(words_of(encode(Op.Capability, 1))))
    rewriter.extension("SPV_KHR_something")
    with pytest.raises(InvalidModule, match="no OpMemoryModel"):
        rewriter.build()
