"""What a device waits for: in each block the longest chain of results that need one another.

A device that runs one group of lanes at a time, as software drivers do on a processor's core, has
little else to do while a result is on its way: a block takes it about as long as the longest chain
of dependent instructions, however many others could run beside it.  GPUs have other groups to run
meanwhile.

A chain's length is told in rough cycles of a processor's vector units, as long as several such
instructions one after the other where an operation is made of them.  They decide which chain is
the longest; what its links cost a target is learned, by operation (`WAITING`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from shaderlab.prediction.dataflow import Dataflow
from shaderlab.spirv.grammar import RESULT_WORD, Op
from shaderlab.spirv.module import Block, Module

WAITING = "waiting:chain:"
"""Ahead of an operation's name: the kind of the cycles it takes in a chain."""

_CYCLES = {
    0: (
        "OpCompositeConstruct OpCompositeExtract OpCompositeInsert OpVectorShuffle OpCopyObject "
        "OpBitcast OpAccessChain OpInBoundsAccessChain"
    ),
    1: "OpStore OpFNegate OpSNegate OpSelect OpNot OpLogicalNot OpLogicalAnd OpLogicalOr FAbs SAbs",
    4: (
        "OpFAdd OpFSub OpFMul OpVectorTimesScalar OpMatrixTimesScalar OpConvertFToS OpConvertSToF "
        "FMin FMax NMin NMax SMin SMax UMin UMax"
    ),
    8: (
        "Floor Ceil Trunc Round RoundEven Fma FMix FClamp NClamp Cross OpIMul OpConvertFToU "
        "OpConvertUToF"
    ),
    12: (
        "OpFDiv OpDot OpMatrixTimesVector OpVectorTimesMatrix OpMatrixTimesMatrix Fract Modf Sqrt "
        "Reflect"
    ),
    24: "OpFMod OpFRem OpSDiv OpUDiv OpSMod OpUMod OpSRem InverseSqrt Length Distance SmoothStep",
    40: "Normalize Refract Exp Exp2 Log Log2",
    80: "Sin Cos Tan Asin Acos Atan Atan2 Sinh Cosh Tanh Asinh Acosh Atanh Pow",
}
_OTHERWISE = 2
_OF = {name: cycles for cycles, names in _CYCLES.items() for name in names.split()}
_NO_PART = frozenset((Op.Line, Op.NoLine, Op.Variable, Op.Phi, Op.LoopMerge, Op.SelectionMerge))
_RESULT_WORD: list[int] = RESULT_WORD.tolist()


class Link(NamedTuple):
    """One instruction of a chain."""

    instruction: int
    """Index in the module."""
    operation: str
    cycles: int


class _Chain(NamedTuple):
    """A chain by its last link."""

    cycles: int
    last: Link | None
    before: _Chain | None


_NOTHING = _Chain(0, None, None)


@lru_cache(maxsize=4096)
def _step(name: str) -> tuple[str, int]:
    """The operation of an instruction so named, and the cycles it takes."""
    operation = name.partition(":")[0]
    return operation, _OF.get(operation, _OTHERWISE)


def longest_chain(
    module: Module, block: Block, flow: Dataflow, names: Mapping[int, str]
) -> tuple[Link, ...]:
    """The instructions of the block's longest chain that take time, in order.

    `names`: of all its live instructions by their index, in order, as `Operations.describe` has
    them.  What was computed before the block is taken to be there.  A load waits for the last store
    through the same pointer.
    """
    values: dict[int, _Chain] = {}
    stored: dict[int, _Chain] = {}
    longest = _NOTHING
    for index, name in names.items():
        words = module.instruction_words(index)
        opcode = words[0] & 0xFFFF
        if opcode in _NO_PART:
            continue
        chain = _NOTHING
        for id in flow.reads[index]:
            needed = values.get(id)
            if needed is not None and needed.cycles > chain.cycles:
                chain = needed
        if opcode == Op.Load:
            needed = stored.get(words[3])
            if needed is not None and needed.cycles > chain.cycles:
                chain = needed
        operation, cycles = _step(name)
        if cycles:
            chain = _Chain(chain.cycles + cycles, Link(index, operation, cycles), chain)
            if chain.cycles > longest.cycles:
                longest = chain
        place = _RESULT_WORD[opcode] if opcode < len(_RESULT_WORD) else 0
        if place:
            values[words[place]] = chain
        elif opcode == Op.Store:
            stored[words[1]] = chain
    links = []
    while longest.last is not None:
        links.append(longest.last)
        longest = longest.before or _NOTHING
    return tuple(reversed(links))
