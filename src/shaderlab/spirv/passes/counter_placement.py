"""Which blocks need a counter, and how the other counts follow from theirs.

What flows into a point of a function's graph flows out of it, so the counts of some blocks
determine the rest (Knuth and Stevenson, "Optimal measurement of points in program flow graphs",
BIT 13, 1973).  Every block is an edge between two *junctions*: the exits of blocks and the entries
of the blocks they lead to fall into one junction wherever an edge of the flow graph joins them.  At
each junction the counts of the blocks that end there equal those of the blocks that start there.
The edges of a maximum spanning tree over the junctions, weighed by how often each block is expected
to run, need no counter.

An invocation may end anywhere: at OpKill, at a demotion, inside a callee.  Such a block ends at the
junction where the function's returns do, too, which costs a counter at times and never an exact
count.  A function's calls are counted by the blocks that call it, so that a function of one block
needs no counter at all, except where an earlier call in the same block may have ended the
invocation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shaderlab.errors import CounterOverflow
from shaderlab.spirv.analysis.cfg import FlowGraph, call_order, calls_by_function
from shaderlab.spirv.analysis.trip_counts import LoopBounds
from shaderlab.spirv.grammar import Op
from shaderlab.spirv.module import Function, Module

ENDS_INVOCATION = frozenset((Op.Kill, Op.TerminateInvocation, Op.DemoteToHelperInvocation))
"""Instructions after which an invocation's stores no longer reach memory."""

_TRIPS = 8.0
"""Expected trips of a loop of unknown length, for the choice of the tree alone."""

Terms = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Derivation:
    """All counts from those of some blocks."""

    blocks: int
    """Number of blocks."""
    slots: int
    """Number of values in all: those of the blocks, then the calls of each function."""
    counted: tuple[int, ...]
    """Blocks with a counter, ascending."""
    steps: tuple[tuple[int, Terms], ...]
    """In the order of evaluation: slot, and the (factor, slot) pairs whose sum it is."""
    owners: tuple[int, ...]
    """By block: its function's number, callers before callees; its calls are slot `blocks` + it."""
    limits: tuple[int | None, ...]
    """By counter: executions one invocation cannot exceed; None if that is beyond 32 bits."""

    def totals(self, counters: Sequence[int]) -> np.ndarray:
        """(blocks,) int64 counts of all blocks from one number per counter.

        Raises CounterOverflow where 64 bits do not hold them.
        """
        slots = [0] * self.slots
        for slot, value in zip(self.counted, counters, strict=True):
            slots[slot] = int(value)
        for slot, terms in self.steps:
            slots[slot] = sum(factor * slots[source] for factor, source in terms)
        try:
            return np.array(slots[: self.blocks], np.int64)
        except OverflowError:
            raise CounterOverflow("a block ran more than 2^63 times in one frame") from None

    @cached_property
    def originals(self) -> tuple[int, ...]:
        """By slot: the first one known to have the same value, which may be itself."""
        same = list(range(self.slots))
        known: dict[Terms, int] = {}
        for slot, terms in self.steps:
            if len(terms) == 1 and terms[0][0] == 1:
                same[slot] = same[terms[0][1]]
            else:
                key = tuple(sorted((factor, same[source]) for factor, source in terms))
                same[slot] = known.setdefault(key, slot)
        return tuple(same)

    def fill(self, values: np.ndarray) -> None:
        """Compute the derived slots of `values` (slots, …) from its counted ones, in place.

        Slots that are not their own `originals` are left as they are.
        """
        for slot, terms in self.steps:
            if self.originals[slot] != slot:
                continue
            target = values[slot]
            target[...] = 0
            for factor, source in terms:
                value = values[self.originals[source]]
                if factor == 1:
                    target += value
                elif factor == -1:
                    target -= value
                else:
                    # Calls from one block: a factor is never negative but for -1.
                    target += value * values.dtype.type(factor)

    def reach(self, peaks: Sequence[int]) -> int:
        """What no slot's value exceeds, given what no counter's value exceeds.

        A block without a counter lies on a cycle of its function's graph with each of those whose
        counts add to its own, so their sum and the function's calls bound it.
        """
        by_function = [0] * (max(self.owners, default=-1) + 1)
        for slot, peak in zip(self.counted, peaks, strict=True):
            by_function[self.owners[slot]] += int(peak)
        for slot, terms in self.steps:
            if slot >= self.blocks:
                calls = sum(factor * by_function[self.owners[source]] for factor, source in terms)
                by_function[slot - self.blocks] += calls
        return max(by_function, default=0)

    def counter_weights(self, block_weights: Sequence[int]) -> list[int]:
        """Weights of the counters whose weighted sum is that of all blocks' counts."""
        slots = [int(weight) for weight in block_weights]
        slots += [0] * (self.slots - self.blocks)
        for slot, terms in reversed(self.steps):
            for factor, source in terms:
                slots[source] += factor * slots[slot]
        return [slots[slot] for slot in self.counted]


