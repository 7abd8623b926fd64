"""Forecasts of one target at several times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Moment(NamedTuple):
    """One forecast of a target."""

    time_s: float
    """`iTime`."""
    seconds: float
    low_s: float
    high_s: float


def worst(moments: Sequence[Moment]) -> Moment | None:
    """The slowest, the first of equal ones."""
    return max(moments, key=lambda each: each.seconds, default=None)


def is_even(moments: Sequence[Moment]) -> bool:
    """Whether the times differ by less than a thousandth: no moment is worse than another."""
    seconds = [each.seconds for each in moments]
    return not seconds or max(seconds) - min(seconds) < 1e-3 * max(seconds)
