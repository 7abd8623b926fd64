"""Every operation on floats is decorated, and none twice."""

from shaderlab.spirv.grammar import Decoration, Op
from shaderlab.spirv.module import Module
from shaderlab.spirv.passes.exactness import exact
from shaderlab.spirv.passes.rewriting import encode
from tests.unit.spirv.passes.test_zeroing import FLOAT, GIVEN, HEAD, UINT
from tests.unit.spirv.test_module import words_of


def test_operations_on_floats_are_decorated_once():
    module = Module.parse(
        words_of(
            *HEAD[:2],
            encode(Op.Decorate, 30, Decoration.NoContraction),
            encode(Op.Decorate, 31, Decoration.RelaxedPrecision),
            *HEAD[3:],
            encode(Op.FMul, FLOAT, 30, GIVEN, GIVEN),
            encode(Op.FAdd, FLOAT, 31, 30, GIVEN),
            encode(Op.IAdd, UINT, 32, 33, 33),
            encode(Op.FNegate, FLOAT, 34, 31),
        )
    )
    made = Module.parse(exact(module))
    decorations = [made.instruction_words(index)[1:] for index in made.indices(Op.Decorate)]
    assert sorted(decorations) == sorted(
        [
            (30, Decoration.NoContraction),
            (31, Decoration.RelaxedPrecision),
            (31, Decoration.NoContraction),
            (34, Decoration.NoContraction),
        ]
    )
    assert exact(made) == made.to_bytes()
