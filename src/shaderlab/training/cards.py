"""What a model's card says of its errors, from the shaders it was judged on."""

from __future__ import annotations

from typing import TypedDict

import numpy as np

from shaderlab import units
from shaderlab.prediction.bundles.card import BandCard, TimeRangeError
from shaderlab.prediction.forecast import Validation
from shaderlab.training import conformal
from shaderlab.training.evaluation import evaluate, relative_errors

TIME_RANGES_S = (0.0, 2e-5, 1e-4, 1e-3, 1e-2)
"""Where the ranges of stated errors begin."""


WHICH = "of the committed samples"


class Judged(TypedDict):
    """The fields of a `MethodCard` that say how it did on the shaders it was judged on."""

    validation: Validation
    defined: Validation
    undefined: Validation
    by_time: tuple[TimeRangeError, ...]
    bands: tuple[BandCard, ...]


def judged(measured_s: np.ndarray, predicted_s: np.ndarray, defined: np.ndarray) -> Judged:
    """Of the committed samples' validation shaders, all (n,).

    `defined`: which read nothing undefined; their errors alone make the bands.
    """
    return Judged(
        validation=validation(measured_s, predicted_s, WHICH),
        defined=validation(
            measured_s[defined],
            predicted_s[defined],
            f"{WHICH}, shaders that read nothing undefined",
        ),
        undefined=validation(
            measured_s[~defined],
            predicted_s[~defined],
            f"{WHICH}, shaders that read what nothing wrote",
        ),
        by_time=by_time(measured_s, predicted_s),
        bands=conformal.bands(measured_s[defined], predicted_s[defined]),
    )


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
