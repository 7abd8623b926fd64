"""Loops, and which blocks show how often each was entered."""

from __future__ import annotations

from math import inf

import pytest

from shaderlab.spirv.analysis.cfg import FlowGraph
from shaderlab.spirv.analysis.dataflow import analyse
from shaderlab.spirv.analysis.unrolling import Loop, loops
from shaderlab.spirv.grammar import Op
from tests.unit.spirv.walking import TRUE, module_of

GUARDED = [
    [Op.Label, 100],
    [Op.SelectionMerge, 102, 0],
    [Op.BranchConditional, TRUE, 101, 102],
    [Op.Label, 101],
    [Op.Branch, 102],
    [Op.Label, 102],
    [Op.LoopMerge, 105, 104, 0],
    [Op.BranchConditional, TRUE, 103, 105],
    [Op.Label, 103],
    [Op.Branch, 104],
    [Op.Label, 104],
    [Op.Branch, 102],
    [Op.Label, 105],
    [Op.Return],
]
"""`if (c) {}` and a loop right after it: one of the ways to the loop goes elsewhere too."""
ASKED_LAST = [
    [Op.Label, 100],
    [Op.Branch, 101],
    [Op.Label, 101],
    [Op.LoopMerge, 103, 102, 0],
    [Op.Branch, 102],
    [Op.Label, 102],
    [Op.BranchConditional, TRUE, 101, 103],
    [Op.Label, 103],
    [Op.Return],
]
"""`do … while (c)`: the way back goes elsewhere too."""


def only_loop(body: list[list[int]]) -> Loop:
    module = module_of([body])
    (found,) = loops(FlowGraph(module.functions[0]), analyse(module))
    return found


def test_where_one_way_in_goes_elsewhere_too_the_ways_back_count():
    loop = only_loop(GUARDED)
    assert (loop.header, loop.inside, loop.own) == (2, frozenset({2, 3, 4}), (2, 3, 4))
    assert loop.entries == ()
    assert loop.returns == (4,)
    assert loop.trips({2: 12, 4: 9}.__getitem__) == 4.0


def test_where_the_way_back_goes_elsewhere_too_the_ways_in_count():
    loop = only_loop(ASKED_LAST)
    assert loop.entries == (0,)
    assert loop.returns == ()
    assert loop.trips({0: 2, 1: 10}.__getitem__) == 5.0


@pytest.mark.parametrize(
    ("entries", "returns", "executions", "trips"),
    [
        ((0,), (), {0: 0, 1: 0}, 0.0),
        ((0,), (), {0: 0, 1: 5}, inf),
        ((), (2,), {1: 5, 2: 5}, inf),
        ((), (), {1: 5}, inf),
        ((0, 3), (2,), {0: 1, 1: 8, 2: 0, 3: 1}, 4.0),
    ],
)
def test_trips_are_those_of_each_time_it_was_entered(entries, returns, executions, trips):
    loop = Loop(1, frozenset({1, 2}), (1, 2), True, entries, returns)
    assert loop.trips(executions.__getitem__) == trips


def test_a_loop_is_constant_where_constants_alone_end_it():
    assert only_loop(GUARDED).constant
    assert only_loop(ASKED_LAST).constant
