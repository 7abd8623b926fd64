"""The longest dependency chains of a program: where latency, not throughput, sets the time.

A device that runs one group of lanes at a time, as software drivers do on a processor's core, has
little else to do during an operation's latency: code takes it about as long as the longest chain of
dependent instructions, however many others could run beside it.  GPUs hide latency behind other
groups.  Such a device predicates branches (`predication`), so that the blocks of a loop that are in
no inner loop, or of a function that are in none, are one straight piece of code.  Each piece has
two chains: the longest through it, which starts anywhere, and for a loop the longest loop-carried
one, from a value that an iteration takes over to the same value one iteration on, which no two
iterations can overlap.

A chain's length is in rough cycles of a processor's vector units, counting as many instructions one
after the other as an operation is made of.  They decide which chain is the longest; what its links
cost on a target is learned, by operation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from shaderlab.spirv.analysis.cfg import FlowGraph
from shaderlab.spirv.analysis.dataflow import Dataflow
from shaderlab.spirv.grammar import RESULT_WORD_OF, Op

CHAIN = "waiting:"
"""Begins the kinds of latency, as shipped models name them: `waiting:carried:OpFMul`."""
THROUGH, CARRIED = f"{CHAIN}through:", f"{CHAIN}carried:"
"""Before an operation's name: in the chain through a piece of code, in a loop-carried one."""

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
_SELECTION = "OpSelect"
"""What predication makes of a phi where branches meet."""
_OF = {name: cycles for cycles, names in _CYCLES.items() for name in names.split()}
_NO_PART = frozenset((Op.Variable, Op.LoopMerge, Op.SelectionMerge))
_DECISIONS = frozenset((Op.BranchConditional, Op.Switch))


class Link(NamedTuple):
    """One instruction of a chain."""

    instruction: int
    """Index in the module."""
    operation: str
    cycles: int


class LongestChain(NamedTuple):
    """A longest chain."""

    block: int
    """Number in the function of the block that runs as often as its piece: a loop's header."""
    kind: str
    """`THROUGH` or `CARRIED`."""
    links: tuple[Link, ...]
    """Those that take time, in order."""


class Step(NamedTuple):
    """An instruction as chains see it.  Memory behind a pointer is the pointer's id, negative."""

    result: int
    """Id of its result; 0 for none."""
    needs: tuple[int, ...]
    """Ids it depends on."""
    instruction: int
    """Index in the module."""
    operation: str
    cycles: int


_Chain = tuple[int, Step | None, "_Chain | None"]
"""By its last step: cycles, the step, and the chain before it.  There are many, so no class."""
_NOTHING: _Chain = (0, None, None)
_MOST_LOOKS = 64
"""Values of a loop that may begin the chain from round to round, by the longest they could have."""


def longest_chains(
    graph: FlowGraph,
    flow: Dataflow,
    names: Mapping[int, str],
    slow: Mapping[int, int] = MappingProxyType({}),
) -> Iterator[LongestChain]:
    """The longest chains of a function's pieces.

    `names`: of all its live instructions by their index, as `Operations.describe` has them; `slow`:
    cycles of some of them, where the device is no processor with everything in its cache.  What
    was computed before a piece is taken to be there.  A load depends on the last store through the
    same pointer; a value that depends on the way taken, on what decides it.
    """
    pieces = _Pieces(graph, flow, names, slow)
    for header, steps in pieces.steps.items():
        taken_over = None if header is None else pieces.taken_over[header]
        through, carried = longest(steps, taken_over)
        if through:
            yield LongestChain(header or 0, THROUGH, through)
        if carried:
            yield LongestChain(header or 0, CARRIED, carried)


def longest(
    steps: Sequence[Step], taken_over: Iterable[tuple[int, int]] | None
) -> tuple[tuple[Link, ...], tuple[Link, ...]]:
    """The longest chain over the steps, and that from a value which a loop's rounds take over to
    the same value in the next round.

    `taken_over`: ids of such values and of what they are in the next round; None for no loop.
    """
    reached: dict[int, _Chain] = {}
    through = _longest(steps, reached, everywhere=True)
    if taken_over is None:
        return _links(through), ()
    pairs = [*taken_over, *((place, place) for place in _read_first(steps))]
    # A chain from one value is no longer than that from anywhere, so most need no look.
    ends = [(reached[end][0], start, end) for start, end in pairs if end in reached]
    carried = _NOTHING
    for most, start, end in sorted(ends, reverse=True)[:_MOST_LOOKS]:
        if most <= carried[0]:
            break
        since = {start: _NOTHING}
        _longest(steps, since, everywhere=False)
        if end in since and since[end][0] > carried[0]:
            carried = since[end]
    return _links(through), _links(carried)


