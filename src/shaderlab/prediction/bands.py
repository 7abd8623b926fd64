"""The band around a forecast, from the mean errors a method is known to make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shaderlab import units
from shaderlab.prediction.card import TimeRangeError

_MOST_UNDERESTIMATE = 0.9
"""Underestimates alone never average 1 or more; the upper end stops at 10 times the forecast."""


@dataclass(frozen=True)
class Band:
    """Low and high end of a forecast, seconds."""

    low_s: float
    high_s: float
    origin: str
    """One sentence for the user: what the band rests on."""
    extrapolated: bool
    """Whether no validation shader was as fast or slow as the forecast."""


def error_band(time_s: float, by_time: Sequence[TimeRangeError], floor_s: float) -> Band:
    """As wide as the mean absolute percentage error m of the time range `time_s` falls into.

    The error is relative to the true time t: |p - t| = m t puts t at p / (1 + m) for an over- and
    p / (1 - m) for an underestimate.  Ranges without validation shaders borrow from the nearest
    that has some (`Card` sees to it that one has).  The low end is never below `floor_s`.

    It is no confidence interval: of the published samples, with the PILR predictions printed for
    them, 74 % lie inside on the RTX 3060 (1,459 shaders) and 68 % on the RX 6600 XT (1,588).
    """
    at = next(i for i, each in enumerate(by_time) if each.to_s is None or time_s < each.to_s)
    known = [i for i, each in enumerate(by_time) if each.mape is not None]
    used = min(known, key=lambda i: (abs(i - at), i))
    error = by_time[used]
    low_s = max(time_s / (1 + error.mape), floor_s)
    high_s = time_s / (1 - min(error.mape, _MOST_UNDERESTIMATE))
    return Band(
        low_s=min(low_s, time_s),
        high_s=high_s,
        origin=(
            f"Band: mean error of {units.percent(error.mape)} published for validation shaders "
            f"{_range_name(error)}."
        ),
        extrapolated=used != at,
    )


def _range_name(error: TimeRangeError) -> str:
    if error.to_s is None:
        return f"over {units.seconds(error.from_s)}"
    if error.from_s == 0:
        return f"under {units.seconds(error.to_s)}"
    return f"from {units.seconds(error.from_s)} to {units.seconds(error.to_s)}"
