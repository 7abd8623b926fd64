"""Places in a text, as the language has them and as the protocol has them.

A `Place` counts lines and characters from 1.  The protocol counts from 0, and columns in UTF-16
code units unless another unit was agreed on (LSP 3.17, "Position").
"""

from __future__ import annotations

import re
from functools import cached_property

from lsprotocol import types
from pygls.workspace import PositionCodec, ServerTextPosition

from shaderlab.language.syntax import Place

_END_OF_LINE = re.compile(r"\r\n?")
_WORD = re.compile(r"\w+")


def plain(text: str) -> str:
    """The text as a compiler can take it: lines end with a line feed, and halves of surrogate
    pairs, which JSON can hold and UTF-8 cannot, are U+FFFD."""
    text = _END_OF_LINE.sub("\n", text)
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


class Places:
    """Of one text, for one client."""

    def __init__(self, text: str, codec: PositionCodec):
        self.text = text
        self._codec = codec

    @cached_property
    def lines(self) -> list[str]:
        """Without their ends.  `str.splitlines`, and pygls with it, would also end lines at form
        feeds and other characters at which neither the protocol nor a compiler does."""
        return self.text.split("\n")

    def place(self, position: types.Position) -> Place:
        """Where a position of the client is; the nearest in the text for one outside."""
        line = min(position.line, len(self.lines) - 1)
        found = self._codec.position_from_client_units(
            self.lines, types.Position(line, position.character)
        )
        return Place(line + 1, min(found.character, len(self.lines[line])) + 1)

    def position(self, place: Place) -> types.Position:
        line = min(max(place.line, 1), len(self.lines)) - 1
        column = min(max(place.column, 1) - 1, len(self.lines[line]))
        return self._codec.position_to_client_units(self.lines, ServerTextPosition(line, column))

    def span(self, place: Place, length: int) -> types.Range:
        """So many characters from a place on."""
        end = Place(place.line, place.column + length)
        return types.Range(self.position(place), self.position(end))

    def whole_lines(self, first: int, last: int) -> types.Range:
        return types.Range(self.position(Place(first, 1)), self.line_end(last))

    def line_end(self, line: int) -> types.Position:
        line = min(max(line, 1), len(self.lines))
        return self.position(Place(line, len(self.lines[line - 1]) + 1))

    def word(self, place: Place) -> types.Range:
        """The word that starts at a place, else the line's text from there; of a line's beginning,
        which stands for the whole line, all that is not blank."""
        line = self.lines[min(max(place.line, 1), len(self.lines)) - 1]
        at = place.column - 1
        if place.column > 1 and (found := _WORD.match(line, at)):
            return self.span(place, len(found[0]))
        if place.column > 1 and at < len(line):
            return self.span(place, 1)
        start = len(line) - len(line.lstrip())
        return self.span(Place(place.line, start + 1), max(len(line.strip()), 1))
