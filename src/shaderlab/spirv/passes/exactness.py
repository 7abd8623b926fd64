"""Forbidding a driver to change what floating-point arithmetic rounds to.

A driver may contract `a * b + c` or reorder sums, and does so as the code around them suggests; the
same expression in a longer program can so end one bit apart.  Decorated, every operation stands for
itself (§3.20, NoContraction).
"""

from __future__ import annotations

from shaderlab.spirv.grammar import Decoration, Op, opcodes
from shaderlab.spirv.module import Module
from shaderlab.spirv.passes.rewriting import Rewriter

_ARITHMETIC = opcodes(
    "FNegate FAdd FSub FMul FDiv FRem FMod VectorTimesScalar MatrixTimesScalar "
    "VectorTimesMatrix MatrixTimesVector MatrixTimesMatrix OuterProduct Dot"
)


def exact(module: Module) -> bytes:
    """The module with NoContraction on every floating-point operation that lacks it."""
    rewriter = Rewriter(module)
    decorated = set()
    for index in module.indices(Op.Decorate):
        words = module.instruction_words(index)
        if words[2:3] == (Decoration.NoContraction,):
            decorated.add(words[1])
    for index in module.indices(*_ARITHMETIC):
        result = module.instruction_words(index)[2]
        if result not in decorated:
            rewriter.decorate(result, Decoration.NoContraction)
    return rewriter.build()
