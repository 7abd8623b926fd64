"""A budget of rounds that ends every loop: what runs after it comes to an end on any device.

A GPU cannot preempt an endless pixel shader, and a compiler may drop a shader whose loop never
ends: SPIR-V leaves its behaviour undefined.  So each invocation gets a number of rounds that all
its loops share.  Every round takes one; once none is left, loops are left where they would have
gone on.  Loops that end soon by their constants (`LoopBounds`) are left alone.  Those that do so
each time, but are come to again and again, take their rounds and look at nothing, so that compilers
still see how they end: at most `BETWEEN` rounds lie between two looks.

A loop is left by a conditional branch that leads out of it anyway and that every round passes: its
condition is made to hold.  Where there is none, the block that closes the loop gets an edge to the
loop's merge block (SPIR-V specification, section 2.11, allows both).  Loops with barriers have a
budget of their own, which all invocations of a workgroup spend alike, so that they leave together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from shaderlab.spirv.analysis.cfg import FlowGraph, call_order, calls_by_function
from shaderlab.spirv.analysis.dataflow import LITERAL_WORDS, VALUE_WORDS
from shaderlab.spirv.analysis.trip_counts import LoopBounds
from shaderlab.spirv.grammar import GLSL_STD_450, Op, StorageClass
from shaderlab.spirv.module import Block, Function, Module
from shaderlab.spirv.passes.instrumentation import extend_interfaces, first_ordinary
from shaderlab.spirv.passes.rewriting import Rewriter, encode
from shaderlab.spirv.trace import BlockId

ROUNDS = 32_767
"""Rounds of all guarded loops of one invocation, at most."""
BARRIER_SHIFT = 4
"""Loops with barriers have as many rounds, divided by 2 to the power of this."""
SHORT, LONG = 8_192, 1 << 24
"""Rounds, taken together, of loops that are left alone as they end by their constants: on devices
that end loops themselves, and on others."""
BRIEF = 256
"""Rounds, taken together, that a GPU may go before any bounded run of them."""
BETWEEN = 1024
"""Rounds that an invocation may go without looking at its budget."""
_SMAX = next(code for code, name in GLSL_STD_450.items() if name == "SMax")
_ENDS = frozenset((Op.Return, Op.ReturnValue, Op.Kill, Op.TerminateInvocation, Op.Unreachable))


@dataclass(frozen=True)
class Guarded:
    """A module whose loops share a budget; the same one where none needs it.

    Private int32 variables hold the rounds left, -1 where a loop wanted more.
    """

    module: Module
    left: tuple[tuple[int, int], ...]
    """Ids of the variables, of other loops and of those with barriers, each with the power of 2 by
    which its rounds are fewer."""
    cut: int
    """Id of a private uint32 variable: the number of the first loop that wanted more, from 1, or 0.
    """
    none: int
    """Id of a variable that holds 0, which a compiler had better not know.  Mesa 22.3 unrolls a
    loop wrongly that may end at an unknown count or at another condition and indexes an array by
    its counter: with 0 from a buffer, it cannot tell the two conditions apart."""
    loops: tuple[BlockId, ...]
    """By number: the header of the guarded loop, or of that around it which is to blame where it
    runs out: the innermost whose rounds are not known from its constants."""
    ending: frozenset[BlockId]
    """Those of them that end by their constants, however late."""
    unguarded: tuple[BlockId, ...]
    """Headers of loops that could not be guarded: values made in them are used after them."""


def unguarded(module: Module) -> Guarded:
    """The module as it is."""
    return Guarded(module, (), 0, 0, (), frozenset(), ())


def guard(
    module: Module,
    functions: Sequence[Function],
    root: int,
    alone: int = LONG,
    rounds: int = ROUNDS,
) -> Guarded:
    """Bound all loops that `root`, the entry point's function, may reach.

    `functions`: it and all it calls; `alone`: `BRIEF`, `SHORT` or `LONG`; `rounds`: what an
    invocation begins with.  Raises InvalidModule.
    """
    found = list(_needing(module, functions, root, alone))
    if not found:
        return unguarded(module)
    with_barriers = set(_reaching_barriers(module))
    looking = _looking(module, root, found, alone)
    if not with_barriers.isdisjoint(each.id for each in functions) or any(
        loop.way_out() is None for loop in looking
    ):
        looking = found
    rewriter = Rewriter(module)
    int32, uint = rewriter.type(Op.TypeInt, 32, 1), rewriter.type(Op.TypeInt, 32, 0)
    none = rewriter.variable(StorageClass.Private, int32, rewriter.constant(int32, 0))
    cut = rewriter.variable(StorageClass.Private, uint, rewriter.constant(uint, 0))
    budgets: dict[bool, int] = {}

    def budget(loop: _Loop) -> int:
        uniform = loop.has_barrier(with_barriers)
        if uniform not in budgets:
            start = rewriter.constant(int32, rounds >> (BARRIER_SHIFT if uniform else 0))
            budgets[uniform] = rewriter.variable(StorageClass.Private, int32, start)
        return budgets[uniform]

    guarded: list[BlockId] = []
    ending: list[BlockId] = []
    left_alone: list[BlockId] = []
    for loop in dict.fromkeys([*found, *looking]):
        if loop not in looking:
            _spend(rewriter, loop, budget(loop))
            continue
        way = loop.way_out()
        if way is None:
            left_alone.append(loop.id)
            continue
        guarded.append(loop.blamed)
        if loop.ends:
            ending.append(loop.blamed)
        _bound(rewriter, loop, way, budget(loop), none)
        _tell(rewriter, loop, budget(loop), cut, len(guarded))
    left = [(budgets[which], BARRIER_SHIFT * which) for which in (False, True) if which in budgets]
    if not guarded:
        return Guarded(module, (), 0, 0, (), frozenset(), tuple(left_alone))
    ours = [*(variable for variable, _ in left), cut, none]
    extend_interfaces(rewriter, list(functions), [], ours)
    return Guarded(
        Module.parse(rewriter.build()),
        tuple(left),
        cut,
        none,
        tuple(guarded),
        frozenset(ending),
        tuple(left_alone),
    )


class _Loop:
    """A natural loop by its header, with the blocks that belong to its construct."""

    def __init__(
        self,
        graph: FlowGraph,
        header: int,
        members: frozenset[int],
        trips: Mapping[int, float],
    ):
        """`trips`: of the function's loops, by header; beyond `LONG` where unknown."""
        self.graph, self.header, self.members = graph, header, members
        self.function = graph.function
        self.merge = graph.merges[header]
        self.id = BlockId(self.function.id, self.block(header).label)
        (self.closing,) = {before for before in graph.predecessors[header] if before in members}
        """The block whose branch goes back to the header."""
        around = graph.loops_around[header][::-1]
        unknown = [each for each in around if trips.get(each, inf) > LONG]
        self.ends = not unknown
        self.blamed = BlockId(self.function.id, self.block([*unknown, header][0]).label)

    def block(self, number: int) -> Block:
        return self.function.blocks[number]

    def has_barrier(self, functions: set[int]) -> bool:
        """Whether a round may pass a barrier; `functions`: those that may reach one."""
        return any(
            each.opcode == Op.ControlBarrier
            or (each.opcode == Op.FunctionCall and each.words[3] in functions)
            for number in self.members
            for each in self.block(number)
        )

    def way_out(self) -> tuple[int, bool] | None:
        """A block that every round passes, and whether its condition holds where the loop is left.

        The closing block where it is to get an edge of its own, with True; None where that would
        leave values undefined that are used after the loop.
        """
        number = self.closing
        passed = [number]
        while number != self.header:
            number = self.graph.immediate_dominators[number]
            passed.append(number)
        for number in passed[::-1]:
            branch = self.block(number).terminator
            if branch.opcode == Op.BranchConditional:
                leaving = [self._leads_out(label) for label in branch.words[2:4]]
                if leaving.count(True) == 1:
                    return number, leaving[0]
        if self.block(self.closing).terminator.opcode != Op.Branch:
            return None
        follows = self.block(self.merge).terminator.opcode not in _ENDS
        is_new = self.graph.immediate_dominators[self.merge] < 0
        return None if (follows if is_new else self._leaks()) else (self.closing, True)

    def _leads_out(self, label: int) -> bool:
        merge = self.block(self.merge).label
        if label == merge:
            return True
        end = next((each for each in self.function.blocks if each.label == label), None)
        return (
            end is not None
            and end.terminator.opcode == Op.Branch
            and end.terminator.words[1] == merge
        )

    def _leaks(self) -> bool:
        """Whether a value that the closing block may not know is used outside the loop."""
        inner = self._inner()
        made: dict[int, int] = {}
        for number in inner:
            for each in self.block(number):
                if each.result:
                    made[each.result] = number
        for number, block in enumerate(self.function.blocks):
            if number in inner:
                continue
            for each in block:
                if each.opcode == Op.Phi and number == self.merge:
                    continue
                if each.opcode >= len(VALUE_WORDS):
                    return True
                literals = LITERAL_WORDS.get(each.opcode, ())
                first = VALUE_WORDS[each.opcode].indices(len(each.words))
                for word in range(*first):
                    maker = made.get(each.words[word])
                    if word in literals or maker is None:
                        continue
                    if not self.graph.dominates(maker, self.closing):
                        return True
        return False

    def _inner(self) -> set[int]:
        """Blocks of the construct: those its header dominates and its merge block does not."""
        graph = self.graph
        return {
            number
            for number in graph.postorder
            if graph.dominates(self.header, number)
            and not (
                graph.immediate_dominators[self.merge] >= 0 and graph.dominates(self.merge, number)
            )
        }


