"""Which loops are recognised as counted, put together by hand as compilers write them."""

from __future__ import annotations

import operator
import struct
from collections.abc import Sequence
from math import inf

import numpy as np
import pytest

from shaderlab.spirv import grammar
from shaderlab.spirv.analysis.cfg import FlowGraph
from shaderlab.spirv.analysis.trip_counts import LoopBounds
from shaderlab.spirv.grammar import Decoration, Op, StorageClass
from shaderlab.spirv.module import Module
from shaderlab.spirv.passes.rewriting import encode, encode_string

VOID, BOOL, NUMBER, PROCEDURE, POINTER, MAIN = range(1, 7)
START, LIMIT, STEP, COUNTER, OTHER = range(10, 15)
ENTRY, HEADER, DECISION, BODY, CONTINUE, MERGE = range(20, 26)
CONDITION, NOW, BEFORE, AFTER, READ = range(30, 35)

SIGNED, UNSIGNED, FLOAT = ("i", 1), ("I", 0), ("f", None)
COMPARISONS = [
    (Op.SLessThan, SIGNED, 1, operator.lt),
    (Op.SLessThanEqual, SIGNED, 1, operator.le),
    (Op.SGreaterThan, SIGNED, -1, operator.gt),
    (Op.SGreaterThanEqual, SIGNED, -1, operator.ge),
    (Op.ULessThan, UNSIGNED, 1, operator.lt),
    (Op.ULessThanEqual, UNSIGNED, 1, operator.le),
    (Op.UGreaterThan, UNSIGNED, -1, operator.gt),
    (Op.UGreaterThanEqual, UNSIGNED, -1, operator.ge),
    (Op.FOrdLessThan, FLOAT, 1, operator.lt),
    (Op.FOrdLessThanEqual, FLOAT, 1, operator.le),
    (Op.FOrdGreaterThan, FLOAT, -1, operator.gt),
    (Op.FOrdGreaterThanEqual, FLOAT, -1, operator.ge),
]


def loop(
    comparison: int,
    kind: tuple[str, int | None],
    start: float,
    limit: float,
    step: float,
    change: int,
    *,
    decorated: Sequence[list[int]] = (),
    body: Sequence[list[int]] = (),
    swapped: bool = False,
    left_on: bool = False,
) -> Module:
    """`for (n = start; n COMPARED WITH limit; n = n CHANGED BY step) body`."""
    code, signed = kind
    number = [Op.TypeFloat, NUMBER, 32] if signed is None else [Op.TypeInt, NUMBER, 32, signed]
    step_operands = (STEP, BEFORE) if swapped else (BEFORE, STEP)
    ways = (MERGE, BODY) if left_on else (BODY, MERGE)
    instructions = [
        [Op.Capability, 1],
        [Op.MemoryModel, 0, 1],
        [Op.EntryPoint, 4, MAIN, *encode_string("main")],
        *decorated,
        [Op.TypeVoid, VOID],
        [Op.TypeBool, BOOL],
        number,
        [Op.TypeFunction, PROCEDURE, VOID],
        [Op.TypePointer, POINTER, StorageClass.Function, NUMBER],
        *(
            [Op.Constant, NUMBER, id, struct.unpack("<I", struct.pack(f"<{code}", value))[0]]
            for id, value in ((START, start), (LIMIT, limit), (STEP, step))
        ),
        [Op.Function, VOID, MAIN, 0, PROCEDURE],
        [Op.Label, ENTRY],
        [Op.Variable, POINTER, COUNTER, StorageClass.Function],
        [Op.Variable, POINTER, OTHER, StorageClass.Function],
        [Op.Store, COUNTER, START],
        [Op.Branch, HEADER],
        [Op.Label, HEADER],
        [Op.LoopMerge, MERGE, CONTINUE, 0],
        [Op.Branch, DECISION],
        [Op.Label, DECISION],
        [Op.Load, NUMBER, NOW, COUNTER],
        [comparison, BOOL, CONDITION, NOW, LIMIT],
        [Op.BranchConditional, CONDITION, *ways],
        [Op.Label, BODY],
        *body,
        [Op.Branch, CONTINUE],
        [Op.Label, CONTINUE],
        [Op.Load, NUMBER, BEFORE, COUNTER],
        [change, NUMBER, AFTER, *step_operands],
        [Op.Store, COUNTER, AFTER],
        [Op.Branch, HEADER],
        [Op.Label, MERGE],
        [Op.Return],
        [Op.FunctionEnd],
    ]
    words = [grammar.MAGIC, 0x10500, 0, 100, 0]
    for instruction in instructions:
        words += encode(*instruction)
    return Module.parse(np.array(words, "<u4").tobytes())


