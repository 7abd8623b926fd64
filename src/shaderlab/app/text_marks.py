"""What the editor shows on its lines, and the pure parts of what it does to them."""

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


@dataclass(frozen=True)
class LineNote:
    """What the count margin shows beside a line."""

    text: str
    heat: int
    """Index into `Theme.heat`."""
    tip: str


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


def expression(pattern: str, *, case: bool, word: bool, regex: bool) -> re.Pattern | None:
    """A search as Python's expression; None for an empty or malformed pattern."""
    if not pattern:
        return None
    source = pattern if regex else re.escape(pattern)
    try:
        return re.compile(rf"\b(?:{source})\b" if word else source, 0 if case else re.IGNORECASE)
    except re.error:
        return None


def comment_toggled(lines: Sequence[str]) -> list[str]:
    """The lines commented out, or brought back where all that are not blank were comments."""
    filled = [line for line in lines if line.strip()]
    if not filled:
        return list(lines)
    if all(line.lstrip().startswith("//") for line in filled):
        return [re.sub(r"^(\s*)// ?", r"\1", line) for line in lines]
    indent = min(len(line) - len(line.lstrip()) for line in filled)
    return [f"{line[:indent]}// {line[indent:]}" if line.strip() else line for line in lines]