def _needing(
    module: Module, functions: Sequence[Function], root: int, alone: int
) -> Iterator[_Loop]:
    """Loops that may go on for long, function by function."""
    if not module.indices(Op.LoopMerge):
        return
    graphs = {each.id: FlowGraph(each) for each in functions}
    limits = _limits(module, graphs, root)
    loops = [
        (limits[id][header], graph, header, members)
        for id, graph in graphs.items()
        for header, members in graph.loops.items()
        if header in graph.continues
    ]
    bounds, trips = LoopBounds(module), dict[int, dict[int, float]]()
    short = sum(bound for bound, *_ in loops if bound <= alone) <= alone
    for bound, graph, header, members in loops:
        if bound > alone or not short:
            id = graph.function.id
            if id not in trips:
                trips[id] = bounds.trips(graph)
            yield _Loop(graph, header, members, trips[id])


def _limits(module: Module, graphs: dict[int, FlowGraph], root: int) -> dict[int, list[float]]:
    """By function and block: executions that one invocation cannot exceed."""
    sites, bounds = calls_by_function(module), LoopBounds(module)
    times: dict[int, float] = {root: 1.0}
    found = {}
    for function in call_order(module, root)[::-1]:
        limits = bounds.executions(graphs[function.id], times.get(function.id, 0.0))
        found[function.id] = limits
        firsts = [block.first for block in function.blocks]
        for callee, index in sites.get(function.id, ()):
            block = int(np.searchsorted(firsts, index, side="right")) - 1
            times[callee] = times.get(callee, 0.0) + limits[block]
    return found


