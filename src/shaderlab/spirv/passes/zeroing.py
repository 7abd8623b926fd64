"""Beginning everything with zero that a module would read without having written it.

What was never written is undefined: it differs between devices, and between two runs on one.  A
shader whose picture or counts change under this pass depends on such values.
"""

from __future__ import annotations

from shaderlab.spirv.grammar import Op, StorageClass
from shaderlab.spirv.module import Module
from shaderlab.spirv.passes.rewriting import Rewriter, encode

_WRITABLE = (StorageClass.Function, StorageClass.Private, StorageClass.Output)


def zeroed(module: Module) -> bytes:
    """The module with zero initialisers for variables that lack one, and OpUndef as zero.

    Variables of a function are begun when it is entered, as its OpVariables are, not in every
    iteration of the loop that declares them.
    """
    rewriter = Rewriter(module)
    pointees = {}
    for index in module.indices(Op.TypePointer):
        words = module.instruction_words(index)
        if len(words) == 4:
            pointees[words[1]] = words[3]
    first_function = module.functions[0].first if module.functions else len(module)
    nulls: dict[int, int] = {}

    def null(type: int, before: int) -> int:
        if type not in nulls:
            nulls[type] = rewriter.new_id()
            words = encode(Op.ConstantNull, type, nulls[type])
            rewriter.insert_before(min(before, first_function), words)
        return nulls[type]

    for index in module.indices(Op.Variable):
        words = module.instruction_words(index)
        if len(words) == 4 and words[3] in _WRITABLE and words[1] in pointees:
            rewriter.append_operands(index, [null(pointees[words[1]], index)])
    copies = [index for index in module.indices(Op.Undef) if index > first_function]
    for index in copies:
        rewriter.append_operands(index, [null(module.instruction_words(index)[1], index)])
    return _without_undef(Module.parse(rewriter.build()))


def _without_undef(module: Module) -> bytes:
    """OpUndef as the OpConstantNull of the same shape, or where one was appended, its copy."""
    words = module.words.copy()
    for index in module.indices(Op.Undef):
        lengthened = len(module.instruction_words(index)) == 4
        words[module.starts[index]] += (Op.CopyObject if lengthened else Op.ConstantNull) - Op.Undef
    return words.astype("<u4").tobytes()
