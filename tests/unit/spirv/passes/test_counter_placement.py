"""Derived counts equal full counts, whatever the graph and wherever the invocation ends."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shaderlab.spirv.analysis.cfg import FlowGraph, call_order
from shaderlab.spirv.grammar import Op
from shaderlab.spirv.passes.counter_placement import (
    Derivation,
    _frequencies,
    count_everything,
    count_least,
)
from tests.unit.spirv.walking import (
    MAIN,
    PROCEDURE,
    TRUE,
    VOID,
    ZERO,
    WalkTooLong,
    module_of,
    random_counts,
)


def reached(module):
    return sorted(call_order(module, MAIN), key=lambda function: function.first)


@st.composite
def programs(draw):
    """Functions of arbitrary graphs that call later functions and may end anywhere."""
    count = draw(st.integers(1, 4))
    functions = []
    labels = iter(range(1000, 100_000))
    results = iter(range(50_000, 100_000))
    for number in range(count):
        size = draw(st.integers(1, 7))
        ids = [next(labels) for _ in range(size)]
        body = []
        for position, label in enumerate(ids):
            body.append([Op.Label, label])
            for callee in draw(st.lists(st.integers(number + 1, count), max_size=2)):
                if callee < count:
                    body.append([Op.FunctionCall, VOID, next(results), MAIN + callee])
            ending = draw(st.integers(0, 11))
            # The entry block has no predecessors (§2.2.5).
            target = st.sampled_from(ids[1:] or [0])
            if ending == 0:
                body.append([Op.DemoteToHelperInvocation])
            if size == 1 or position == size - 1 or ending in (1, 2):
                body.append([draw(st.sampled_from((Op.Return, Op.Return, Op.Kill)))])
            elif ending in (3, 4):
                body.append([Op.Branch, draw(target)])
            elif ending == 5:
                cases = draw(st.lists(target, max_size=4))
                words = [word for value, label in enumerate(cases) for word in (value, label)]
                body.append([Op.Switch, ZERO, draw(target), *words])
            else:
                body.append([Op.BranchConditional, TRUE, draw(target), draw(target)])
        functions.append(body)
    return module_of(functions)


@given(programs(), st.randoms(use_true_random=False))
@settings(max_examples=300)
def test_derived_counts_equal_full_counts(module, rng):
    functions = reached(module)
    least = count_least(module, functions)
    everything = count_everything(module, functions)
    assert set(least.counted) <= set(everything.counted)
    for _ in range(5):
        try:
            counts = random_counts(module, functions, MAIN, rng)
        except WalkTooLong:
            continue
        assert everything.totals(counts).tolist() == counts
        assert least.totals([counts[slot] for slot in least.counted]).tolist() == counts


@given(programs(), st.randoms(use_true_random=False))
@settings(max_examples=100)
def test_counter_weights_give_the_same_weighted_sum(module, rng):
    functions = reached(module)
    least = count_least(module, functions)
    try:
        counts = random_counts(module, functions, MAIN, rng)
    except WalkTooLong:
        return
    weights = [rng.randrange(100) for _ in counts]
    per_counter = least.counter_weights(weights)
    counters = [counts[slot] for slot in least.counted]
    assert sum(map(int.__mul__, per_counter, counters)) == sum(map(int.__mul__, weights, counts))


def test_a_loop_and_the_entry_need_one_counter_each():
    module = module_of(
        [
            [
                [Op.Label, 100],
                [Op.Branch, 101],
                [Op.Label, 101],
                [Op.LoopMerge, 104, 103, 0],
                [Op.BranchConditional, TRUE, 102, 104],
                [Op.Label, 102],
                [Op.Branch, 103],
                [Op.Label, 103],
                [Op.Branch, 101],
                [Op.Label, 104],
                [Op.Return],
            ]
        ]
    )
    least = count_least(module, reached(module))
    assert len(least.counted) == 2
    assert least.totals([1, 7] if least.counted[0] in (0, 4) else [7, 1]).sum() in (24, 22)


def test_functions_without_branches_need_no_counter():
    module = module_of(
        [
            [
                [Op.Label, 100],
                [Op.FunctionCall, VOID, 200, MAIN + 1],
                [Op.FunctionCall, VOID, 201, MAIN + 1],
                [Op.Return],
            ],
            [[Op.Label, 101], [Op.FunctionCall, VOID, 202, MAIN + 2], [Op.Return]],
            [[Op.Label, 102], [Op.Return]],
        ]
    )
    least = count_least(module, reached(module))
    assert least.counted == (0,)
    assert least.totals([3]).tolist() == [3, 6, 6]
    assert least.reach([5]) == 10, "no count exceeds it, of callees of callees too"


def test_a_call_after_one_that_may_discard_is_counted_by_itself():
    module = module_of(
        [
            [
                [Op.Label, 100],
                [Op.FunctionCall, VOID, 200, MAIN + 1],
                [Op.FunctionCall, VOID, 201, MAIN + 2],
                [Op.Return],
            ],
            [
                [Op.Label, 101],
                [Op.SelectionMerge, 103, 0],
                [Op.BranchConditional, TRUE, 102, 103],
                [Op.Label, 102],
                [Op.Kill],
                [Op.Label, 103],
                [Op.Return],
            ],
            [[Op.Label, 104], [Op.Return]],
        ]
    )
    functions = reached(module)
    least = count_least(module, functions)
    seen = set()
    for seed in range(20):
        counts = random_counts(module, functions, MAIN, random.Random(seed))
        seen.add(tuple(counts))
        assert least.totals([counts[slot] for slot in least.counted]).tolist() == counts
    assert seen == {(1, 1, 1, 0, 0), (1, 1, 0, 1, 1)}


def test_only_counters_in_loops_can_overflow():
    loop = [
        [Op.Label, 110],
        [Op.Branch, 111],
        [Op.Label, 111],
        [Op.FunctionCall, VOID, 210, MAIN + 1],
        [Op.LoopMerge, 113, 112, 0],
        [Op.BranchConditional, TRUE, 112, 113],
        [Op.Label, 112],
        [Op.Branch, 111],
        [Op.Label, 113],
        [Op.Return],
    ]
    module = module_of([loop, [[Op.Label, 120], [Op.Return]]])
    assert count_everything(module, reached(module)).limits == (1, None, None, 1, None)


def test_calls_that_double_at_every_level_are_known_to_overflow():
    depth = 40
    functions = []
    for number in range(depth):
        calls = [
            [Op.FunctionCall, VOID, 5000 + 2 * number + twice, MAIN + number + 1]
            for twice in (0, 1)
        ]
        functions.append([[Op.Label, 1000 + number], *calls, [Op.Return]])
    functions.append([[Op.Label, 1000 + depth], [Op.Return]])
    module = module_of(functions)
    limits = count_everything(module, reached(module)).limits
    assert limits == tuple(1 << number if number < 32 else None for number in range(depth + 1))


def test_the_procedure_type_is_shared():
    assert module_of([[[Op.Label, 100], [Op.Return]]]).definition(PROCEDURE).opcode == (
        Op.TypeFunction
    )


def test_a_call_after_a_demotion_in_its_block_is_counted_by_itself():
    module = module_of(
        [
            [
                [Op.Label, 100],
                [Op.DemoteToHelperInvocation],
                [Op.FunctionCall, VOID, 200, MAIN + 1],
                [Op.Return],
            ],
            [[Op.Label, 101], [Op.Return]],
        ]
    )
    functions = reached(module)
    counts = random_counts(module, functions, MAIN, random.Random(0))
    assert counts == [1, 0]
    least = count_least(module, functions)
    assert least.totals([counts[slot] for slot in least.counted]).tolist() == counts


def test_loops_are_expected_to_make_eight_trips_and_branches_to_be_even():
    body = [
        [Op.Label, 100],
        [Op.SelectionMerge, 103, 0],
        [Op.BranchConditional, TRUE, 101, 102],
        [Op.Label, 101],
        [Op.Branch, 103],
        [Op.Label, 102],
        [Op.Branch, 103],
        [Op.Label, 103],
        [Op.Branch, 104],
        [Op.Label, 104],
        [Op.LoopMerge, 107, 106, 0],
        [Op.BranchConditional, TRUE, 105, 107],
        [Op.Label, 105],
        [Op.Branch, 106],
        [Op.Label, 106],
        [Op.Branch, 104],
        [Op.Label, 107],
        [Op.Return],
    ]
    (function,) = module_of([body]).functions
    staying = 8 / (1 + 1 / 8)
    assert _frequencies(FlowGraph(function)) == pytest.approx(
        [1, 1 / 2, 1 / 2, 1, 8, staying, staying, 1]
    )


def test_slots_of_one_value_are_computed_once():
    """Slot 2 is slot 0, 3 twice slot 1, 4 the sum of the first two, 5 and 6 the same sum again."""
    steps = (
        (2, ((1, 0),)),
        (3, ((2, 1),)),
        (4, ((1, 0), (1, 1))),
        (5, ((1, 1), (1, 2))),
        (6, ((1, 2), (1, 1))),
        (7, ((-1, 1), (1, 3), (1, 2))),
    )
    made = Derivation(8, 8, (0, 1), steps, (0,) * 8, (None, None))
    assert made.originals == (0, 1, 0, 3, 4, 4, 4, 7)
    values = np.zeros((8, 2), np.int64)
    values[:2] = [[5, 7], [1, 2]]
    made.fill(values)
    assert [values[slot].tolist() for slot in (3, 4, 7)] == [[2, 4], [6, 9], [6, 9]]
    assert not values[[2, 5, 6]].any(), "nobody reads them"
    assert made.totals([5, 1]).tolist() == [5, 1, 5, 2, 6, 6, 6, 6]
