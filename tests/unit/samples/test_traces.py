"""A sample's counts with the module they are of, and not with another."""

from __future__ import annotations

from dataclasses import replace
from math import isnan

import pytest

from shaderlab.errors import InvalidSample
from shaderlab.frontend.program import Dialect, Program
from shaderlab.samples.recording import identified
from shaderlab.samples.sample import BlockRecord, Sample, TraceRecord
from shaderlab.samples.traces import counted, trace_of
from shaderlab.spirv.grammar import Op
from tests.unit.samples.builders import sample
from tests.unit.spirv.walking import MAIN, TRUE, UINT, VOID, ZERO, module_of

FUNCTIONS = [
    [
        [Op.Label, 100],
        [Op.IAdd, UINT, 110, ZERO, ZERO],
        [Op.SelectionMerge, 102, 0],
        [Op.BranchConditional, TRUE, 101, 102],
        [Op.Label, 101],
        [Op.FunctionCall, VOID, 111, MAIN + 1],
        [Op.Branch, 102],
        [Op.Label, 102],
        [Op.Return],
    ],
    [[Op.Label, 103], [Op.Return]],
    [[Op.Label, 104], [Op.IMul, UINT, 112, ZERO, ZERO], [Op.Return]],
]
"""The third function is called by nobody."""
PROGRAM = Program("p", Dialect.SPIRV, "", module_of(FUNCTIONS).to_bytes(), "main")
OPERATIONS = [
    {"OpIAdd": 1, "OpSelectionMerge": 1, "OpBranchConditional": 1},
    {"OpFunctionCall": 1, "OpBranch": 1},
    {"OpReturn": 1},
    {"OpReturn": 1},
]


def recorded(counts=(8, 4, 8, 4), groups=(1, 1, 1, 1), operations=OPERATIONS) -> TraceRecord:
    blocks = [
        BlockRecord(count, group, each, ())
        for count, group, each in zip(counts, groups, operations, strict=True)
    ]
    return TraceRecord("llvmpipe", {}, tuple(blocks), 0)


def of_program(record: TraceRecord | None) -> Sample:
    made = sample()
    program = replace(made.program, digest=PROGRAM.digest)
    return identified(replace(made, program=program, trace=record))


def test_the_trace_is_the_one_that_was_recorded():
    made = of_program(recorded())
    trace = trace_of(made, PROGRAM)
    assert [block.count for block in trace.blocks] == [8, 4, 8, 4]
    assert [block.lane_groups for block in trace.blocks] == [1, 1, 1, 1]
    assert (trace.device, trace.size, trace.time_s, trace.frame) == ("llvmpipe", (64, 48), 1.0, 1)
    assert isnan(trace.slowdown)


def test_lane_groups_count_where_every_block_has_them():
    trace = counted(recorded(groups=(1, None, 1, 1)), sample().inputs, PROGRAM)
    assert [block.lane_groups for block in trace.blocks] == [None] * 4


def test_counts_of_another_program_are_refused():
    with pytest.raises(InvalidSample, match="is of a different program than p"):
        trace_of(sample(), PROGRAM)


@pytest.mark.parametrize("record", [None, TraceRecord("llvmpipe", {}, (), 0)])
def test_without_counts_there_is_no_trace(record):
    with pytest.raises(InvalidSample, match="holds no counts of basic blocks"):
        trace_of(of_program(record), PROGRAM)


def test_counts_of_other_blocks_are_refused():
    short = recorded((8, 4, 8), (1, 1, 1), OPERATIONS[:3])
    with pytest.raises(InvalidSample, match="counts 3 basic blocks, p has 4"):
        counted(short, sample().inputs, PROGRAM)
    other = recorded(operations=[*OPERATIONS[:3], {"OpKill": 1}])
    with pytest.raises(InvalidSample, match="counts other basic blocks than those of p"):
        counted(other, sample().inputs, PROGRAM)
