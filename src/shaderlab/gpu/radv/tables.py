"""Constant arrays of a program, which the text of the optimised program reads but does not hold.

Mesa moves constant arrays that are indexed by variables into a block of bytes next to the code
(nir_opt_large_constants), each in its natural layout: 4 bytes a scalar, nothing between.  The text
form says where in the block a load reads and how many bytes its array has, not what they are.  The
listing of the machine code ends with the whole block (aco_print_asm.cpp, print_constant_data):

    /* constant data */
    [000000] 3f800000 00000000 40000000

Where a driver was built without a disassembler there is no listing.  Then an array of as many bytes
in the module itself stands for it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from shaderlab.errors import InvalidModule
from shaderlab.spirv.grammar import Op
from shaderlab.spirv.module import Module

_MAX_WORDS = 16384
_START = "/* constant data */"
_LISTED = re.compile(r"^\[\d+\]((?: [0-9a-f]{8})+)$", re.MULTILINE)


@dataclass(frozen=True)
class ConstantData:
    """What is known of a program's constant arrays."""

    listed: tuple[int, ...] = ()
    """The words of the whole block; empty without a listing, or where nothing was moved."""
    by_size: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """Words of the module's own arrays by their bytes (`constant_tables`)."""

    def words(self, at: int, size: int) -> tuple[int, ...] | None:
        """Of the array of `size` bytes at byte `at`; None where it is not known."""
        if at % 4 or size % 4:
            return None
        if self.listed:
            found = self.listed[at // 4 : (at + size) // 4]
            return found if 4 * len(found) == size else None
        return self.by_size.get(size)


def constant_data(module: Module, isa: str) -> ConstantData:
    """`isa`: the listing of what a driver made of the module (`Executable.assembly`)."""
    _, _, block = isa.partition(_START)
    listed = tuple(int(word, 16) for line in _LISTED.findall(block) for word in line.split())
    return ConstantData(listed[:_MAX_WORDS], constant_tables(module))


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
    raise InvalidModule(f"%{type_id} is not a type a constant array can have")
