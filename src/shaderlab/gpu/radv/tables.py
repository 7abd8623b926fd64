"""Constant arrays of a module, to stand for what the driver keeps in memory but does not print.

Mesa moves constant arrays that are indexed by variables into a block of bytes beside the code
(nir_opt_large_constants), each in its natural layout: 4 bytes a scalar, nothing between.  The text
form tells where in the block a load reads and how many bytes its array has, not what they are.
"""

from __future__ import annotations

from collections.abc import Mapping

from shaderlab.errors import InvalidModule
from shaderlab.spirv.grammar import Op
from shaderlab.spirv.module import Module

_MAX_WORDS = 16384


def constant_tables(module: Module) -> Mapping[int, tuple[int, ...]]:
    """Words of the module's constant arrays by their size in bytes.

    A size that several different arrays have is left out: which one is meant is not known.
    """
    found: dict[int, tuple[int, ...]] = {}
    several: set[int] = set()
    for index in module.indices(Op.ConstantComposite):
        _, type_id, id, *_ = module.instruction_words(index)
        if module.definition(type_id).opcode != Op.TypeArray:
            continue
        words = _words(module, id)
        if words is None or len(words) > _MAX_WORDS:
            continue
        size = 4 * len(words)
        if found.setdefault(size, words) != words:
            several.add(size)
    return {size: words for size, words in found.items() if size not in several}


def _words(module: Module, id: int) -> tuple[int, ...] | None:
    """Bit patterns of a constant's scalars in order; None where one is not of 32 bits."""
    constant = module.definition(id)
    if constant.opcode == Op.ConstantComposite:
        parts = [_words(module, part) for part in constant.operands]
        if any(part is None for part in parts):
            return None
        return tuple(word for part in parts for word in part or ())
    if constant.opcode in (Op.ConstantTrue, Op.ConstantFalse):
        return (int(constant.opcode == Op.ConstantTrue) * 0xFFFFFFFF,)
    if constant.opcode == Op.Constant:
        return tuple(constant.operands) if len(constant.operands) == 1 else None
    if constant.opcode == Op.ConstantNull:
        return (0,) * _scalars(module, constant.result_type)
    return None


def _scalars(module: Module, type_id: int) -> int:
    type = module.definition(type_id)
    if type.opcode in (Op.TypeFloat, Op.TypeInt, Op.TypeBool):
        return 1
    if type.opcode in (Op.TypeVector, Op.TypeMatrix):
        return _scalars(module, type.operands[0]) * type.operands[1]
    if type.opcode == Op.TypeArray:
        length = module.definition(type.operands[1]).operands[0]
        return _scalars(module, type.operands[0]) * length
    if type.opcode == Op.TypeStruct:
        return sum(_scalars(module, member) for member in type.operands)
    raise InvalidModule(f"%{type_id} is no type a constant array can have")
