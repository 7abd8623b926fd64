"""The table says what the specification says."""

from shaderlab.spirv import grammar
from shaderlab.spirv.grammar import Op


def test_numbers_and_names():
    assert (Op.FMul, Op.Label, Op.Return) == (133, 248, 253)
    assert grammar.name(133) == "OpFMul"
    assert grammar.name(5380) == "OpDemoteToHelperInvocation"
    assert grammar.name(4450) == "OpSDot"
    assert grammar.name(60000) == "Op60000"
    assert grammar.GLSL_STD_450[13] == "Sin"
    assert grammar.StorageClass.StorageBuffer == 12


def test_where_results_stand():
    assert grammar.RESULT_WORD[Op.FMul] == 2
    assert grammar.RESULT_WORD[Op.TypeInt] == 1
    assert grammar.RESULT_WORD[Op.Store] == 0


def test_shortest_forms():
    assert grammar.MIN_WORDS[Op.Return] == 1
    assert grammar.MIN_WORDS[Op.Load] == 4
    assert grammar.MIN_WORDS[Op.Phi] == 3
