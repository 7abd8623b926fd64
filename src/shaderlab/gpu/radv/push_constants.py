"""Which words of its push constants a program reads: RADV hands it those alone."""

from __future__ import annotations

from shaderlab.spirv.grammar import Op
from shaderlab.spirv.module import Module
from shaderlab.spirv.reflection import Interface
from shaderlab.spirv.value_types import size


def words_read(module: Module, interface: Interface) -> tuple[int, ...]:
    """In ascending order; of a member all its words, and all where the block is read as a whole."""
    found: set[int] = set()
    for block in interface.push_constants:
        whole = range(-(-size(block.block) // 4))
        numbers = {
            words[2]: words[3]
            for index in module.indices(Op.Constant)
            if len(words := module.instruction_words(index)) == 4
        }
        for index in module.indices(Op.AccessChain, Op.InBoundsAccessChain):
            _, _, _, base, *path = module.instruction_words(index)
            if base != block.variable:
                continue
            at = numbers.get(path[0]) if path else None
            if at is None or not at < len(block.block.members):
                found |= set(whole)
                continue
            member = block.block.members[at]
            found |= set(
                range(member.offset // 4, -(-(member.offset + size(member.type, member)) // 4))
            )
        for index in module.indices(Op.Load):
            if module.instruction_words(index)[3] == block.variable:
                found |= set(whole)
    return tuple(sorted(found))
