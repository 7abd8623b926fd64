"""The band around a forecast, from the errors a method is known to make."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from shaderlab import stats, units
from shaderlab.errors import InvalidModel
from shaderlab.prediction.bundles.accuracy import BandCard, TimeRangeError
from shaderlab.prediction.bundles.card import MethodCard

LEVEL = 0.8
"""Share of shaders that a band is to hold."""

FLOOR = "floor"
"""Tensor beside a fit's own: seconds of the fastest training shader."""

_LONGEST_FLOOR_S = 10.0
_FURTHEST = 10.0
"""Underestimates alone never average 1 or more; the high end stops at this many forecasts."""


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
    """All true times that the mean errors allow for the forecast `time_s`.

    Published errors are relative to the true time t and go by the range t falls into, so t belongs
    to the band if |time_s - t| is at most the mean error of t's own range, times t.  A method that
    underestimates slow shaders thereby gets a high end in the slower range.  Ranges without
    validation shaders borrow the error of the nearest that has some (`Card` guarantees that one
    has).  The low end is never below `floor_s`.

    It is no confidence interval: of the published samples, with the PILR predictions printed for
    them, 74 % lie inside on the RTX 3060 (n 1,459) and 64 % on the RX 6600 XT (n 1,588).
    """
    known = [(i, each.mape) for i, each in enumerate(by_time) if each.mape is not None]
    low_s = high_s = time_s
    at = 0
    for i, times in enumerate(by_time):
        _, error = min(known, key=lambda each, i=i: (abs(each[0] - i), each[0]))
        end_s = math.inf if times.to_s is None else times.to_s
        fastest = max(time_s / (1 + error), times.from_s)
        slowest = min(time_s / (1 - error) if error < 1 else math.inf, end_s)
        if fastest <= slowest:
            low_s = min(low_s, fastest)
            high_s = max(high_s, slowest)
        if times.from_s <= time_s < end_s:
            at = i
    own = by_time[at]
    return Band(
        low_s=min(max(low_s, floor_s), time_s),
        high_s=min(high_s, _FURTHEST * time_s),
        origin=_origin(own),
        extrapolated=own.mape is None,
    )


def calibrated_band(time_s: float, bands: Sequence[BandCard], floor_s: float) -> Band:
    """The band of the range that `time_s` falls into; never below `floor_s`."""
    own = range_of(time_s, bands)
    return Band(
        low_s=min(max(time_s * own.low, floor_s), time_s),
        high_s=time_s * own.high,
        origin=(
            f"Band: holds {units.percent(own.level)} of validation shaders predicted "
            f"{_range_name(own)} (n {own.n}; "
            f"{units.percent(own.coverage)} of shaders held out of its calibration)."
        ),
        extrapolated=False,
    )


def range_of(time_s: float, bands: Sequence[BandCard]) -> BandCard:
    """The band of the range that a forecast falls into."""
    return next(each for each in bands if each.to_s is None or time_s < each.to_s)


def stretched(
    time_s: float, bands: Sequence[BandCard], floor_s: float, below: float, above: float
) -> tuple[float, float]:
    """Ends of the band in seconds, its parts below and above so many times as long (logarithms).

    Never below `floor_s`, nor above it where the forecast itself is below.
    """
    own = range_of(time_s, bands)
    return min(max(time_s * own.low**below, floor_s), time_s), time_s * own.high**above


def calibrated_or_floor(
    method: MethodCard, floor_s: float, time_s: float, reads_uninitialised: bool
) -> Band:
    """The calibrated band; down to the floor where a GPU may run next to nothing."""
    band = calibrated_band(time_s, method.bands, floor_s)
    if not reads_uninitialised:
        return band
    return Band(floor_s, band.high_s, band.origin, band.extrapolated)


def checked_floor(tensors: Mapping[str, np.ndarray]) -> float:
    """The floor in seconds.  Raises `InvalidModel` where no frame could take so short or long."""
    floor_s = float(tensors[FLOOR][0])
    if not 1e-9 <= floor_s <= _LONGEST_FLOOR_S:
        raise InvalidModel(f"weights: {FLOOR}: {floor_s:g} s")
    return floor_s


def conformal_band(
    ratios: np.ndarray,
    generator: np.random.Generator,
    from_s: float = 0.0,
    to_s: float | None = None,
) -> BandCard:
    """The band of forecasts in [from_s, to_s), from measured over predicted time, (n,).

    Its ends are `stats.conformal_factors`; `generator` draws the halves behind its coverage.
    """
    low, high = stats.conformal_factors(ratios, LEVEL)
    coverage = stats.held_out_coverage(ratios, LEVEL, generator)
    return BandCard(
        from_s, to_s, round(low, 4), round(high, 4), LEVEL, len(ratios), round(coverage, 4)
    )


def _origin(error: TimeRangeError) -> str:
    if error.mape is None:
        return (
            f"Band: no validation shader took {_range_name(error)}; "
            "the error is that of the nearest range."
        )
    return (
        "Band: true times within the published mean error, "
        f"{units.percent(error.mape)} for shaders {_range_name(error)}."
    )


def _range_name(error: TimeRangeError | BandCard) -> str:
    if error.to_s is None:
        if error.from_s == 0:
            return "at any time"
        return f"over {units.seconds(error.from_s)}"
    if error.from_s == 0:
        return f"under {units.seconds(error.to_s)}"
    return f"from {units.seconds(error.from_s)} to {units.seconds(error.to_s)}"
