"""How often each basic block of a module is likely to run, without running it.

Flow is followed from the entry block: each conditional branch divides it by odds that depend on
what the branch is for, each loop multiplies it by the trips its constant bounds allow
(`trip_counts`) or, without such, by a guess.  Calls are followed.  The caller brings
the odds (`Odds`), measured on real shaders.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Protocol

from shaderlab.spirv.analysis.cfg import (
    FlowGraph,
    call_order,
    calls_by_function,
    strongly_connected,
)
from shaderlab.spirv.analysis.trip_counts import LoopBounds
from shaderlab.spirv.module import Module
from shaderlab.spirv.trace import BlockId

_DEEPEST = 32
"""Loops nested deeper than this are taken to run once."""
_LARGEST_BOUND = 1e6
"""Bounds beyond, as where 32 bits alone bound a counter, say nothing about trips."""
_MOST_EXECUTIONS = 1e7
"""Per invocation; nested guesses multiply."""


@dataclass(frozen=True)
class Odds:
    """What to expect where the text leaves it open; shares of executions unless said otherwise."""

    then: float
    """The body of an `if` without `else`, and the right side of `&&` and `||`."""
    either: float
    """The first arm of an `if` with `else`."""
    leave: float
    """An arm that ends the function or the invocation, outside loops."""
    breaks: float
    """Loops left before their condition ends them, per entry, where an arm inside can."""
    bounded: float
    """Of the trips its constant bounds allow: a loop without another way out."""
    breakable: float
    """Likewise: a loop with one."""
    trips: tuple[float, float]
    """Trips of a loop without constant bounds: outermost, inside another."""


@dataclass(frozen=True)
class Loop:
    """A loop as the odds see it."""

    header: int
    members: frozenset[int]
    bound: float
    """Trips its constant bounds allow per entry; infinite without such, or with useless ones."""
    decision: int
    """The block inside whose branch its condition ends it; -1 where there is none."""
    breakable: bool
    """Whether something else can end it as well."""
    depth: int
    """Loops of the same function around it."""


class Certain(Protocol):
    """What is known of flow for certain, as from a dispatch's launch."""

    def trips(self, graph: FlowGraph) -> Mapping[int, float]:
        """By header of a loop: rounds per entry."""
        ...

    def taken(self, graph: FlowGraph) -> Mapping[int, tuple[float, float]]:
        """By block: what shares take the two ways on from it; of warps both may."""
        ...


class Shape:
    """The branches and loops of one function."""

    def __init__(self, graph: FlowGraph, bounds: LoopBounds):
        self.graph = graph
        self._bounds = bounds

    @cached_property
    def loops(self) -> dict[int, Loop]:
        """By header."""
        graph = self.graph
        trips = self._bounds.trips(graph)
        found = {}
        for header, members in graph.loops.items():
            merge = graph.merges.get(header, -1)
            decision = -1
            for block in (header, *graph.successors[header]):
                if block in members and merge in graph.successors[block]:
                    decision = block
                    break
            exits = {
                block
                for block in members
                if not graph.successors[block]
                or any(target not in members for target in graph.successors[block])
            }
            bound = trips[header] if trips[header] <= _LARGEST_BOUND else inf
            depth = sum(header in others for others in graph.loops.values()) - 1
            found[header] = Loop(header, members, bound, decision, bool(exits - {decision}), depth)
        return found

    @cached_property
    def innermost(self) -> dict[int, Loop]:
        """By block in a loop: the smallest loop it is in."""
        found: dict[int, Loop] = {}
        for loop in sorted(self.loops.values(), key=lambda each: -len(each.members)):
            found |= dict.fromkeys(loop.members, loop)
        return found

    def purpose(self, block: int) -> tuple[str, tuple[int, ...]]:
        """What a block with two successors or more decides, and its successors, the deciding first.

        `leave` and `breaks`: the first never comes back to the other; `then`: the second is where
        both meet; `loop`: the first goes on with the loop; `either`, `switch`: nothing is known.
        """
        graph = self.graph
        targets = graph.successors[block]
        loop = self.innermost.get(block)
        if loop is not None and block == loop.decision and len(targets) == 2:
            return "loop", tuple(sorted(targets, key=lambda target: target not in loop.members))
        if len(targets) != 2:
            return "switch", targets
        merge = graph.merges.get(block, -1)
        for first, other in (targets, targets[::-1]):
            if loop is not None and first not in loop.members:
                return "breaks", (first, other)
            if first != merge and merge >= 0 and not self._reaches(first, merge, loop):
                return ("leave" if loop is None else "breaks"), (first, other)
        for first, other in (targets, targets[::-1]):
            if other == merge:
                return "then", (first, other)
        return "either", targets

    def _reaches(self, start: int, goal: int, loop: Loop | None) -> bool:
        """Whether `goal` can be reached without leaving the loop or beginning another round."""
        seen, pending = {start}, [start]
        while pending:
            block = pending.pop()
            if block == goal:
                return True
            for target in self.graph.successors[block]:
                inside = loop is None or (target in loop.members and target != loop.header)
                if inside and target not in seen:
                    seen.add(target)
                    pending.append(target)
        return False


