"""Texts whose lines end in different ways: each line that stays keeps the end it has on disk."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

_END = re.compile(r"\r\n|\r|\n")
_MOST_COMPARED = 250_000
"""Changed lines before x after, beyond which they are paired by their order alone."""


def counted(text: str) -> dict[str, int]:
    """How many lines end in `\\n`, `\\r\\n` and `\\r`."""
    pairs = text.count("\r\n")
    return {"\n": text.count("\n") - pairs, "\r\n": pairs, "\r": text.count("\r") - pairs}


def usual(numbers: Mapping[str, int]) -> str:
    """The end most lines have; `\\n` where there is none."""
    return max(("\n", "\r\n", "\r"), key=lambda end: numbers.get(end, 0))


@dataclass(frozen=True)
class LineEnds:
    """The lines of a text and what ended each."""

    lines: tuple[str, ...]
    ends: tuple[str, ...]
    """Of every line but the last."""

    @classmethod
    def of(cls, text: str) -> LineEnds:
        return cls(tuple(_END.split(text)), tuple(_END.findall(text)))

    @property
    def plain(self) -> str:
        """The text with `\\n` line ends."""
        return "\n".join(self.lines)

    def applied(self, plain: str) -> LineEnds:
        """A changed text (`\\n` line ends): lines that were here keep their end, changed ones that
        of the line they took the place of; new ones get the usual."""
        lines = tuple(plain.split("\n"))
        ends = [usual(Counter(self.ends))] * len(lines)
        for old, new in _paired(self.lines, lines):
            if old < len(self.ends):
                ends[new] = self.ends[old]
        return LineEnds(lines, tuple(ends[:-1]))

    def __str__(self) -> str:
        return "".join(a + b for a, b in zip(self.lines, (*self.ends, ""), strict=True))


def _paired(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Indices of lines that correspond, ascending."""
    shorter = min(len(old), len(new))
    start = next((i for i in range(shorter) if old[i] != new[i]), shorter)
    tail = next((i for i in range(shorter - start) if old[-1 - i] != new[-1 - i]), shorter - start)
    pairs = [(i, i) for i in range(start)]
    middle_old, middle_new = old[start : len(old) - tail], new[start : len(new) - tail]
    if len(middle_old) * len(middle_new) <= _MOST_COMPARED:
        matcher = SequenceMatcher(None, middle_old, middle_new, autojunk=False)
        blocks = [
            (a, b, min(a_end - a, b_end - b)) for _, a, a_end, b, b_end in matcher.get_opcodes()
        ]
    else:
        blocks = [(0, 0, min(len(middle_old), len(middle_new)))]
    pairs += [(start + a + i, start + b + i) for a, b, number in blocks for i in range(number)]
    pairs += [(len(old) - tail + i, len(new) - tail + i) for i in range(tail)]
    return pairs
