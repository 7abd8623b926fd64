"""One draw of a capture by itself: the same lines and pieces, without the others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from shaderlab.captures.opening import LINES, PACK, records
from shaderlab.captures.schema import CaptureRecord, CountersRecord, DrawRecord, NewPiece
from shaderlab.errors import WrongUse
from shaderlab.scene.contents import Contents, Piece

_NAMING = ("spirv", "data", "indices", "before", "after", "levels")
"""Fields whose numbers name pieces."""


def parts(source: Path, event: int) -> dict[str, bytes]:
    """What one draw needs of a folder of `opening`: contents by name of file.

    Raises WrongUse where it lacks the draw.
    """
    pieces: list[NewPiece] = []
    lines: list[dict[str, Any]] = []
    needed: dict[int, int] = {}
    for record in records(source):
        made = msgspec.to_builtins(record)
        if isinstance(record, CaptureRecord):
            made["draws"] = [each for each in made["draws"] if each["event"] == event]
        elif isinstance(record, DrawRecord):
            pieces += record.pieces
            if record.event != event:
                continue
            _renumber(made, needed)
        elif isinstance(record, CountersRecord):
            made["values"] = {k: v for k, v in made["values"].items() if k == str(event)}
        lines.append(made)
    drawn = next((line for line in lines if line["kind"] == "draw"), None)
    if drawn is None or any(number >= len(pieces) for number in needed):
        raise WrongUse(f"the capture has no draw {event}")
    chosen = tuple(Piece(*pieces[number]) for number in needed)
    drawn["pieces"], at = [], 0
    for piece in chosen:
        drawn["pieces"].append((piece.digest, at, piece.nbytes))
        at += piece.nbytes
    text = b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
    return {PACK: Contents(source / PACK, chosen).read(), LINES: text}


def _renumber(part: Any, needed: dict[int, int]) -> None:
    if isinstance(part, dict):
        for name, value in part.items():
            if name in _NAMING and isinstance(value, list):
                part[name] = _numbers(value, needed)
            else:
                _renumber(value, needed)
    elif isinstance(part, list | tuple):
        for each in part:
            _renumber(each, needed)


def _numbers(value: Any, needed: dict[int, int]) -> Any:
    if isinstance(value, list):
        return [_numbers(each, needed) for each in value]
    return needed.setdefault(value, len(needed))
