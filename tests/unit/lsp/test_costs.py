"""Text of others in Markdown says what it says, and nothing else."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.frontend.program import Dialect, Program
from shaderlab.frontend.stage import Stage
from shaderlab.lsp.analysis import Analysis, Text
from shaderlab.lsp.costs import escaped, fenced


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