def count_everything(module: Module, functions: list[Function]) -> Derivation:
    """A counter for each block of the functions, reachable or not."""
    program = _Program(module, functions)
    return _derivation(program, list(range(program.blocks)), [])


def count_least(module: Module, functions: list[Function]) -> Derivation:
    """As few counters as determine the counts of all blocks of the functions.

    `functions`: the entry point's function and all it calls, in the order of the module.
    """
    program = _Program(module, functions)
    counted: list[int] = []
    steps: list[tuple[int, Terms]] = []
    for number, function in enumerate(program.callers_first):
        sites = program.calls(function)
        calls_slot = None
        if sites is not None:
            calls_slot = program.blocks + number
            steps.append((calls_slot, sites))
        _span(program, function, calls_slot, counted, steps)
    return _derivation(program, sorted(counted), steps)


def _derivation(
    program: _Program, counted: list[int], steps: list[tuple[int, Terms]]
) -> Derivation:
    bounds = _bounds(program)
    owners = [0] * program.blocks
    for number, function in enumerate(program.callers_first):
        first = program.first_slot[function.id]
        for slot in range(first, first + len(function.blocks)):
            owners[slot] = number
    return Derivation(
        blocks=program.blocks,
        slots=program.blocks + len(program.callers_first),
        counted=tuple(counted),
        steps=tuple(steps),
        owners=tuple(owners),
        limits=tuple(int(bounds[slot]) if bounds[slot] < 1 << 32 else None for slot in counted),
    )


class _Program:
    """The functions an entry point reaches, with their graphs, calls and abrupt ends."""

    def __init__(self, module: Module, functions: list[Function]):
        self.module = module
        self.first_slot: dict[int, int] = {}
        self.blocks = 0
        """Number of blocks of all functions together."""
        self.graphs: dict[int, FlowGraph] = {}
        for function in functions:
            self.first_slot[function.id] = self.blocks
            self.blocks += len(function.blocks)
            self.graphs[function.id] = FlowGraph(function)
        calls = calls_by_function(module)
        callees = {callee for id in self.graphs for callee, _ in calls.get(id, ())}
        root = next(function for function in functions if function.id not in callees)
        self.root = root.id
        callees_first = call_order(module, root.id)
        self.callers_first = callees_first[::-1]
        self._sites: dict[int, list[int]] = {id: [] for id in self.graphs}
        """Function -> slots of the blocks that call it, one for each call."""
        self._uncertain = {root.id}
        """Functions whose number of calls follows from no block's count."""
        self.may_end: dict[int, bool] = {}
        """Function -> whether an invocation may end in it or in what it calls."""
        self.abrupt: dict[int, set[int]] = {}
        """Function -> blocks in which an invocation may end before the terminator."""
        self.demotes: dict[int, set[int]] = {}
        """Function -> blocks in which every invocation ends before the terminator."""
        for function in callees_first:
            self._look_for_ends(function, calls.get(function.id, []))

    def _look_for_ends(self, function: Function, calls: list[tuple[int, int]]) -> None:
        graph = self.graphs[function.id]
        events = [(index, callee) for callee, index in calls]
        opcodes = self.module.opcodes[function.first : function.last]
        ends = np.flatnonzero(np.isin(opcodes, tuple(ENDS_INVOCATION))) + function.first
        events += [(index, 0) for index in ends.tolist()]
        events.sort()
        labels = np.array([block.first for block in function.blocks])
        owners = np.searchsorted(labels, [index for index, _ in events], side="right") - 1
        reachable = set(graph.postorder)
        abrupt: set[int] = set()
        demotes: set[int] = set()
        may_end = False
        for (index, callee), block in zip(events, owners.tolist(), strict=True):
            if block not in reachable:
                continue
            if not callee:
                may_end = True
                if int(self.module.opcodes[index]) == Op.DemoteToHelperInvocation:
                    demotes.add(block)
                continue
            if block in abrupt or block in demotes:
                self._uncertain.add(callee)
            self._sites[callee].append(self.first_slot[function.id] + block)
            if self.may_end[callee]:
                may_end = True
                abrupt.add(block)
        self.may_end[function.id] = may_end
        self.abrupt[function.id] = abrupt
        self.demotes[function.id] = demotes

    def sites(self, function: Function) -> list[int]:
        """Slots of the blocks that call a function, one for each call."""
        return self._sites[function.id]

    def calls(self, function: Function) -> Terms | None:
        """What adds up to the number of the function's calls; None if no blocks' counts do."""
        if function.id in self._uncertain:
            return None
        times: dict[int, int] = {}
        for slot in self._sites[function.id]:
            times[slot] = times.get(slot, 0) + 1
        return tuple((factor, slot) for slot, factor in times.items())


