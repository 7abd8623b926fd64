"""A document's versions on the disk: bytes for them and back, read as anyone's file.

The file is a mark, then for each version the length of its part (4 bytes, little-endian) and the
part: JSON, deflated.  Each is packed once, so that a long history costs little with every edit.
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Iterable, Mapping
from functools import lru_cache

from shaderlab.app.editor.limits import unshowable
from shaderlab.app.session.counted_run import CountedRun
from shaderlab.app.session.versions import (
    LONGEST_NAME,
    MOST_CHARACTERS,
    MOST_VERSIONS,
    Version,
)
from shaderlab.prediction.line_shares import LineShares

MARK = b"shaderlab versions 1\n"
MOST_BYTES = 16 << 20
"""Of a file."""
_MOST_PART = 4 * MOST_CHARACTERS
"""Of one version, inflated."""
_MOST_TIMES = 500
_MOST_LINES = 20_000
_LONGEST_FORM = 4000
"""Of a frame's time it names the forms of all passes."""
_MOST_TARGETS = 100
_LATEST = 32_503_680_000.0
"""The year 3000, in Unix time: later ones are no dates everywhere."""


def encode(versions: Iterable[Version]) -> bytes:
    """As many as fit into MOST_BYTES: those with a name first, then the newest."""
    found = [(version, _packed(_Hashed(version))) for version in versions]
    kept: set[int] = set()
    size = len(MARK)
    for at in sorted(range(len(found)), key=lambda at: (not found[at][0].name, -at)):
        part = found[at][1]
        if size + len(part) + 4 <= MOST_BYTES:
            kept.add(at)
            size += len(part) + 4
    parts = (part for at, (_, part) in enumerate(found) if at in kept)
    return MARK + b"".join(len(part).to_bytes(4, "little") + part for part in parts)


class _Hashed:
    """A version by identity: what is packed once is not packed again."""

    def __init__(self, version: Version):
        self.version = version

    def __hash__(self) -> int:
        return id(self.version)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Hashed) and self.version is other.version


@lru_cache(maxsize=2 * MOST_VERSIONS)
def _packed(hashed: _Hashed) -> bytes:
    version = hashed.version
    data = {
        "text": version.text,
        "at": version.at,
        "name": version.name,
        "run": [*version.run.size, version.run.time_s] if version.run is not None else None,
        "times": [[*map(str, key), time_s] for key, time_s in version.times_s.items()],
        "lines": {
            target: [[part.line for part in shares], [round(part.share, 6) for part in shares]]
            for target, shares in version.lines.items()
        },
    }
    return zlib.compress(json.dumps(data).encode(), 6)


def decode(data: bytes) -> tuple[Version, ...]:
    """What a file holds, oldest first; parts that are not ours are left out."""
    if not data.startswith(MARK):
        return ()
    found: list[Version] = []
    at, characters = len(MARK), 0
    while at + 4 <= len(data) and len(found) < MOST_VERSIONS:
        length = int.from_bytes(data[at : at + 4], "little")
        part, at = data[at + 4 : at + 4 + length], at + 4 + length
        version = _unpacked(part)
        if version is not None:
            characters += len(version.text)
            if characters > MOST_CHARACTERS:
                break
            found.append(version)
    return tuple(found)


def _unpacked(part: bytes) -> Version | None:
    try:
        inflating = zlib.decompressobj()
        plain = inflating.decompress(part, _MOST_PART)
        if inflating.unconsumed_tail:
            return None
        data = json.loads(plain)
        text, at, name = data["text"], float(data["at"]), data["name"]
        if not (isinstance(text, str) and text and isinstance(name, str) and 0 <= at < _LATEST):
            return None
        if "\0" in text or unshowable(text):
            return None
        (text + name).encode()  # halves of surrogate pairs are no text
        run = _run(data.get("run"))
        times = dict(map(_time, data["times"][:_MOST_TIMES])) if run is not None else {}
        lines = _lines(data["lines"])
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return None
    except (OverflowError, zlib.error):
        return None
    return Version(0, text, at, times, lines, name[:LONGEST_NAME], run=run)


def _run(data: list | None) -> CountedRun | None:
    """The frame of a version's times; without it they are of no use."""
    if data is None:
        return None
    width, height, time_s = data
    run = CountedRun((int(width), int(height)), float(time_s))
    if not (min(run.size) > 0 and math.isfinite(run.time_s)):
        raise ValueError(data)
    return run


def _time(entry: list) -> tuple[tuple[str, str, str], float]:
    target, method, form, time_s = entry
    if not (isinstance(target, str) and isinstance(method, str)):
        raise TypeError(entry)
    seconds = float(time_s)
    if not (math.isfinite(seconds) and seconds > 0):
        raise ValueError(entry)
    if not isinstance(form, str) or len(form) > _LONGEST_FORM:
        raise TypeError(entry)
    return (target, method, form), seconds


def _lines(data: Mapping[str, list]) -> dict[str, LineShares]:
    found = {}
    for target, (lines, shares) in list(data.items())[:_MOST_TARGETS]:
        if len(lines) > _MOST_LINES or len(lines) != len(shares):
            raise ValueError(target)
        parts = [("", int(line), float(share)) for line, share in zip(lines, shares, strict=True)]
        if any(not 0 <= share <= 1 or not 0 < line < 1 << 31 for _, line, share in parts):
            raise ValueError(target)
        found[str(target)] = LineShares(parts)
    return found
