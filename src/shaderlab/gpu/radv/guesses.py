"""How often ACO believes the blocks of a program run, to undo its guesses where nothing is known.

The compiler takes an outermost loop to run 8 times, one inside it 4 times, any deeper one twice
(Mesa 22, aco_statistics.cpp); here for the program as written, calls followed.
"""

from __future__ import annotations

import numpy as np

from shaderlab.spirv.analysis.cfg import FlowGraph, call_order, calls_by_function
from shaderlab.spirv.grammar import Op
from shaderlab.spirv.module import Module

_DEBUG_LINES = (Op.Line, Op.NoLine)
_TRIPS = (8.0, 4.0)
_DEEP_TRIPS = 2.0


def guessed_instructions(module: Module, entry_point: str) -> float:
    """Instructions one invocation executes if every loop runs as often as the compiler guesses.

    Raises InvalidModule.
    """
    (entry,) = {entry.id for entry in module.entry_points if entry.name == entry_point}
    calls = calls_by_function(module)
    weights: dict[int, float] = {}
    for function in call_order(module, entry):  # callees first
        graph = FlowGraph(function)
        nested = [0] * len(graph)
        for members in graph.loops.values():
            for member in members:
                nested[member] += 1
        total = 0.0
        called = calls.get(function.id, ())
        for block, depth in zip(function.blocks, nested, strict=True):
            own = float(np.count_nonzero(~np.isin(block.opcodes, _DEBUG_LINES)))
            own += sum(weights[callee] for callee, at in called if block.first < at < block.last)
            total += own * _trips(depth)
        weights[function.id] = total
    return weights[entry]


def _trips(depth: int) -> float:
    product = 1.0
    for level in range(depth):
        product *= _TRIPS[level] if level < len(_TRIPS) else _DEEP_TRIPS
    return product
