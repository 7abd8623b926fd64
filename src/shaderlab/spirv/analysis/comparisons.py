"""The integer comparisons that a condition consists of."""

from __future__ import annotations

from typing import NamedTuple

from shaderlab.spirv.analysis.value_sources import ValueSources
from shaderlab.spirv.grammar import Op, opcodes

ORDERED = opcodes(
    "SLessThan SLessThanEqual SGreaterThan SGreaterThanEqual"
    " ULessThan ULessThanEqual UGreaterThan UGreaterThanEqual"
)
EQUAL = opcodes("IEqual INotEqual")
_JOINING = opcodes("LogicalAnd LogicalOr LogicalNot Any All")
_MOST_PARTS = 64
"""Of one condition."""


class Comparison(NamedTuple):
    """Of two whole numbers."""

    id: int
    opcode: int
    left: int
    right: int


def comparisons(sources: ValueSources, condition: int) -> list[Comparison]:
    """All of a condition, through conjunctions, phis and local variables."""
    pending, seen, found = [condition], set(), []
    while pending and len(seen) < _MOST_PARTS:
        id = pending.pop()
        if id in seen:
            continue
        seen.add(id)
        words = sources.module.definition(id).words
        opcode = words[0] & 0xFFFF
        if opcode in ORDERED or opcode in EQUAL:
            found.append(Comparison(id, opcode, words[3], words[4]))
        elif opcode in _JOINING:
            pending += words[3:]
        elif opcode == Op.Phi:
            pending += words[3::2]
        elif opcode == Op.Load:
            pending += (value for _, value in sources.stores.get(words[3], ()))
    return found
