"""Pieces of contents in a file, and the reason that ends reading."""

import hashlib
import pathlib

PIECE = 1 << 16
"""Bytes of a piece: small enough that what a draw leaves alone in an attachment is shared."""


class Refused(Exception):
    """The sentence says why a draw, or the whole capture, cannot be read."""


class Pack:
    """Pieces of contents in a file, each once."""

    def __init__(self, path, limit, grows, first=0):
        """`grows` is called for all that is added.  `first`: number of the next piece, after those
        that another process left in the file."""
        self._grows = grows
        self._file = pathlib.Path(path).open("ab" if first else "wb")  # noqa: SIM115
        self._limit = limit
        self._end = self._file.tell()
        self._first = first
        self._known = {}
        self.new = []

    def add(self, data):
        self._grows()
        numbers = []
        for start in range(0, len(data), PIECE):
            piece = bytes(data[start : start + PIECE])
            digest = hashlib.sha256(piece).hexdigest()
            if digest not in self._known:
                if self._end + len(piece) > self._limit:
                    raise Refused(f"its contents exceed {self._limit >> 20} MiB")
                self._known[digest] = self._first + len(self._known)
                self.new.append([digest, self._end, len(piece)])
                self._file.write(piece)
                self._end += len(piece)
            numbers.append(self._known[digest])
        return numbers

    def taken(self):
        self._file.flush()
        new, self.new = self.new, []
        return new
