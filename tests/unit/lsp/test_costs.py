"""Text of others in Markdown says what it says, and nothing else."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol.types import Position
from pygls.workspace import PositionCodec

from shaderlab.frontend.program import Dialect, Program
from shaderlab.frontend.stage import Stage
from shaderlab.lsp.analysis import Analysis, Text
from shaderlab.lsp.costs import escaped, fenced, hints, hover, lenses
from shaderlab.lsp.documents import Document
from shaderlab.prediction.forecast import Forecast, Validation
from shaderlab.prediction.line_shares import LineShares


@given(st.text(st.sampled_from("a`*_[]()<>#|&~\\\n "), max_size=30))
def test_nothing_in_escaped_text_is_markup(text: str):
    found = escaped(text)
    assert "\n" not in found
    assert not re.search(r"(?<!\\)(?:\\\\)*[`*_\[\]<>#|~&]", found)
    assert re.sub(r"\\(.)", r"\1", found) == " ".join(text.split())


@given(st.text(st.sampled_from("a`\n"), max_size=30))
def test_no_text_ends_its_block(text: str):
    first, *lines, last = fenced(text).split("\n")
    fence = first.removesuffix("glsl")
    assert last == fence
    assert "\n".join(lines) == text
    assert fence not in text


@pytest.mark.parametrize(
    ("stage", "per"), [(Stage.FRAGMENT, "pixel"), (Stage.COMPUTE, "invocation")]
)
def test_counts_are_per_pixel_or_per_invocation(stage: Stage, per: str):
    program = Program("a", next(iter(Dialect)), "", b"", "main", stage=stage)
    assert Analysis(Text("a", None, ""), program).per == per


SEEN = "void main() {\n  float a = 1.0;\n}\n"


@pytest.fixture
def counted() -> Document:
    """Open, counted and predicted: most of the time goes to line 2."""
    document = Document("untitled:a.frag", SEEN, 1, PositionCodec())
    program = Program("a", next(iter(Dialect)), SEEN, b"", "main", stage=Stage.FRAGMENT)
    error = Validation(0.1, 0.9, 100, "here", 0.1)
    lines = LineShares([("", 2, 0.6), ("", 1, 0.3), ("", 3, 0.004), ("b.glsl", 1, 0.05)])
    forecast = Forecast("rtx3060", 1e-3, 9e-4, 2e-3, "additive", "basis", error, lines)
    document.take(Analysis(document.text, program, forecasts=(forecast,)))
    return document


def test_shares_stand_behind_lines_of_the_text_they_are_of(counted: Document):
    found = hints(counted, {}, 1, 9)
    assert [(each.position.line, each.label) for each in found] == [(0, "30 %"), (1, "60 %")]
    assert all(each.padding_left for each in found), "apart from the line's text"
    assert [each.position.line for each in hints(counted, {}, 2, 9)] == [1]
    shown = hover(counted, Position(1, 2), {}, False)
    assert shown is not None
    assert "60 %" in str(shown.contents)


def test_an_edited_text_has_no_shares_until_it_is_counted(counted: Document):
    counted.edit("\n" + SEEN, 2)
    assert hints(counted, {}, 1, 9) == []
    assert hover(counted, Position(1, 2), {}, False) is None
    first = lenses(counted, {})[0].command
    assert first is not None
    assert first.title.startswith("counting")
    counted.edit(SEEN, 3)
    assert len(hints(counted, {}, 1, 9)) == 2
