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
    """What the margin shows beside a line: how often it ran, and its part of the predicted time."""

    text: str
    """The count."""
    heat: int
    """Index into `Theme.heat`, by runs per pixel."""
    tip: str
    share: str | None = None
    """Part of the time, empty for a negligible one; None where no time is predicted."""
    share_heat: int = 0
    """Index into `Theme.heat`, by share."""


COUNT_CHARACTERS, SHARE_CHARACTERS = 6, 6
"""Of the margin's columns, gaps included."""


def margin_text(note: LineNote, counts: bool, shares: bool) -> tuple[tuple[str, int | None], ...]:
    """Pieces of the margin's text, each with its heat, None for a plain one.

    One column is hot, not two: shares of time where they are shown and known, else counts.
    """
    told = shares and note.share is not None
    pieces: list[tuple[str, int | None]] = []
    if counts:
        text = f"{note.text:>{COUNT_CHARACTERS - 1}} "
        pieces.append((text, None if told else note.heat))
    if shares:
        text = f" {note.share or '':>{SHARE_CHARACTERS - 2}} "
        pieces.append((text, note.share_heat if told and note.share else None))
    return tuple(pieces)


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
