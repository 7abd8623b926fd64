"""Text of others in Markdown says what it says, and nothing else."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

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
