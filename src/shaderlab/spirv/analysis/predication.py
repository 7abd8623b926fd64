"""Predication: how often a device runs blocks that it never branches over.

Software drivers run several lanes in one vector and predicate control flow (Mesa's gallivm,
SwiftShader): both sides of every branch are executed under an execution mask, whichever lanes take
them.  Only loops end early, once no lane is active.  So a block runs as often as the header of the
loop around it, else as the function, whatever its own count; a loop that no lane enters still runs
once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from shaderlab.spirv.analysis.cfg import FlowGraph, callers_first, calls_by_function
from shaderlab.spirv.module import Module


@dataclass(frozen=True)
class _Nest:
    """One natural loop; blocks by their number in the module."""

    header: int
    before: tuple[int, ...]
    """Blocks from outside that may lead to the header."""
    around: int | None
    """Number of the innermost loop around it within the function; None where there is none."""
    own: tuple[int, ...]
    """Blocks of no loop within."""


@dataclass(frozen=True)
class _Body:
    """One function; blocks by their number in the module."""

    blocks: range
    calls: tuple[int, ...]
    """Blocks that call it, once for each call."""
    loops: tuple[_Nest, ...]
    """Outer ones before those within."""


@dataclass(frozen=True)
class Predication:
    """The structure that decides how often predicated blocks run, whatever the counts."""

    blocks: int
    _bodies: tuple[_Body, ...]
    """Callers before their callees."""

    def executions(self, counts: np.ndarray) -> np.ndarray:
        """(blocks,) lanes that go through each block, active or not, given those that are active.

        `counts`: (blocks,) executions summed over all invocations, blocks in the module's order.
        """
        found = np.zeros(self.blocks)
        for body in self._bodies:
            if not body.blocks:
                continue
            called = sum(found[call] for call in body.calls)
            passes = max(called, counts[body.blocks.start])
            found[body.blocks] = passes
            trips: list[float] = []
            for loop in body.loops:
                around = passes if loop.around is None else trips[loop.around]
                entered = sum(counts[block] for block in loop.before)
                trips.append(counts[loop.header] + max(around - entered, 0.0))
                found[list(loop.own)] = trips[-1]
        return found


def predication(module: Module, graphs: Sequence[FlowGraph]) -> Predication:
    """The structure of all functions of a module; `graphs` in its order."""
    first: dict[int, int] = {}
    total = 0
    for function in module.functions:
        first[function.id] = total
        total += len(function.blocks)
    graph_of = {graph.function.id: graph for graph in graphs}
    called = calls_by_function(module)
    calls: dict[int, list[int]] = {}
    for function in module.functions:
        starts = [block.first for block in function.blocks]
        for callee, index in called.get(function.id, ()):
            block = int(np.searchsorted(starts, index, side="right")) - 1
            calls.setdefault(callee, []).append(first[function.id] + block)
    bodies = [
        _Body(
            range(first[function.id], first[function.id] + len(function.blocks)),
            tuple(calls.get(function.id, ())),
            tuple(_nests(graph_of[function.id], first[function.id])),
        )
        for function in callers_first(module)
    ]
    return Predication(total, tuple(bodies))


def _nests(graph: FlowGraph, first: int) -> Iterator[_Nest]:
    around = _constructs_around(graph)
    headers = sorted(graph.loops, key=lambda header: len(around[header]))
    number = {header: n for n, header in enumerate(headers)}
    for header in headers:
        outer = around[header][:-1]
        yield _Nest(
            first + header,
            tuple(first + block for block in graph.ways_in(header)),
            number[outer[-1]] if outer else None,
            tuple(first + block for block, loops in enumerate(around) if loops[-1:] == (header,)),
        )


def _constructs_around(graph: FlowGraph) -> list[tuple[int, ...]]:
    """By block: headers of the loops whose construct it is in, outermost first.

    What runs between a loop's last test and its `break` or `return` cannot come back to the header,
    so the natural loop lacks it.  A device that predicates executes it in every iteration, as all
    else between the header and the merge block (SPIR-V specification, "loop construct").
    """
    around = graph.loops_around
    found = []
    for block in range(len(graph)):
        leaving = [
            header
            for header in graph.loops
            if header not in around[block]
            and header in graph.merges
            and graph.dominates(header, block)
            and not graph.dominates(graph.merges[header], block)
        ]
        # All of them dominate the block, so they dominate each other in turn.
        loops = {*around[block], *leaving}
        order = {one: sum(graph.dominates(other, one) for other in loops) for one in loops}
        found.append(tuple(sorted(loops, key=order.__getitem__)))
    return found
