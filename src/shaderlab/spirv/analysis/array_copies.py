"""Arrays that a program copies as a whole, each time an instruction runs.

This is how glslang compiles a table (`const float a[] = float[](...)`) that is indexed by a value
known only at run time: it stores the whole constant to a variable first.  A driver that keeps the
variable in memory then copies all of it for every invocation, which the count of instructions does
not show.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass

from shaderlab.spirv.analysis.executed import executes
from shaderlab.spirv.grammar import Op, StorageClass
from shaderlab.spirv.module import Module

_OWN = frozenset((StorageClass.Function, StorageClass.Private))
_CHAINS = (Op.AccessChain, Op.InBoundsAccessChain)
_MOST = 1 << 40
"""Types of hostile modules are taken for no larger than this."""


@dataclass(frozen=True)
class ArrayCopy:
    """One instruction that copies an array."""

    index: int
    """Of the instruction."""
    values: int
    """Scalars of the array."""
    used: int
    """Index of the first later instruction that points into the copy, which is on the line that
    reads it; its own where there is none."""


def array_copies(
    module: Module, executed: Collection[tuple[int, int]], least: int
) -> tuple[ArrayCopy, ...]:
    """Those of `least` scalars or more, the largest first.

    `executed`: function and label ids of the blocks that ran.  Loads, stores and initialisers of
    an invocation's own variables count, whether the array is a constant or not.
    """
    sizes = _sizes(module)
    if not any(size >= least for size in sizes.values()):
        return ()
    types = {each.result: each.result_type for each in module if each.result_type}
    chains: defaultdict[int, list[int]] = defaultdict(list)
    for index in module.indices(*_CHAINS):
        chains[module.instruction_words(index)[3]].append(index)

    def copy(index: int, size: int, variable: int) -> ArrayCopy:
        uses = chains.get(variable, [])
        behind = bisect_right(uses, index)
        return ArrayCopy(index, size, uses[behind] if behind < len(uses) else index)

    def is_own(pointer: int) -> bool:
        return module.definition(types[pointer]).words[2] in _OWN

    found = []
    for index in module.indices(Op.Load, Op.Store):
        words = module.instruction_words(index)
        stores = module.opcodes[index] == Op.Store
        size = sizes.get(types.get(words[2], 0), 0)
        if size >= least and is_own(words[1] if stores else words[3]):
            found.append(copy(index, size, words[1] if stores else 0))
    for index in module.indices(Op.Variable):
        words = module.instruction_words(index)
        if len(words) > 4 and words[3] in _OWN:
            size = sizes.get(module.definition(words[1]).words[3], 0)
            if size >= least:
                found.append(copy(index, size, words[2]))
    ran = executes(module, executed)
    return tuple(sorted((each for each in found if ran(each.index)), key=lambda each: -each.values))


def _sizes(module: Module) -> dict[int, int]:
    """Scalars of arrays and structs with arrays, by type; declared in order (section 2.4)."""
    scalars: dict[int, int] = {}
    arrays: dict[int, int] = {}
    parts = (Op.TypeVector, Op.TypeMatrix, Op.TypeArray)
    for index in module.indices(Op.TypeFloat, Op.TypeInt, Op.TypeBool, *parts, Op.TypeStruct):
        words = module.instruction_words(index)
        opcode = module.opcodes[index]
        if opcode in parts:
            length = _length(module, words[3]) if opcode == Op.TypeArray else words[3]
            scalars[words[1]] = min(scalars.get(words[2], 0) * length, _MOST)
        elif opcode == Op.TypeStruct:
            scalars[words[1]] = min(sum(scalars.get(each, 0) for each in words[2:]), _MOST)
        else:
            scalars[words[1]] = 1
        if opcode in (Op.TypeArray, Op.TypeStruct):
            arrays[words[1]] = scalars[words[1]]
    return arrays


def _length(module: Module, constant: int) -> int:
    found = module.definition(constant)
    return found.words[3] if found.opcode == Op.Constant else 0
