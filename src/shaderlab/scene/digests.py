"""Digests of draws: equal for equal ones, in every process and on every day."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum

from shaderlab.scene.draw import Draw, DrawState


def draw_digest(draw: Draw) -> str:
    """SHA-256, hex, of the programs and all they are drawn with.

    What does not make two draws differ, such as where a value came from or where contents lie, is
    left out.
    """
    programs = [
        each
        and (
            each.digest,
            each.entry_point,
            each.stage.value,
            _plain(each.given),
            each.dialect.samples_levels,
        )
        for each in (draw.program, draw.vertex)
    ]
    return hashlib.sha256(f"{programs!r} {state_digest(draw.state)}".encode()).hexdigest()


def state_digest(state: DrawState) -> str:
    """The same of all but the programs."""
    return hashlib.sha256(repr(_plain(state)).encode()).hexdigest()


def _plain(value: object) -> object:
    """Nested tuples with the same `repr` for equal values."""
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        held = ((each.name, _plain(getattr(value, each.name))) for each in fields(value)
                if each.compare)  # fmt: skip
        return (type(value).__name__, *held)
    if isinstance(value, Mapping):
        return tuple(sorted((repr(_plain(k)), _plain(v)) for k, v in value.items()))
    if isinstance(value, list | tuple):
        return tuple(map(_plain, value))
    return value