def _read_first(steps: Iterable[Step]) -> set[int]:
    """Memory that is read before the steps write it: what the round before left there."""
    read: set[int] = set()
    written: set[int] = set()
    for step in steps:
        read.update(id for id in step.needs if id < 0 and id not in written)
        if step.result < 0:
            written.add(step.result)
    return read


class _Pieces:
    """The steps of a function's pieces, by header; None for what is in no loop."""

    def __init__(
        self, graph: FlowGraph, flow: Dataflow, names: Mapping[int, str], slow: Mapping[int, int]
    ):
        self.steps: dict[int | None, list[Step]] = {}
        self.taken_over: dict[int, list[tuple[int, int]]] = {header: [] for header in graph.loops}
        """By header: values that a round takes over, and what they are in the next."""
        self._graph, self._flow, self._names, self._slow = graph, flow, names, slow
        self._number = {block.label: n for n, block in enumerate(graph.function.blocks)}
        certain = {header: self._deciders_of_rounds(header) for header in graph.loops}
        for block in reversed(graph.postorder):
            around = graph.loops_around[block]
            header = around[-1] if around else None
            surely = frozenset() if header is None else certain[header]
            self._add(block, header, graph.deciders[block] <= surely)

    def _add(self, number: int, header: int | None, always: bool) -> None:
        """The block's steps, to those of its piece.  `always`: whether all lanes go through it."""
        steps = self.steps.setdefault(header, [])
        module, block = self._graph.function.module, self._graph.function.blocks[number]
        for index in range(block.first + 1, block.last + 1):
            name = self._names.get(index)
            if name is None:
                continue
            words = module.instruction_words(index)
            opcode = words[0] & 0xFFFF
            if opcode in _NO_PART:
                continue
            place = RESULT_WORD_OF.get(opcode)
            result, needs = words[place] if place else 0, self._flow.reads[index]
            operation, cycles = _step(name)
            cycles = self._slow.get(index, cycles)
            if opcode == Op.Load:
                needs = (*needs, -words[3])
            elif opcode == Op.Store:
                result = -words[1]
                if not always:  # inactive lanes keep what is there
                    needs = (*needs, result)
            elif opcode == Op.Phi:
                ways = [self._number[label] for label in words[4::2]]
                if header is not None and number == header:
                    self.taken_over[header] += [
                        (result, value)
                        for value, way in zip(words[3::2], ways, strict=True)
                        if way in self._graph.loops[header]
                    ]
                    continue
                needs = (*needs, *self._conditions(ways))
                operation, cycles = _SELECTION, _OF[_SELECTION]
            steps.append(Step(result, needs, index, operation, cycles))

    def _deciders_of_rounds(self, header: int) -> frozenset[int]:
        """What decides whether a round of the loop ends in another one."""
        inside = self._graph.loops[header]
        back = [block for block in self._graph.predecessors[header] if block in inside]
        return frozenset.intersection(*(self._graph.deciders[block] for block in back))

    def _conditions(self, ways: Iterable[int]) -> Iterator[int]:
        """Ids of what decides which of these blocks control comes from."""
        module, blocks = self._graph.function.module, self._graph.function.blocks
        for way in ways:
            for block in (way, *self._graph.deciders[way]):
                words = module.instruction_words(blocks[block].last)
                if words[0] & 0xFFFF in _DECISIONS:
                    yield words[1]


def _longest(steps: Iterable[Step], chains: dict[int, _Chain], *, everywhere: bool) -> _Chain:
    """The longest chain over the steps; `chains`, by what they end in, is added to.

    They start at those in `chains`, and `everywhere` if that is said.
    """
    start = _NOTHING if everywhere else None
    found = _NOTHING
    for step in steps:
        result, needs, _, _, cycles = step
        chain = start
        for id in needs:
            needed = chains.get(id)
            if needed is not None and (chain is None or needed[0] > chain[0]):
                chain = needed
        if chain is None:
            chains.pop(result, None)  # memory written over by what does not depend on it
            continue
        if cycles:
            chain = (chain[0] + cycles, step, chain)
            if chain[0] > found[0]:
                found = chain
        if result:
            chains[result] = chain
    return found


def _links(chain: _Chain | None) -> tuple[Link, ...]:
    found = []
    while chain is not None:
        _, step, chain = chain
        if step is not None:
            found.append(Link(step.instruction, step.operation, step.cycles))
    return tuple(reversed(found))


@lru_cache(maxsize=4096)
def _step(name: str) -> tuple[str, int]:
    """The operation of an instruction so named, and the cycles it takes."""
    operation = name.partition(":")[0]
    return operation, _OF.get(operation, _OTHERWISE)
