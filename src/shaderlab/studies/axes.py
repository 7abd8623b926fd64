"""`NAME=VALUES` as people write what a study varies: lists and ranges, and all combinations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from math import prod

from shaderlab.errors import WrongUse

MOST = 100
"""Combinations of one study."""
_NAME = re.compile(r"[A-Za-z_][\w.\[\]]{0,199}")
_NUMBER = re.compile(r"[-+]?(?:\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})(?:[eE][-+]?\d{1,2})?")
_WORDS = ("true", "false")
_HOW = "write NAME=8,16,32, NAME=10:50:10, or NAME=8:128:x2"


@dataclass(frozen=True)
class Axis:
    """One thing that varies."""

    name: str
    values: tuple[str, ...]
    """As written into a shader, each once, in the order asked for."""

    @property
    def numbers(self) -> tuple[float, ...]:
        """True is 1 and false 0."""
        return tuple(number(value) for value in self.values)


def number(value: str) -> float:
    """A value of an axis as a number."""
    return float(value not in _WORDS[1:]) if value in _WORDS else float(value)


def parse(text: str) -> Axis:
    """Lists (`8,16`), ranges with both ends (`10:50:10`; `x2` multiplies), or both.

    Raises WrongUse.
    """
    name, equals, listed = text.partition("=")
    name = name.strip()
    if not equals or not _NAME.fullmatch(name):
        raise WrongUse(f"{text[:80]!r} names nothing to vary: {_HOW}")
    found: dict[str, None] = {}
    for part in listed.split(",", MOST + 1):
        found |= dict.fromkeys(_values(name, part.strip()))
        if len(found) > MOST:
            raise WrongUse(f"{name} has more than {MOST} values")
    return Axis(name, tuple(found))


def combinations(axes: Sequence[Axis]) -> tuple[tuple[str, ...], ...]:
    """Every value of each with every value of the others, the last one fastest.

    Raises WrongUse for more than `MOST`, or a name twice.
    """
    names = [axis.name for axis in axes]
    if len(set(names)) < len(names):
        raise WrongUse(f"{max(names, key=names.count)} is given twice")
    count = prod(len(axis.values) for axis in axes)
    if count > MOST:
        raise WrongUse(f"{count} combinations: the limit is {MOST}")
    return tuple(product(*(axis.values for axis in axes)))


def _values(name: str, text: str) -> list[str]:
    if text in _WORDS:
        return [text]
    if ":" in text:
        return _range(name, text)
    if not _NUMBER.fullmatch(text):
        raise WrongUse(f"{name}: {text[:40]!r} is neither a number nor true or false; {_HOW}")
    return [text.lstrip("+")]


def _range(name: str, text: str) -> list[str]:
    parts = [part.strip() for part in text.split(":", 3)]
    factor = len(parts) == 3 and parts[2].startswith("x")
    if factor:
        parts[2] = parts[2][1:]
    if len(parts) not in (2, 3) or not all(_NUMBER.fullmatch(part) for part in parts):
        raise WrongUse(f"{name}: {text[:60]!r} is not a range; {_HOW}")
    first, last = Decimal(parts[0]), Decimal(parts[1])
    step = Decimal(parts[2]) if len(parts) == 3 else Decimal(1)
    grows = first > 0 and step > 1 if factor else step > 0
    if not grows or last < first:
        raise WrongUse(f"{name}: {text[:60]!r} never reaches its end; {_HOW}")
    found: list[str] = []
    value = first
    while value <= last:
        found.append(_plain(value))
        if len(found) > MOST:
            raise WrongUse(f"{name} has more than {MOST} values")
        value = value * step if factor else value + step
    return found


def _plain(value: Decimal) -> str:
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
