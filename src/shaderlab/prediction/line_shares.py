"""What the source lines of a program take of a predicted time."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np


@dataclass(frozen=True)
class LineShare:
    """Part of a forecast's time above the floor that one source line accounts for."""

    file: str
    """Empty for the document itself."""
    line: int
    share: float
    """Fraction of the whole forecast, 0..1; shares sum to at most 1."""


class LineShares(Sequence[LineShare]):
    """Shares by line, immutable, in the order they were given in.

    Kept as columns: thousands of lines for each of a dozen targets would otherwise be half a
    million objects wherever forecasts are sent.
    """

    __slots__ = ("_file", "_files", "_line", "_share")

    def __init__(self, parts: Iterable[tuple[str, int, float]] = ()):
        """`parts`: file, line and share, as in LineShare."""
        files, lines, shares = tuple(zip(*parts, strict=True)) or ((), (), ())
        self._files = tuple(dict.fromkeys(files))
        number = {file: n for n, file in enumerate(self._files)}
        self._file = array("i", [number[file] for file in files])
        self._line, self._share = array("i", lines), array("d", shares)

    def __len__(self) -> int:
        return len(self._share)

    @overload
    def __getitem__(self, index: int) -> LineShare: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[LineShare, ...]: ...
    def __getitem__(self, index):
        if isinstance(index, slice):
            return tuple(self._at(i) for i in range(*index.indices(len(self))))
        return self._at(index)

    def __iter__(self) -> Iterator[LineShare]:
        return map(self._at, range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LineShares):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash((self._files, self._line.tobytes(), self._share.tobytes()))

    def __repr__(self) -> str:
        return f"LineShares({list(self)!r})"

    @property
    def total(self) -> float:
        """Part of the whole forecast that all lines account for, 0..1."""
        return min(sum(self._share), 1.0)

    def scaled(self, factor: float) -> LineShares:
        """All of them so many times, over the same lines; none at all for a factor of 0."""
        if not factor:
            return NO_LINES
        found = LineShares.__new__(LineShares)
        found._files, found._file, found._line = self._files, self._file, self._line
        found._share = array("d", (np.asarray(self._share) * factor).tobytes())
        return found

    def of_document(self, least: float) -> LineShares:
        """Those of the document itself whose share is at least `least`."""
        own = self._files.index("") if "" in self._files else -1
        kept = np.flatnonzero((np.asarray(self._share) >= least) & (np.asarray(self._file) == own))
        return LineShares(("", self._line[n], self._share[n]) for n in kept.tolist())

    def _at(self, index: int) -> LineShare:
        return LineShare(self._files[self._file[index]], self._line[index], self._share[index])


NO_LINES = LineShares()
