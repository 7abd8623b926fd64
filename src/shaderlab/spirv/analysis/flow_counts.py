"""Control flow of a program's functions with how often each edge was taken.

An edge's count follows from the counts of blocks: what runs into a block and out of it is what it
ran (conservation of flow).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from shaderlab.spirv.analysis.cfg import FlowGraph, callers_of, reachable_functions
from shaderlab.spirv.grammar import Op
from shaderlab.spirv.module import EntryPoint, Function, Module

_ENDS = (Op.Kill, Op.TerminateInvocation, Op.Unreachable)
"""Terminators after which an invocation does not come back to its caller."""


@dataclass(frozen=True)
class FunctionFlow:
    """One function; blocks by their number in it, 0 the first."""

    id: int
    name: str
    labels: tuple[int, ...]
    edges: tuple[tuple[int, int], ...]
    """From block, to block; distinct."""
    leaking: frozenset[int]
    """Blocks with a call that may not come back: more may run into them than out."""


def function_flows(module: Module, entry: EntryPoint) -> tuple[FunctionFlow, ...]:
    """Of the functions an entry point reaches, in the order of the module.  Raises
    InvalidModule."""
    functions = reachable_functions(module, entry)
    ending = [f.id for f in functions if any(module.opcodes[b.last] in _ENDS for b in f.blocks)]
    lost = callers_of(module, ending) if ending else frozenset()
    return tuple(_flow(function, {*lost, *ending}) for function in functions)


def _flow(function: Function, lost: set[int]) -> FunctionFlow:
    graph = FlowGraph(function)
    leaking = frozenset(
        number
        for number, block in enumerate(function.blocks)
        if any(each.opcode == Op.FunctionCall and each.operands[0] in lost for each in block)
    )
    return FunctionFlow(
        function.id,
        function.name,
        tuple(block.label for block in function.blocks),
        tuple((a, b) for a, targets in enumerate(graph.successors) for b in targets),
        leaking,
    )


def edge_counts(flow: FunctionFlow, counts: Sequence[int]) -> dict[tuple[int, int], int]:
    """Times each edge was taken, by edge; edges whose count does not follow are left out.

    `counts`: executions of each block.
    """
    into: Mapping[int, list] = {n: [] for n in range(len(counts))}
    out: Mapping[int, list] = {n: [] for n in range(len(counts))}
    for edge in flow.edges:
        out[edge[0]].append(edge)
        into[edge[1]].append(edge)
    # The first block is entered by calls as well, and nothing may jump back to it (§2.11).
    sums = [(into[n], counts[n]) for n in range(1, len(counts))]
    sums += [(out[n], counts[n]) for n in range(len(counts)) if n not in flow.leaking]
    known: dict[tuple[int, int], int] = {}
    found = True
    while found:
        found = False
        for edges, total in sums:
            unknown = [edge for edge in edges if edge not in known]
            if len(unknown) == 1:
                left = total - sum(known[edge] for edge in edges if edge in known)
                known[unknown[0]] = max(left, 0)
                found = True
    return known
