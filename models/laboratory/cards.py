"""What a model's card states about its errors, from the shaders it was judged on."""

from __future__ import annotations

from typing import TypedDict

import numpy as np

from shaderlab import units
from shaderlab.prediction.bundles.accuracy import BandCard, TimeRangeError
from shaderlab.prediction.forecast import Validation
from shaderlab.prediction.models.bands import conformal_band
from shaderlab.training.evaluation import evaluate, relative_errors

TIME_RANGES_S = (0.0, 2e-5, 1e-4, 1e-3, 1e-2)
"""Where the ranges of stated errors begin."""
BAND_STARTS_S = (0.0, 2e-5, 1e-4, 1e-3)
"""Predicted seconds where separate bands begin, as far as the data allow."""
LEAST = 30
"""Validation shaders a band needs; a range with fewer joins the one before it."""

WHICH = "of the committed samples"


class Judged(TypedDict):
    """The fields of a `MethodCard` that say how it did on the shaders it was judged on."""

    validation: Validation
    initialised: Validation
    uninitialised: Validation
    by_time: tuple[TimeRangeError, ...]
    bands: tuple[BandCard, ...]


def judged(measured_s: np.ndarray, predicted_s: np.ndarray, defined: np.ndarray) -> Judged:
    """Of the committed samples' validation shaders, all (n,).

    `defined`: which have no undefined values; their errors alone make the bands.
    """
    return Judged(
        validation=validation(measured_s, predicted_s, WHICH),
        initialised=validation(
            measured_s[defined],
            predicted_s[defined],
            f"{WHICH}, shaders without undefined values",
        ),
        uninitialised=validation(
            measured_s[~defined],
            predicted_s[~defined],
            f"{WHICH}, shaders with undefined values",
        ),
        by_time=by_time(measured_s, predicted_s),
        bands=bands(measured_s[defined], predicted_s[defined]),
    )


def bands(
    measured_s: np.ndarray, predicted_s: np.ndarray, *, seed: int = 0
) -> tuple[BandCard, ...]:
    """Bands by predicted time from shaders the model was not fitted on, both (n,) seconds."""
    ratios = measured_s / predicted_s
    generator = np.random.default_rng(seed)
    return tuple(
        conformal_band(
            ratios[(predicted_s >= low) & (predicted_s < (np.inf if high is None else high))],
            generator,
            low,
            high,
        )
        for low, high in _band_ranges(predicted_s)
    )


def _band_ranges(predicted_s: np.ndarray) -> list[tuple[float, float | None]]:
    starts = list(BAND_STARTS_S)
    while len(starts) > 1:
        counts, _ = np.histogram(predicted_s, [*starts, np.inf])
        few = np.flatnonzero(counts < LEAST)
        if not len(few):
            break
        del starts[int(few[-1]) or 1]
    return list(zip(starts, [*starts[1:], None], strict=True))


def validation(measured_s: np.ndarray, predicted_s: np.ndarray, which: str) -> Validation:
    """Errors over validation shaders, both (n,) seconds; `which` of them, for the user to read."""
    result = evaluate(measured_s, predicted_s)
    shown = (
        f"mean error {units.percent(result.mape.value)} (95 % interval "
        f"{units.percent(result.mape.low)} to {units.percent(result.mape.high)}), median "
        f"{units.percent(result.median_ape.value)}, rank correlation {result.spearman.value:.3f}"
    )
    return Validation(
        mape=_rounded(result.mape.value),
        spearman=_rounded(result.spearman.value),
        n=result.n,
        source=f"shaderlab, on the validation split {which}: {shown}.",
        median_ape=_rounded(result.median_ape.value),
        within20=_rounded(result.within20.value),
    )


def by_time(measured_s: np.ndarray, predicted_s: np.ndarray) -> tuple[TimeRangeError, ...]:
    """Mean errors by range of measured time."""
    errors = relative_errors(measured_s, predicted_s)
    ranges = []
    for start, end in zip(TIME_RANGES_S, (*TIME_RANGES_S[1:], None), strict=True):
        chosen = errors[(measured_s >= start) & (measured_s < (np.inf if end is None else end))]
        ranges.append(TimeRangeError(start, end, _rounded(chosen.mean()) if len(chosen) else None))
    return tuple(ranges)


def _rounded(value: float) -> float:
    return round(float(value), 4)