def _reaching_barriers(module: Module) -> Iterator[int]:
    """Functions in which, or in what they call, there may be a barrier."""
    barriers = module.indices(Op.ControlBarrier)
    if not barriers:
        return
    for function in module.functions:
        if any(
            each.first <= index < each.last
            for each in call_order(module, function.id)
            for index in barriers
        ):
            yield function.id


def _looking(module: Module, root: int, found: list[_Loop], alone: int) -> list[_Loop]:
    """Those of the loops found, or around them, that have to look at the budget: the rounds of the
    others that an invocation may go between two looks are few."""
    few = min(BETWEEN, alone)
    by_header = {(each.function.id, each.header): each for each in found}
    sites, bounds = calls_by_function(module), LoopBounds(module)
    graphs = {each.function.id: each.graph for each in found}
    unseen: dict[int, float] = {}
    """By function: rounds of a call without a look."""
    looking = []
    for function in call_order(module, root):
        graph = graphs.get(function.id) or FlowGraph(function)
        firsts = [block.first for block in function.blocks]
        trips, inside = bounds.trips(graph), [0.0] * len(firsts)
        """By header: rounds of one round's loops and calls; at 0, a call's of the function."""
        for callee, index in sites.get(function.id, ()):
            block = int(np.searchsorted(firsts, index, side="right")) - 1
            inside[[0, *graph.loops_around[block]][-1]] += unseen[callee]
        for header in sorted(graph.loops, key=lambda each: len(graph.loops[each])):
            loop = by_header.get((function.id, header))
            rounds = inside[header] + (loop is not None)
            if rounds and loop is None and header in graph.continues:
                loop = _Loop(graph, header, graph.loops[header], trips)
            if loop is not None and trips[header] * rounds > few:
                looking.append(loop)
            elif rounds:
                rounds *= trips[header]
            around = graph.loops_around[header]
            inside[[0, *around][around.index(header)]] += rounds
        unseen[function.id] = inside[0]
    return looking if unseen[root] <= min(SHORT, alone) else found


