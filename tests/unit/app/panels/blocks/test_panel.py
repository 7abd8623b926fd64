"""Rows of the table of blocks."""

import pytest

from shaderlab.app.panels.blocks.panel import rows_of
from shaderlab.spirv.trace import BlockCount, SourceLine, Trace


def test_rows_name_lines_and_shares():
    lines = (SourceLine("", 3), SourceLine("", 4), SourceLine("", 9), SourceLine("noise.glsl", 2))
    trace = Trace(
        "llvmpipe",
        (4, 4),
        1.0,
        1,
        (
            BlockCount(1, "mainImage", 10, 16, lines, {"OpFAdd": 2, "OpReturn": 1}),
            BlockCount(1, "mainImage", 11, 160, (), {"OpBranch": 1}),
        ),
        1.0,
    )
    first, second = rows_of(trace, {})
    assert first.lines == (3, 4, 9)
    assert first.lines_text == "3\u20134, 9, noise.glsl:2"
    assert second.lines_text == "\u2013"
    assert first.share == pytest.approx(48 / 208)
    assert first.share + second.share == pytest.approx(1)
    assert rows_of(trace, {10: (40, 41)})[0].lines == (40, 41)