def executions(
    module: Module, entry_function: int, odds: Odds, certain: Certain | None = None
) -> tuple[Mapping[BlockId, float], bool]:
    """Executions of every reachable block per invocation, and whether any loop was guessed.

    `certain` goes before the odds.  Raises InvalidModule.
    """
    bounds = LoopBounds(module)
    calls = calls_by_function(module)
    entries: dict[int, float] = defaultdict(float)
    entries[entry_function] = 1.0
    found: dict[BlockId, float] = {}
    guessed = False
    for function in reversed(call_order(module, entry_function)):  # callers first
        graph = FlowGraph(function)
        shape = Shape(graph, bounds)
        times = entries[function.id]
        flow = _Flow(shape, odds, certain)
        share = flow.run()
        guessed |= any(
            loop.breakable or (loop.bound == inf and loop.header not in flow.rounds)
            for loop in shape.loops.values()
        )
        called = calls.get(function.id, ())
        for block, view in enumerate(function.blocks):
            count = min(share[block] * times, _MOST_EXECUTIONS)
            found[BlockId(function.id, view.label)] = count
            for callee, at in called:
                if view.first < at < view.last:
                    entries[callee] = min(entries[callee] + count, _MOST_EXECUTIONS)
    return found, guessed


class _Flow:
    """Executions of a function's blocks per call."""

    def __init__(self, shape: Shape, odds: Odds, certain: Certain | None):
        self._shape, self._odds = shape, odds
        self.rounds = certain.trips(shape.graph) if certain else {}
        """By header of a loop: known for certain."""
        self._taken = certain.taken(shape.graph) if certain else {}

    def run(self) -> list[float]:
        graph = self._shape.graph
        found = [0.0] * len(graph)
        if graph.postorder:
            counts, _ = self._region(graph.postorder, 0, 0)
            for block, count in counts.items():
                found[block] = count
        return found

    def _region(
        self, blocks: Collection[int], start: int, depth: int
    ) -> tuple[dict[int, float], dict[int, float]]:
        """Executions when `start` runs once, and what flows to blocks outside.

        Edges back to `start` are left out: it is the header of the loop around.
        """
        graph, inside = self._shape.graph, set(blocks)
        edges = {
            block: [t for t in graph.successors[block] if t in inside and t != start]
            for block in inside
        }
        mass: dict[int, float] = defaultdict(float)
        mass[start] = 1.0
        counts: dict[int, float] = {}
        out: dict[int, float] = defaultdict(float)
        for component in reversed(strongly_connected(sorted(inside), edges)):
            alone = len(component) == 1 and component[0] not in edges[component[0]]
            if alone:
                (block,) = component
                counts[block] = mass[block]
                flows = self._divided(block, mass[block])
            else:
                flows = self._looped(component, mass, counts, depth)
            for target, flow in flows.items():
                if target in inside and target != start:
                    mass[target] += flow
                elif target not in inside:
                    out[target] += flow
        return counts, out

    def _looped(
        self,
        component: list[int],
        mass: dict[int, float],
        counts: dict[int, float],
        depth: int,
    ) -> dict[int, float]:
        """Note the executions of a loop's blocks; what flows out of it."""
        header = max(component, key=lambda block: mass[block])
        entering = sum(mass[block] for block in component)
        loop = self._shape.loops.get(header)
        rounds = 1.0 if depth == _DEEPEST else 1 + self.trips(loop)
        inner, out = self._region(component, header, depth + 1)
        for block, count in inner.items():
            counts[block] = count * rounds * entering
        # Whatever enters a loop leaves it, but for what ends the invocation inside.
        total = sum(out.values())
        return {target: flow / total * entering for target, flow in out.items()} if total else {}

    def trips(self, loop: Loop | None) -> float:
        """Times the body runs per entry."""
        odds = self._odds
        if loop is not None and loop.header in self.rounds:
            return self.rounds[loop.header]
        if loop is None or loop.bound == inf:
            return odds.trips[min(loop.depth if loop else 0, len(odds.trips) - 1)]
        share = odds.breakable if loop.breakable else odds.bounded
        return loop.bound * share

    def _divided(self, block: int, mass: float) -> dict[int, float]:
        targets = self._shape.graph.successors[block]
        if len(targets) < 2:
            return dict.fromkeys(targets, mass)
        purpose, ordered = self._shape.purpose(block)
        if purpose == "switch":
            return dict.fromkeys(ordered, mass / len(ordered))
        odds, loop = self._odds, self._shape.innermost.get(block)
        if purpose == "loop":
            trips = self.trips(loop)
            first = trips / (1 + trips)
        elif block in self._taken:
            ways = dict(zip(targets, self._taken[block], strict=True))
            # A warp in which some lanes leave goes on with the others.
            stays = purpose in ("leave", "breaks")
            first = 1 - ways[ordered[1]] if stays else ways[ordered[0]]
        elif purpose == "breaks":
            first = min(odds.breaks / max(self.trips(loop), 1.0), 0.5)
        else:
            first = {"leave": odds.leave, "then": odds.then, "either": odds.either}[purpose]
        return {ordered[0]: mass * first, ordered[1]: mass * (1 - first)}
