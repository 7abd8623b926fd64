"""Dominators, loops and calls, against definitions carried out literally."""

import pytest
from hypothesis import given, settings

from shaderlab.errors import InvalidModule
from shaderlab.spirv.analysis.cfg import FlowGraph, call_order, callers_of, reachable_blocks
from shaderlab.spirv.grammar import Op
from tests.unit.spirv.passes.test_counter_placement import programs
from tests.unit.spirv.walking import MAIN, TRUE, VOID, module_of


def reachable(graph, start, without=None):
    seen, pending = set(), [start]
    while pending:
        block = pending.pop()
        if block != without and block not in seen:
            seen.add(block)
            pending += graph.successors[block]
    return seen


@given(programs())
@settings(max_examples=100)
def test_dominators_and_cycles_match_their_definitions(module):
    for function in module.functions:
        graph = FlowGraph(function)
        everything = reachable(graph, 0)
        assert set(graph.postorder) == everything
        for below in range(len(graph)):
            for above in range(len(graph)):
                expected = below in everything and below not in reachable(graph, 0, without=above)
                assert graph.dominates(above, below) == expected
            again = any(below in reachable(graph, after) for after in graph.successors[below])
            assert graph.cyclic[below] == again
        for header, members in graph.loops.items():
            assert all(graph.dominates(header, member) for member in members)
            assert all(graph.cyclic[member] for member in members)


@given(programs())
@settings(max_examples=100)
def test_deciders_match_their_definition(module):
    for function in module.functions:
        graph = FlowGraph(function)
        everything = reachable(graph, 0)
        exits = {block for block in everything if not graph.successors[block]}

        def always_leads_to(start, block, graph=graph, exits=exits):
            return start == block or not exits & reachable(graph, start, without=block)

        if not all(exits & reachable(graph, block) for block in everything):
            continue  # where nothing leaves a loop, what follows it is a matter of taste
        for block in range(len(graph)):
            expected = {
                decider
                for decider in everything
                if any(always_leads_to(after, block) for after in graph.successors[decider])
                and not (block != decider and always_leads_to(decider, block))
                and block in everything
            }
            assert graph.deciders[block] == expected


def test_a_loop_nothing_leaves_has_deciders_too():
    module = module_of(
        [
            [
                [Op.Label, 100],
                [Op.BranchConditional, TRUE, 101, 103],
                [Op.Label, 101],
                [Op.Branch, 102],
                [Op.Label, 102],
                [Op.Branch, 101],
                [Op.Label, 103],
                [Op.Return],
            ]
        ]
    )
    graph = FlowGraph(module.functions[0])
    assert [0 in deciders for deciders in graph.deciders] == [False, True, True, True]


def test_structured_loop():
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
    graph = FlowGraph(module.functions[0])
    assert graph.successors == [(1,), (2, 4), (3,), (1,), ()]
    assert graph.predecessors[1] == [0, 3]
    assert graph.merges == {1: 4}
    assert graph.continues == {1: 3}
    assert graph.loops == {1: frozenset({1, 2, 3})}
    assert graph.loops_around == [(), (1,), (1,), (1,), ()]
    assert graph.ways_in(1) == [0]
    assert graph.immediate_dominators == [0, 0, 1, 2, 1]


def test_switch_cases_of_64_bits_take_two_words():
    module = module_of(
        [
            [
                [Op.Label, 100],
                [Op.Switch, 300, 101, 0, 0, 102],
                [Op.Label, 101],
                [Op.Return],
                [Op.Label, 102],
                [Op.Return],
            ]
        ]
    )
    with pytest.raises(InvalidModule, match="%300 is used but nothing defines it"):
        FlowGraph(module.functions[0])


@pytest.mark.parametrize("target", [MAIN, VOID, 9999])
def test_branches_must_stay_inside(target):
    module = module_of([[[Op.Label, 100], [Op.Branch, target]]])
    with pytest.raises(InvalidModule, match=f"branches to %{target}"):
        FlowGraph(module.functions[0])


@pytest.mark.parametrize(
    "merge",
    [
        [Op.SelectionMerge, 0, 0],
        [Op.SelectionMerge, VOID, 0],
        [Op.LoopMerge, 101, 0, 0],
        [Op.LoopMerge, 0, 101, 0],
    ],
)
def test_merges_must_stay_inside(merge):
    function = [[Op.Label, 100], merge, [Op.Branch, 101], [Op.Label, 101], [Op.Return]]
    with pytest.raises(InvalidModule, match="merges at"):
        _ = FlowGraph(module_of([function]).functions[0]).merges


def test_recursion_is_refused():
    call = [[Op.Label, 100], [Op.FunctionCall, VOID, 200, MAIN + 1], [Op.Return]]
    back = [[Op.Label, 101], [Op.FunctionCall, VOID, 201, MAIN], [Op.Return]]
    with pytest.raises(InvalidModule, match="calls itself"):
        call_order(module_of([call, back]), MAIN)


def test_calls_of_what_is_no_function_or_has_no_body_are_refused():
    call = [[Op.Label, 100], [Op.FunctionCall, VOID, 200, VOID], [Op.Return]]
    with pytest.raises(InvalidModule, match="is not a function"):
        call_order(module_of([call]), MAIN)
    call[1][3] = MAIN + 1
    with pytest.raises(InvalidModule, match="has no body"):
        call_order(module_of([call, []]), MAIN)


def test_callees_come_before_their_callers():
    def calling(label, *callees):
        calls = [[Op.FunctionCall, VOID, label * 10 + c, MAIN + c] for c in callees]
        return [[Op.Label, label], *calls, [Op.Return]]

    module = module_of([calling(100, 2, 1), calling(101, 2), calling(102), calling(103, 0)])
    assert [function.id - MAIN for function in call_order(module, MAIN)] == [2, 1, 0]
    assert callers_of(module, [MAIN + 1]) == {MAIN, MAIN + 1, MAIN + 3}


def test_what_calls_itself_through_another_is_refused():
    def calling(label: int, result: int, callee: int) -> list[list[int]]:
        return [[Op.Label, label], [Op.FunctionCall, VOID, result, callee], [Op.Return]]

    module = module_of([calling(100, 200, 11), calling(101, 201, 12), calling(102, 202, 11)])
    with pytest.raises(InvalidModule, match="calls itself"):
        call_order(module, MAIN)


def test_blocks_are_known_by_their_function_and_label():
    ending = [[Op.Return]]
    call = [Op.FunctionCall, VOID, 200, MAIN + 2]
    module = module_of(
        [[[Op.Label, 100], call, *ending], [[Op.Label, 101], *ending], [[Op.Label, 102], *ending]]
    )
    (entry,) = module.entry_points
    assert reachable_blocks(module, entry) == [(MAIN, 100), (MAIN + 2, 102)]
