"""Which instructions compute the same in every iteration of a loop and could be moved before it.

Compilers with loop-invariant code motion (such as LLVM's LICM) compute such a value once, before
the outermost loop that does not change it.  Loads stay, as what they read may change.
"""

from __future__ import annotations

from dataclasses import dataclass

from shaderlab.spirv.analysis.cfg import FlowGraph
from shaderlab.spirv.analysis.dataflow import Dataflow
from shaderlab.spirv.grammar import GLSL_STD_450, RESULT_WORD_OF, Op

_WRITES_OR_ASKS_THE_PIXEL = frozenset(
    ("Modf", "Frexp", "InterpolateAtCentroid", "InterpolateAtSample", "InterpolateAtOffset")
)
_PURE = frozenset(
    (*range(Op.VectorExtractDynamic, Op.Transpose + 1), *range(Op.ConvertFToU, Op.BitCount + 1))
)
"""Composites, conversions, arithmetic, relations, bits (SPIR-V spec §3.42): their codes adjoin."""


@dataclass(frozen=True)
class Hoisting:
    """What could be moved before loops."""

    before: tuple[tuple[int, ...], ...]
    """By loop: the blocks outside that may lead to it, by their number in the module."""
    loop: dict[int, int]
    """By index of an instruction that can leave loops: the outermost of them, as in `before`."""


def hoisting(flow: Dataflow) -> Hoisting:
    """Of all functions of a module, in its order."""
    before: list[tuple[int, ...]] = []
    loop: dict[int, int] = {}
    first = 0
    for graph in flow.graphs:
        if graph.loops:
            places = {}
            for header in graph.loops:
                places[header] = len(before)
                before.append(tuple(first + block for block in graph.ways_in(header)))
            loop.update((index, places[header]) for index, header in _leaving(graph, flow).items())
        first += len(graph)
    return Hoisting(tuple(before), loop)


def _leaving(graph: FlowGraph, flow: Dataflow) -> dict[int, int]:
    """By index of an instruction: header of the outermost loop it can leave."""
    module = graph.function.module
    around = graph.loops_around
    inside: dict[int, tuple[int, ...]] = {}
    """By id: the loops that a value must be computed in, outermost first."""
    found: dict[int, int] = {}
    for number in reversed(graph.postorder):
        block, here = graph.function.blocks[number], around[number]
        first = block.first + 1
        for index, opcode in enumerate(module.opcodes[first : block.last + 1].tolist(), first):
            place = RESULT_WORD_OF.get(opcode)
            if not place:
                continue
            words = module.instruction_words(index)
            depth = len(here)
            if here and _is_pure(opcode, words):
                uses = (inside.get(use, ()) for use in flow.reads[index])
                depth = max((_shared(loops, here) for loops in uses), default=0)
            inside[words[place]] = here[:depth]
            if depth < len(here):
                found[index] = here[depth]
    return found


def _shared(left: tuple[int, ...], right: tuple[int, ...]) -> int:
    """How many of the outermost loops are the same."""
    for depth, pair in enumerate(zip(left, right, strict=False)):
        if pair[0] != pair[1]:
            return depth
    return min(len(left), len(right))


def _is_pure(opcode: int, words: tuple[int, ...]) -> bool:
    if opcode == Op.ExtInst:
        return GLSL_STD_450.get(words[4]) not in _WRITES_OR_ASKS_THE_PIXEL
    return opcode in _PURE
