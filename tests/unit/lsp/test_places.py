"""Places of the language and positions of the protocol say the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types
from pygls.workspace import PositionCodec

from shaderlab.language.syntax import Place
from shaderlab.lsp.places import Places, plain

ENCODINGS = {"utf-16": "utf-16-le", "utf-8": "utf-8", "utf-32": "utf-32-le"}
UNIT_BYTES = {"utf-16": 2, "utf-8": 1, "utf-32": 4}
TEXTS = st.text(st.sampled_from("ab \t\n\x0c\u2028\u00e9\u4e2d\U0001f600"), max_size=40)


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(text=TEXTS, data=st.data())
def test_every_place_comes_back(encoding: str, text: str, data: st.DataObject):
    places = Places(text, PositionCodec(encoding))
    line = data.draw(st.integers(1, len(places.lines)))
    column = data.draw(st.integers(1, len(places.lines[line - 1]) + 1))
    position = places.position(Place(line, column))
    before = places.lines[line - 1][: column - 1]
    assert position.line == line - 1
    assert position.character == len(before.encode(ENCODINGS[encoding])) // UNIT_BYTES[encoding]
    assert places.place(position) == (line, column)


@given(text=TEXTS, line=st.integers(0, 10**6), character=st.integers(0, 10**6))
def test_positions_outside_the_text_are_in_it(text: str, line: int, character: int):
    places = Places(text, PositionCodec("utf-16"))
    found = places.place(types.Position(line, character))
    assert 1 <= found.line <= len(places.lines)
    assert 1 <= found.column <= len(places.lines[found.line - 1]) + 1


@given(st.text(max_size=40) | st.text(st.characters(categories=["Cs", "Lu"]), max_size=9))
def test_a_plain_text_is_utf8_with_as_many_lines_as_the_editor_has(text: str):
    found = plain(text)
    found.encode()
    ends = text.replace("\r\n", "\n").replace("\r", "\n").count("\n")
    assert found.count("\n") == ends


def test_a_word_is_marked_whole_and_a_line_without_its_indentation():
    places = Places("  float wide = x;\n  // other", PositionCodec("utf-16"))
    assert places.word(Place(1, 9)) == types.Range(types.Position(0, 8), types.Position(0, 12))
    assert places.word(Place(1, 14)) == types.Range(types.Position(0, 13), types.Position(0, 14))
    assert places.word(Place(1, 1)) == types.Range(types.Position(0, 2), types.Position(0, 17))
