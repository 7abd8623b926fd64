"""Answers that outlive a process, in a folder that never holds more than so many bytes.

An entry is written whole or not at all, follows its SHA-256, and is checked against the types of
its question's answer when it is read; one that is damaged counts as missing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from shaderlab import errors, files
from shaderlab.engine.coding import decoded, encoded
from shaderlab.engine.keys import file_digest
from shaderlab.errors import InvalidModule, ShaderlabError, UnsupportedShader, WrongUse

MOST_BYTES = 512 << 20
"""Of all entries; the ones used longest ago go."""
_LARGEST_ENTRY = 64 << 20
_SUFFIX = ".answer"
_LASTING = (UnsupportedShader, InvalidModule)
"""Errors that say something of the arguments, so that another time brings the same."""


@dataclass(frozen=True)
class Known:
    """An answer or an error, and what it was read from."""

    answer: Any = None
    error: ShaderlabError | None = None
    read: Mapping[str, str] | None = None
    """Digests of the files it follows from, by path; empty ones of files that were not there."""

    @property
    def is_valid(self) -> bool:
        """Whether those files are the same now."""
        return all(file_digest(Path(path)) == digest for path, digest in (self.read or {}).items())

    @property
    def is_lasting(self) -> bool:
        return self.error is None or isinstance(self.error, _LASTING)


class _Entry(msgspec.Struct, array_like=True):
    read: dict[str, str]
    error: tuple[str, str, str] | None
    """Its class, its words and its remedy."""
    answer: bytes


_DECODER = msgspec.msgpack.Decoder(_Entry)


class Store:
    """Used from several threads and processes."""

    def __init__(self, folder: Path, most_bytes: int = MOST_BYTES):
        """Raises WrongUse where the folder cannot be made."""
        files.make_folder(folder)
        self._folder, self._most_bytes, self._has_grown = folder, most_bytes, False

    def read(self, key: str, kind: Any) -> Known | None:
        """What is known under a key; None where that is nothing, or no longer valid."""
        path = self._path(key)
        try:
            data = files.read_bytes(path, _LARGEST_ENTRY)
            if hashlib.sha256(data[32:]).digest() != data[:32]:
                return None
            entry = _DECODER.decode(data[32:])
            error = _error(*entry.error) if entry.error else None
            answer = None if error else decoded(entry.answer, kind)
        except (WrongUse, msgspec.MsgspecError, ValueError, TypeError):
            return None
        known = Known(answer, error, entry.read)
        if not known.is_valid:
            return None
        with suppress(OSError):
            path.touch()
        return known

    def write(self, key: str, known: Known) -> None:
        """What cannot be written down is asked again: nothing is raised."""
        error = known.error
        said = (type(error).__name__, str(error), error.remedy) if error else None
        answer = b"" if error else encoded(known.answer)
        data = msgspec.msgpack.encode(_Entry(dict(known.read or {}), said, answer))
        data = hashlib.sha256(data).digest() + data
        if len(data) <= _LARGEST_ENTRY:
            with suppress(OSError):
                files.write(self._path(key), data, durable=False)
                self._has_grown = True

    def evict(self) -> None:
        """Remove the entries used longest ago, so that the others fit, after new ones came."""
        if not self._has_grown:
            return
        found = []
        for path in self._folder.glob(f"*{_SUFFIX}"):
            with suppress(OSError):
                status = path.stat()
                found.append((status.st_mtime_ns, status.st_size, path))
        total = 0
        for _, size, path in sorted(found, reverse=True):
            total += size
            if total > self._most_bytes:
                with suppress(OSError):
                    path.unlink()

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}{_SUFFIX}"


def _error(name: str, words: str, remedy: str) -> ShaderlabError:
    """Raises ValueError for one that is never written."""
    kind = getattr(errors, name, None)
    if kind not in _LASTING:
        raise ValueError(name)
    return kind(words).with_remedy(remedy)
