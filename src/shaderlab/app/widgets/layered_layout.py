"""Places for the nodes of a directed graph in layers, from top to bottom.

K. Sugiyama, S. Tagawa and M. Toda, "Methods for Visual Understanding of Hierarchical System
Structures" (1981): layers by longest paths, order within a layer by barycentres.  Edges over
several layers have a bend in each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

Edge = tuple[int, int]
_SWEEPS = 8


@dataclass(frozen=True)
class LayeredLayout:
    """In units of nodes and layers."""

    places: tuple[tuple[float, int], ...]
    """By node: x of its middle, layer from 0 at the top."""
    bends: dict[Edge, tuple[tuple[float, int], ...]]
    """By edge: x and layer of where it passes the layers between its ends, from its start."""
    backward: frozenset[Edge]
    """Edges that lead up, or to their own node."""


def layered(nodes: int, edges: Sequence[Edge]) -> LayeredLayout:
    """Place nodes 0 to `nodes` - 1; 0 is at the top."""
    backward = _backward(nodes, edges)
    forward = {edge: edge if edge not in backward else (edge[1], edge[0]) for edge in edges}
    layer = _layers(nodes, [each for each in forward.values() if each[0] != each[1]])
    # Nodes from `nodes` up stand for the bends of long edges.
    chains: dict[Edge, list[int]] = {}
    links: list[Edge] = []
    for edge, (top, bottom) in forward.items():
        if top == bottom:
            continue
        inner = list(range(len(layer), len(layer) + max(layer[bottom] - layer[top] - 1, 0)))
        layer += [layer[top] + 1 + n for n in range(len(inner))]
        chains[edge] = inner
        path = [top, *inner, bottom]
        links += pairwise(path)
    x = _ordered(layer, links)
    bends = {
        edge: tuple((x[n], layer[n]) for n in (inner[::-1] if edge in backward else inner))
        for edge, inner in chains.items()
    }
    return LayeredLayout(tuple((x[n], layer[n]) for n in range(nodes)), bends, frozenset(backward))


def _backward(nodes: int, edges: Sequence[Edge]) -> set[Edge]:
    """Edges to a node on the way from the top, found depth first."""
    after: list[list[int]] = [[] for _ in range(nodes)]
    for start, end in edges:
        after[start].append(end)
    state, found = [0] * nodes, set[Edge]()
    for root in range(nodes):
        if state[root]:
            continue
        state[root] = 1
        stack = [(root, iter(after[root]))]
        while stack:
            node, rest = stack[-1]
            for end in rest:
                if state[end] == 1:
                    found.add((node, end))
                elif not state[end]:
                    state[end] = 1
                    stack.append((end, iter(after[end])))
                    break
            else:
                state[node] = 2
                stack.pop()
    return found


def _layers(nodes: int, edges: Sequence[Edge]) -> list[int]:
    """By node: length of the longest path to it."""
    layer, waiting = [0] * nodes, [0] * nodes
    after: list[list[int]] = [[] for _ in range(nodes)]
    for start, end in edges:
        after[start].append(end)
        waiting[end] += 1
    ready = [node for node in range(nodes) if not waiting[node]]
    while ready:
        node = ready.pop()
        for end in after[node]:
            layer[end] = max(layer[end], layer[node] + 1)
            waiting[end] -= 1
            if not waiting[end]:
                ready.append(end)
    return layer


def _ordered(layer: Sequence[int], links: Sequence[Edge]) -> list[float]:
    """By node: its x, in an order in which few links cross, near the middle of its neighbours."""
    near: list[list[int]] = [[] for _ in layer]
    for start, end in links:
        near[start].append(end)
        near[end].append(start)
    rows: list[list[int]] = [[] for _ in range(max(layer, default=-1) + 1)]
    for node, row in enumerate(layer):
        rows[row].append(node)
    x = [0.0] * len(layer)
    for row in rows:
        _space(row, x, [float(n) for n in range(len(row))])
    for sweep in range(_SWEEPS):
        down = sweep % 2 == 0
        for row in rows if down else rows[::-1]:
            wished = []
            for node in row:
                side = [n for n in near[node] if (layer[n] < layer[node]) == down]
                wished.append(sum(x[n] for n in side) / len(side) if side else x[node])
            order = sorted(range(len(row)), key=lambda n: wished[n])
            row[:] = [row[n] for n in order]
            _space(row, x, [wished[n] for n in order])
    least = min(x, default=0.0)
    return [each - least for each in x]


def _space(row: Sequence[int], x: list[float], wished: Sequence[float]) -> None:
    """Give a row's nodes their wishes, at least one apart, around the same middle."""
    if not row:
        return
    places: list[float] = []
    for wish in wished:
        places.append(max(wish, places[-1] + 1.0) if places else wish)
    shift = (sum(wished) - sum(places)) / len(row)
    for node, place in zip(row, places, strict=True):
        x[node] = place + shift