def _bounds(program: _Program) -> list[float]:
    """By slot: executions one invocation cannot exceed; infinite within loops of unknown length."""
    bounds: list[float] = [0.0] * program.blocks
    loops = LoopBounds(program.module)
    for function in program.callers_first:
        root = function.id == program.root
        calls = 1.0 if root else sum(bounds[slot] for slot in program.sites(function))
        first = program.first_slot[function.id]
        limits = loops.executions(program.graphs[function.id], calls)
        bounds[first : first + len(limits)] = limits
    return bounds


def _span(
    program: _Program,
    function: Function,
    calls_slot: int | None,
    counted: list[int],
    steps: list[tuple[int, Terms]],
) -> None:
    """Choose the counted blocks of one function and derive the others."""
    graph = program.graphs[function.id]
    first = program.first_slot[function.id]
    size = len(graph)
    start, end = _junctions(program, function, calls_slot is not None)
    reachable = set(graph.postorder)
    steps += [(first + block, ()) for block in range(size) if block not in reachable]

    # Of each junction: the factor and slot of every block that ends (1) or starts (-1) there, and
    # the blocks of the spanning tree among them.
    incident: list[list[tuple[int, int]]] = [[] for _ in range(2 * size + 1)]
    tree: list[set[int]] = [set() for _ in range(2 * size + 1)]
    parent = list(range(2 * size + 1))
    weights = _frequencies(graph)
    for block in sorted(reachable, key=lambda block: (-weights[block], block)):
        tail, head = start[block], end[block]
        above, below = _find(parent, tail), _find(parent, head)
        if above == below:
            counted.append(first + block)
        else:
            parent[above] = below
            tree[tail].add(block)
            tree[head].add(block)
        if tail != head:
            incident[tail].append((-1, first + block))
            incident[head].append((1, first + block))
    if calls_slot is not None and end[size] != start[0]:
        incident[end[size]].append((-1, calls_slot))
        incident[start[0]].append((1, calls_slot))

    leaves = [junction for junction, blocks in enumerate(tree) if len(blocks) == 1]
    while leaves:
        junction = leaves.pop()
        if not tree[junction]:
            continue
        block = tree[junction].pop()
        slot = first + block
        sign = 1 if start[block] == junction else -1
        steps.append(
            (slot, tuple((sign * factor, of) for factor, of in incident[junction] if of != slot))
        )
        neighbour = end[block] if start[block] == junction else start[block]
        tree[neighbour].discard(block)
        if len(tree[neighbour]) == 1:
            leaves.append(neighbour)


def _junctions(
    program: _Program, function: Function, calls_known: bool
) -> tuple[list[int], list[int]]:
    """By block: the junction it starts from; the one it ends at, with the function's exit last."""
    graph = program.graphs[function.id]
    size = len(graph)
    leave = 2 * size
    parent = list(range(2 * size + 1))

    def join(one: int, other: int) -> None:
        one, other = _find(parent, one), _find(parent, other)
        if one != other:
            parent[one] = other

    for block in graph.postorder:
        targets = graph.successors[block]
        demoted = block in program.demotes[function.id]
        if demoted or not targets or block in program.abrupt[function.id]:
            join(size + block, leave)
        if not demoted:
            for target in targets:
                join(size + block, target)
    if not calls_known and size:
        join(leave, 0)
    start = [_find(parent, block) for block in range(size)]
    end = [_find(parent, size + block) for block in range(size + 1)]
    return start, end


def _find(parent: list[int], member: int) -> int:
    """Representative of a member's set in a disjoint-set forest, with path halving."""
    while parent[member] != member:
        parent[member] = member = parent[parent[member]]
    return member


def _frequencies(graph: FlowGraph) -> list[float]:
    """Expected executions of each block per call: loops make 8 trips, branches are even."""
    size = len(graph)
    order = graph.postorder[::-1]
    rank = {block: position for position, block in enumerate(order)}
    header_of = {merge: header for header, merge in graph.merges.items()}
    loop_merges = {graph.merges[header] for header in graph.continues}
    loop_headers = {
        target
        for block in order
        for target in graph.successors[block]
        if rank[target] <= rank[block]
    }
    inflow = [0.0] * size
    frequency = [0.0] * size
    for block in order:
        header = header_of.get(block)
        if block == 0:
            inflow[block] = 1.0
        elif header is not None and rank.get(header, size) < rank[block]:
            inflow[block] = inflow[header]
        trips = _TRIPS if block in loop_headers else 1.0
        frequency[block] = min(max(inflow[block] * trips, 1e-30), 1e30)
        targets = [target for target in graph.successors[block] if rank[target] > rank[block]]
        shares = [1 / _TRIPS if target in loop_merges else 1.0 for target in targets]
        each = frequency[block] / sum(shares) if shares else 0.0
        for target, share in zip(targets, shares, strict=True):
            inflow[target] += each * share
    return frequency