def _spend(rewriter: Rewriter, loop: _Loop, left: int) -> None:
    """Take a round of the budget, if there is one left, wherever the loop goes on."""
    int32, glsl = rewriter.type(Op.TypeInt, 32, 1), rewriter.import_set("GLSL.std.450")
    before, less, after = (rewriter.new_id() for _ in range(3))
    one, zero = rewriter.constant(int32, 1), rewriter.constant(int32, 0)
    words = [
        *encode(Op.Load, int32, before, left),
        *encode(Op.ISub, int32, less, before, one),
        *encode(Op.ExtInst, int32, after, glsl, _SMAX, less, zero),
        *encode(Op.Store, left, after),
    ]
    _insert_last(rewriter, loop.block(loop.closing), words)


def _bound(rewriter: Rewriter, loop: _Loop, way: tuple[int, bool], left: int, none: int) -> None:
    """Take a round of the budget where the loop may be left, and leave it where none is left."""
    at, holds = way
    block = loop.block(at)
    last = block.terminator
    int32, boolean = rewriter.type(Op.TypeInt, 32, 1), rewriter.type(Op.TypeBool)
    words: list[int] = []

    def emit(opcode: int, type: int, *operands: int) -> int:
        id = rewriter.new_id()
        words.extend(encode(opcode, type, id, *operands))
        return id

    zero, one = rewriter.constant(int32, 0), rewriter.constant(int32, 1)
    before = emit(Op.Load, int32, left)
    if last.opcode == Op.Branch:
        header, merge = loop.block(loop.header).label, loop.block(loop.merge).label
        goes_on = emit(Op.SGreaterThan, boolean, before, zero)
        rewriter.replace_instruction(
            block.last, encode(Op.BranchConditional, goes_on, header, merge)
        )
        _enter_merge(rewriter, loop)
    else:
        nothing = emit(Op.Load, int32, none)
        rounds = (nothing, before) if holds else (before, nothing)
        wanted = emit(Op.Select, int32, last.words[1], *rounds)
        compare = Op.SLessThanEqual if holds else Op.SGreaterThan
        rewriter.replace_word(block.last, 1, emit(compare, boolean, wanted, zero))
    words += encode(Op.Store, left, emit(Op.ISub, int32, before, one))
    _insert_last(rewriter, block, words)


def _tell(rewriter: Rewriter, loop: _Loop, left: int, cut: int, number: int) -> None:
    """After the loop, keep its number where it wanted more rounds and none did before.

    Rounds left are below 0 after a look that found none, and from there the loop is left at once.
    """
    int32, uint = rewriter.type(Op.TypeInt, 32, 1), rewriter.type(Op.TypeInt, 32, 0)
    boolean = rewriter.type(Op.TypeBool)
    rounds, before, used_up, first, tells, after = (rewriter.new_id() for _ in range(6))
    mine, nothing = rewriter.constant(uint, number), rewriter.constant(uint, 0)
    words = [
        *encode(Op.Load, int32, rounds, left),
        *encode(Op.Load, uint, before, cut),
        *encode(Op.SLessThan, boolean, used_up, rounds, rewriter.constant(int32, 0)),
        *encode(Op.IEqual, boolean, first, before, nothing),
        *encode(Op.LogicalAnd, boolean, tells, used_up, first),
        *encode(Op.Select, uint, after, tells, mine, before),
        *encode(Op.Store, cut, after),
    ]
    rewriter.insert_before(first_ordinary(rewriter.module, loop.block(loop.merge)), words)


def _insert_last(rewriter: Rewriter, block: Block, words: list[int]) -> None:
    """At the end of a block, before what says where it merges."""
    merges = int(rewriter.module.opcodes[block.last - 1]) in (Op.LoopMerge, Op.SelectionMerge)
    rewriter.insert_before(block.last - merges, words)


def _enter_merge(rewriter: Rewriter, loop: _Loop) -> None:
    """Let the loop's merge block be entered from its closing block."""
    module, merge = rewriter.module, loop.block(loop.merge)
    closing = loop.block(loop.closing).label
    for index in range(merge.first + 1, merge.last):
        if int(module.opcodes[index]) == Op.Phi:
            null = rewriter.null(module.instruction_words(index)[1])
            rewriter.append_operands(index, [null, closing])
    if merge.terminator.opcode == Op.Unreachable:
        # What a compiler left out, as nothing led here: the function returns instead.
        result = module.instruction_words(loop.function.first)[1]
        void = module.definition(result).opcode == Op.TypeVoid
        rewriter.replace_instruction(
            merge.last,
            encode(Op.Return) if void else encode(Op.ReturnValue, rewriter.null(result)),
        )
