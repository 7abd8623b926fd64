"""Several small counters in one word.

A block outside all loops runs at most as often per invocation as its function is called, which is
known beforehand.  Such counters need few bits, and storing words is what a traced frame pays for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

WORD_BITS = 32


class Field(NamedTuple):
    """Where a counter lies among the words an invocation stores."""

    word: int
    shift: int
    bits: int

    def read(self, words: np.ndarray) -> np.ndarray:
        """Its values, (…) uint32, from words (words, …) uint32; a view where it has its own."""
        value = words[self.word]
        if self.bits == WORD_BITS:
            return value
        if self.shift:
            value = value >> np.uint32(self.shift)
        return value & np.uint32((1 << self.bits) - 1)


def pack(limits: Sequence[int | None]) -> tuple[Field, ...]:
    """By counter: its field, wide enough for its limit, or a whole word for None."""
    widths = [WORD_BITS if n is None else min(max(1, n.bit_length()), WORD_BITS) for n in limits]
    fields = [Field(0, 0, width) for width in widths]
    word, free = -1, 0
    for counter in sorted(range(len(widths)), key=lambda counter: -widths[counter]):
        width = widths[counter]
        if width > free:
            word, free = word + 1, WORD_BITS
        fields[counter] = Field(word, WORD_BITS - free, width)
        free -= width
    return tuple(fields)
