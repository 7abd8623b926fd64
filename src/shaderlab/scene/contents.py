"""Bytes that lie in a file until they are needed: of textures, buffers and attachments."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from shaderlab import files
from shaderlab.errors import WrongUse

LARGEST_FILE = 16 << 30


class Piece(NamedTuple):
    """Bytes in a row, which several contents may share."""

    digest: str
    """SHA-256, hex."""
    at: int
    """Where they begin in the file."""
    nbytes: int


@dataclass(frozen=True)
class Contents:
    """Bytes kept in pieces of a file.  Equal where the bytes are, wherever they lie."""

    path: Path = field(compare=False)
    pieces: tuple[Piece, ...] = field(compare=False, repr=False)
    digest: str = field(init=False)
    """SHA-256 of the pieces' digests, hex."""
    nbytes: int = field(init=False)

    def __post_init__(self) -> None:
        joined = "".join(piece.digest for piece in self.pieces)
        object.__setattr__(self, "digest", hashlib.sha256(joined.encode()).hexdigest())
        object.__setattr__(self, "nbytes", sum(piece.nbytes for piece in self.pieces))

    def read(self) -> bytes:
        """All of them.  Raises WrongUse where the file is damaged or gone."""
        found = bytearray(self.nbytes)
        at = 0
        with files.open_regular(self.path, LARGEST_FILE) as file:
            for piece in self.pieces:
                file.seek(piece.at)
                data = file.read(piece.nbytes)
                if len(data) != piece.nbytes or hashlib.sha256(data).hexdigest() != piece.digest:
                    raise WrongUse(f"cannot read {self.path}: it is damaged")
                found[at : at + len(data)] = data
                at += len(data)
        return bytes(found)


@lru_cache(maxsize=256)
def small(contents: Contents) -> bytes:
    """`contents.read()`, kept: for blocks, which are read for every frame."""
    return contents.read()
