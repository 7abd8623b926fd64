"""Problems as the editor marks them: which line, which token."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Mark:
    """A problem to show at a line (from 1); `column` from 1, 0 for the whole line."""

    line: int
    column: int
    error: bool
    message: str


def marks_by_line(marks: Sequence[Mark]) -> dict[int, Mark]:
    """One mark per line: an error before a warning, messages of the same kind joined."""
    kept: dict[int, Mark] = {}
    for mark in marks:
        known = kept.get(mark.line)
        if known is None or (mark.error and not known.error):
            kept[mark.line] = mark
        elif known.error == mark.error and mark.message not in known.message.split("\n"):
            joined = f"{known.message}\n{mark.message}"
            kept[mark.line] = Mark(mark.line, known.column, mark.error, joined)
    return kept


def underlined(text: str, mark: Mark) -> tuple[int, int]:
    """Columns (from 0, end excluded) to underline in a line: the token meant, else the statement.

    glslang gives no columns but names the token in quotes at the message's start.
    """
    named = re.match(r"'([^']+)'", mark.message)
    if named:
        start = max(mark.column - 1, 0)
        found = re.search(rf"(?<!\w){re.escape(named[1])}(?!\w)", text[start:])
        if found:
            return start + found.start(), start + found.end()
    if 0 < mark.column <= len(text):
        word = re.compile(r"\w+|\S").match(text, mark.column - 1)
        if word:
            return word.span()
    return len(text) - len(text.lstrip()), len(text.rstrip())
