"""Which loops a compiler would unroll: those with a constant number of trips, short in all.

In such loops what depends on constants alone is folded, trip by trip; in others it is work like any
other.  How often a loop runs each time it is entered comes from a trace: with a constant number of
trips any trace shows it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from shaderlab.spirv.analysis.cfg import FlowGraph
from shaderlab.spirv.analysis.dataflow import Dataflow, Dependence

MOST_INSTRUCTIONS = 512
"""Of all trips together, beyond which a loop stays one; chosen in cross-validation."""


@dataclass(frozen=True)
class Loop:
    """A natural loop of one function, by numbers of blocks in it."""

    header: int
    inside: frozenset[int]
    """With the header and the blocks of loops within."""
    own: tuple[int, ...]
    """Blocks of no loop within."""
    constant: bool
    """Whether nothing but constants decides when it is left."""
    entries: tuple[int, ...]
    """Blocks from outside that always go on to the header; empty where some go elsewhere too."""
    returns: tuple[int, ...]
    """Blocks from inside that always go back to the header; empty where some go elsewhere too."""

    def trips(self, executions: Callable[[int], float]) -> float:
        """Mean trips each time it is entered; 0 if it never ran, infinite where no block shows it.

        `executions`: how often a block of the function ran.
        """
        total = executions(self.header)
        if not total:
            return 0.0
        if self.entries:
            entered = sum(map(executions, self.entries))
        elif self.returns:
            entered = total - sum(map(executions, self.returns))
        else:
            return float("inf")
        return total / entered if entered > 0 else float("inf")


def loops(graph: FlowGraph, flow: Dataflow) -> list[Loop]:
    """All natural loops of a function."""
    function = graph.function

    def straight(blocks: list[int]) -> tuple[int, ...]:
        return tuple(blocks) if all(len(graph.successors[each]) == 1 for each in blocks) else ()

    found = []
    for header, members in graph.loops.items():
        leaving = [
            block for block in members if any(to not in members for to in graph.successors[block])
        ]
        before = graph.predecessors[header]
        found.append(
            Loop(
                header,
                members,
                tuple(
                    block for block in sorted(members) if graph.loops_around[block][-1] == header
                ),
                all(
                    flow.dependence[function.blocks[block].last] == Dependence.CONSTANT
                    for block in leaving
                ),
                straight(graph.ways_in(header)),
                straight([block for block in before if block in members]),
            )
        )
    return found
