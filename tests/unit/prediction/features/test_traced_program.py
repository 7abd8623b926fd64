"""What is counted of a traced program."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.spirv.trace import BlockCount, SourceLine, Trace

OPCODES = st.dictionaries(
    st.sampled_from(["OpFAdd", "OpFMul", "OpLoad", "OpLine", "OpBranch"]), st.integers(1, 50)
)


def of(*blocks: BlockCount) -> TracedProgram:
    return TracedProgram(None, Trace("made-by-hand", (8, 8), 1.0, 1, blocks, float("nan")))


def block(label: int, count: int, opcodes: dict, lines: dict | None = None) -> BlockCount:
    lines = lines or {}
    return BlockCount(4, "main", label, count, tuple(lines), opcodes, line_instructions=lines)


def test_lines_share_all_executed_instructions_and_descend():
    here, there, include = SourceLine("", 4), SourceLine("", 9), SourceLine("noise.glsl", 2)
    traced = of(
        block(5, 10, {"OpLoad": 4, "OpVariable": 1}, {here: 3}),
        block(6, 70, {"OpFMul": 3, "OpLine": 2}, {here: 1, include: 2}),
        block(7, 0, {"OpFAdd": 9}, {there: 9}),
    )
    found = [(SourceLine(each.file, each.line), each.share) for each in traced.line_shares]
    assert found == [(include, pytest.approx(140 / 260)), (here, pytest.approx(100 / 260))]


def test_a_frame_that_runs_nothing_has_no_shares():
    traced = of(block(5, 0, {"OpLoad": 1}, {SourceLine("", 1): 1}))
    assert not traced.line_shares
    assert traced.instructions == 0


@given(st.lists(st.tuples(st.integers(0, 2**40), OPCODES), max_size=5))
def test_totals_are_sums_over_blocks_without_debug_lines(blocks):
    traced = of(*(block(i, count, opcodes) for i, (count, opcodes) in enumerate(blocks)))
    expected = sum(
        count * n for count, opcodes in blocks for name, n in opcodes.items() if name != "OpLine"
    )
    assert traced.instructions == expected
    assert "OpLine" not in traced.executed
    assert traced.largest_block_count == max((count for count, _ in blocks), default=0)
    names = ("OpFAdd", "OpUnknown")
    outside = sum(traced.instructions_outside(names).values())
    assert outside + traced.executed.get("OpFAdd", 0) == expected