def trips(module: Module) -> float:
    (found,) = LoopBounds(module).trips(FlowGraph(module.functions[0])).values()
    return found


def carried_out(start: float, limit: float, step: float, goes_on) -> int:
    count = 0
    while goes_on(start, limit):
        start, count = start + step, count + 1
    return count


@pytest.mark.parametrize(("comparison", "kind", "direction", "goes_on"), COMPARISONS)
@pytest.mark.parametrize("far", [False, True])
def test_each_comparison_ends_its_loop_where_it_says(comparison, kind, direction, goes_on, far):
    beyond_signed = (0x20000002, 0x90000002, 0x10000000)
    low, high, step = beyond_signed if far and kind is UNSIGNED else (2, 10, 2)
    start, limit = (low, high) if direction > 0 else (high, low)
    add, subtract = (Op.FAdd, Op.FSub) if kind is FLOAT else (Op.IAdd, Op.ISub)
    found = trips(loop(comparison, kind, start, limit, step, add if direction > 0 else subtract))
    expected = carried_out(start, limit, direction * step, goes_on)
    if kind is FLOAT:
        assert expected <= found <= expected + 3, "additions are rounded"
    else:
        assert found == expected


COUNTED = (Op.SLessThan, SIGNED, 0, 7, 1, Op.IAdd)


def test_executions_multiply_with_the_calls():
    module = loop(*COUNTED)
    graph = FlowGraph(module.functions[0])
    limits = LoopBounds(module).executions(graph, 3.0)
    labels = [block.label for block in graph.function.blocks]
    by_label = dict(zip(labels, limits, strict=True))
    assert by_label == {
        ENTRY: 3.0, HEADER: 24.0, DECISION: 24.0, BODY: 24.0, CONTINUE: 24.0, MERGE: 3.0,
    }  # fmt: skip
    assert LoopBounds(module).executions(graph, 0.0) == [0.0] * len(graph)


def test_the_step_may_stand_on_either_side_of_a_sum_and_not_of_a_difference():
    assert trips(loop(*COUNTED, swapped=True)) == 7
    counted_down = (Op.SGreaterThan, SIGNED, 7, 0, 1, Op.ISub)
    assert trips(loop(*counted_down)) == 7
    assert trips(loop(*counted_down, swapped=True)) == inf


@pytest.mark.parametrize("id", [COUNTER, NOW, AFTER])
def test_what_may_be_computed_in_16_bits_has_no_bound(id):
    relaxed = [Op.Decorate, id, Decoration.RelaxedPrecision]
    assert trips(loop(*COUNTED, decorated=[relaxed])) == inf
    assert trips(loop(*COUNTED, decorated=[[Op.Decorate, id, Decoration.NoContraction]])) == 7


@pytest.mark.parametrize(
    ("body", "bound"),
    [
        ([[Op.Load, NUMBER, READ, COUNTER]], 7),
        ([[Op.Store, OTHER, START]], 7),
        ([[Op.Store, COUNTER, START]], inf),
        ([[Op.Load, NUMBER, READ, COUNTER], [Op.Store, OTHER, READ]], 7),
        ([[Op.CopyObject, POINTER, READ, COUNTER]], inf),
        ([[Op.Store, OTHER, COUNTER]], inf),
    ],
    ids=["read", "another stored", "stored", "read and kept", "address taken", "address stored"],
)
def test_a_counter_that_the_body_may_change_has_no_bound(body, bound):
    assert trips(loop(*COUNTED, body=body)) == bound


def test_a_loop_that_goes_on_where_the_comparison_fails_has_no_bound():
    assert trips(loop(*COUNTED, left_on=True)) == inf


def test_a_step_away_from_the_limit_has_no_bound():
    assert trips(loop(Op.SLessThan, SIGNED, 0, 7, 1, Op.ISub)) == inf
    assert trips(loop(Op.SLessThan, SIGNED, 0, 7, 0, Op.IAdd)) == inf
