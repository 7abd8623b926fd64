"""One evaluation for every method: errors, ranks, and bootstrap intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from shaderlab import stats
from shaderlab.stats import Estimate

RESAMPLES = 1000
"""Bootstrap resamples behind each interval."""


@dataclass(frozen=True)
class Evaluation:
    """How well predicted times agree with measured ones, over shaders."""

    n: int
    mape: Estimate
    """Mean of |predicted - measured| / measured, a fraction."""
    median_ape: Estimate
    """Median of the same."""
    within20: Estimate
    """Share of shaders whose error is at most 20 %."""
    spearman: Estimate
    """Rank correlation; ties get their mean rank.  nan where either side is constant."""


def evaluate(
    measured_s: np.ndarray, predicted_s: np.ndarray, *, resamples: int = RESAMPLES, seed: int = 0
) -> Evaluation:
    """Metrics of predicted against measured times, both (n,) seconds, n >= 1.

    The same seed gives the same intervals.  Raises `ValueError` where the arrays do not match, are
    empty, or hold a measured time that is not positive or a prediction that is not finite.
    """
    measured, predicted = _checked(measured_s, predicted_s)
    errors = relative_errors(measured, predicted)
    draws = stats.bootstrap_draws(len(errors), resamples, seed)
    return Evaluation(
        n=len(errors),
        mape=stats.bootstrap(errors, draws, np.mean),
        median_ape=stats.bootstrap(errors, draws, np.median),
        within20=stats.bootstrap(errors, draws, lambda e, axis: (e <= 0.2).mean(axis=axis)),
        spearman=stats.estimate(
            stats.spearman(measured, predicted),
            stats.resampled_spearman(measured, predicted, draws),
        ),
    )


def evaluate_by_decade(
    measured_s: np.ndarray, predicted_s: np.ndarray, *, resamples: int = RESAMPLES, seed: int = 0
) -> Mapping[int, Evaluation]:
    """`evaluate` for the shaders of each decade of measured time.

    Keyed by exponent, ascending: -4 holds 1e-4 s <= time < 1e-3 s.  Decades without a shader are
    left out.
    """
    measured, predicted = _checked(measured_s, predicted_s)
    decades = decade(measured)
    return {
        int(exponent): evaluate(
            measured[decades == exponent],
            predicted[decades == exponent],
            resamples=resamples,
            seed=seed,
        )
        for exponent in np.unique(decades)
    }


def decade(times_s: np.ndarray) -> np.ndarray:
    """Exponent of the decade each time falls into, (n,) int64; exact at the powers of ten."""
    exponents = np.floor(np.log10(times_s)).astype(np.int64)
    powers = np.array([float(f"1e{exponent + 1}") for exponent in exponents.tolist()])
    exponents += times_s >= powers
    powers = np.array([float(f"1e{exponent}") for exponent in exponents.tolist()])
    return exponents - (times_s < powers)


def relative_errors(measured_s: np.ndarray, predicted_s: np.ndarray) -> np.ndarray:
    """|predicted - measured| / measured, (n,)."""
    return np.abs(predicted_s - measured_s) / measured_s


def _checked(measured_s: np.ndarray, predicted_s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    measured = np.asarray(measured_s, np.float64)
    predicted = np.asarray(predicted_s, np.float64)
    if measured.ndim != 1 or measured.shape != predicted.shape:
        raise ValueError(f"shapes {measured.shape} and {predicted.shape}, expected (n,) twice")
    if not len(measured):
        raise ValueError("no shaders to evaluate")
    if not (np.isfinite(measured) & (measured > 0)).all():
        raise ValueError("a measured time is not a positive number")
    if not np.isfinite(predicted).all():
        raise ValueError("a predicted time is not finite")
    return measured, predicted
