"""How often lanes go through code under a mask, given how often they run it."""

import numpy as np
import pytest

from shaderlab.spirv.analysis.cfg import FlowGraph
from shaderlab.spirv.analysis.predication import predication
from shaderlab.spirv.grammar import Op
from tests.unit.spirv.walking import MAIN, TRUE, VOID, module_of

BRANCH_THEN_LOOPS = [
    [Op.Label, 100],
    [Op.SelectionMerge, 102, 0],
    [Op.BranchConditional, TRUE, 101, 102],
    [Op.Label, 101],
    [Op.FunctionCall, VOID, 200, MAIN + 1],
    [Op.Branch, 102],
    [Op.Label, 102],
    [Op.Branch, 103],
    [Op.Label, 103],
    [Op.LoopMerge, 107, 106, 0],
    [Op.BranchConditional, TRUE, 104, 107],
    [Op.Label, 104],
    [Op.LoopMerge, 106, 105, 0],
    [Op.BranchConditional, TRUE, 105, 106],
    [Op.Label, 105],
    [Op.Branch, 104],
    [Op.Label, 106],
    [Op.Branch, 103],
    [Op.Label, 107],
    [Op.Return],
]


@pytest.mark.parametrize(
    ("counts", "through"),
    [
        # Nobody takes the branch, all make two rounds of the outer loop, three of the inner each.
        ([8, 0, 8, 24, 64, 48, 16, 8, 0], [8, 8, 8, 24, 64, 64, 24, 8, 8]),
        # Half take it; two lanes make a round of the outer loop, and none of the inner.
        ([8, 4, 8, 10, 2, 0, 2, 8, 4], [8, 8, 8, 10, 2, 2, 10, 8, 8]),
        # The loops are in front of all lanes, and none is in them.
        ([8, 0, 0, 0, 0, 0, 0, 8, 0], [8, 8, 8, 8, 8, 8, 8, 8, 8]),
        ([0] * 9, [0] * 9),
    ],
)
def test_a_mask_takes_all_lanes_along(counts, through):
    module = module_of([BRANCH_THEN_LOOPS, [[Op.Label, 110], [Op.Return]]])
    graphs = [FlowGraph(function) for function in module.functions]
    found = predication(module, graphs).executions(np.array(counts))
    assert found.tolist() == through


def test_a_function_is_gone_through_once_for_each_call():
    calls = [[Op.FunctionCall, VOID, 200 + n, MAIN + 1] for n in range(3)]
    module = module_of([[[Op.Label, 100], *calls, [Op.Return]], [[Op.Label, 110], [Op.Return]]])
    graphs = [FlowGraph(function) for function in module.functions]
    assert predication(module, graphs).executions(np.array([5, 15])).tolist() == [5, 15]
    assert predication(module, graphs).executions(np.array([5, 3])).tolist() == [5, 15]


def test_functions_without_bodies_have_no_blocks():
    module = module_of([[[Op.Label, 100], [Op.Return]], []])
    graphs = [FlowGraph(function) for function in module.functions]
    assert predication(module, graphs).executions(np.array([7])).tolist() == [7]
