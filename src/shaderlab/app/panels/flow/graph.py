"""A function's control flow with its counts, ready to be drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shaderlab import units
from shaderlab.app.widgets.phrases import line_ranges
from shaderlab.spirv.analysis.flow_counts import FunctionFlow, edge_counts

if TYPE_CHECKING:
    from shaderlab.spirv.trace import Trace

HEAT_FROM = (0.02, 0.05, 0.10, 0.20, 0.35)
"""Parts of the executed instructions from which a block is shown one step hotter."""


@dataclass(frozen=True)
class Node:
    """One block."""

    label: int
    lines: tuple[int, ...]
    """Of the document, or of the assembly where that is shown; ascending."""
    count: int
    part: float
    """Of all instructions executed in the frame, 0..1."""
    instructions: int
    """In the block."""

    @property
    def heat(self) -> int:
        """Index into `Theme.heat`."""
        return sum(self.part >= limit for limit in HEAT_FROM)

    @property
    def texts(self) -> tuple[str, str]:
        """Where it is, and what it costs."""
        lines = line_ranges(self.lines)
        where = f"line{'s' * (len(self.lines) > 1)} {lines}" if lines else f"block %{self.label}"
        if not self.count:
            return where, "never ran"
        return where, f"{units.count(self.count)}\u00d7, {units.percent(self.part)}"

    @property
    def tip(self) -> str:
        return (
            f"Block %{self.label}: ran {units.count(self.count)} times, {self.instructions} "
            f"instructions each, {units.percent(self.part)} of all instructions executed"
        )


@dataclass(frozen=True)
class Graph:
    """One function."""

    name: str
    nodes: tuple[Node, ...]
    edges: Mapping[tuple[int, int], int | None]
    """From node, to node: times taken; None where that does not follow from the counts."""
    part: float
    """Of all instructions executed in the frame, 0..1, without what it calls."""


def graphs(
    flows: tuple[FunctionFlow, ...], trace: Trace, assembly: Mapping[int, tuple[int, ...]]
) -> tuple[Graph, ...]:
    """The costliest function first.  `assembly`: lines of each label where it is shown."""
    blocks = {(block.function, block.label): block for block in trace.blocks}
    total = max(trace.instructions_executed, 1)
    found = []
    for flow in flows:
        own = [blocks.get((flow.id, label)) for label in flow.labels]
        if any(block is None for block in own):
            continue
        known = [block for block in own if block is not None]
        nodes = tuple(
            Node(
                block.label,
                assembly.get(block.label)
                or tuple(place.line for place in block.lines if not place.file),
                block.count,
                block.count * block.instructions / total,
                block.instructions,
            )
            for block in known
        )
        taken = edge_counts(flow, [node.count for node in nodes])
        edges = {edge: taken.get(edge) for edge in flow.edges}
        found.append(Graph(flow.name, nodes, edges, sum(node.part for node in nodes)))
    return tuple(sorted(found, key=lambda graph: -graph.part))
