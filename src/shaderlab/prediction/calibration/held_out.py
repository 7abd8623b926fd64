"""How far predictions of held-out shaders were off: what a calibration's card and band tell."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from shaderlab import units
from shaderlab.prediction.bundles.card import BandCard
from shaderlab.prediction.forecast import Validation

LEVEL = 0.8
"""Share of shaders that a band is to hold."""

_RESAMPLES = 2000
_INTERVAL = 0.95
_HALVES = 200


@dataclass(frozen=True)
class Interval:
    """A figure and its 95 % interval over resampled shaders (percentile bootstrap)."""

    value: float
    low: float
    high: float


def validation(measured_s: np.ndarray, predicted_s: np.ndarray, which: str) -> Validation:
    """Errors over held-out shaders, both (n,) seconds; `which` says what they were, for the user.

    The same times give the same text.
    """
    errors = np.abs(predicted_s / measured_s - 1)
    mean, median = interval(errors, np.mean), interval(errors, np.median)
    return Validation(
        mape=round(mean.value, 4),
        spearman=round(rank_correlation(measured_s, predicted_s), 4),
        n=len(errors),
        source=f"{which}: median error {_shown(median)}, mean error {_shown(mean)}.",
        median_ape=round(median.value, 4),
        within20=round(float((errors <= 0.2).mean()), 4),
    )


def interval(errors: np.ndarray, figure: Callable[..., np.ndarray]) -> Interval:
    """`figure` of errors (n,), called with an axis; the same errors give the same interval."""
    generator = np.random.default_rng(0)
    draws = errors[generator.integers(0, len(errors), (_RESAMPLES, len(errors)))]
    low, high = np.quantile(figure(draws, axis=1), [(1 - _INTERVAL) / 2, (1 + _INTERVAL) / 2])
    return Interval(float(figure(errors, axis=0)), float(low), float(high))


def band(measured_s: np.ndarray, predicted_s: np.ndarray) -> BandCard:
    """One band for all times: conformal quantiles of measured over predicted, (n,) seconds each.

    Of exchangeable shaders the next lies inside with probability `LEVEL` at least, if there are
    nine or more (Vovk et al. 2005, §4.1; each tail by itself as in Romano et al. 2019).
    `coverage` is that of random halves by bands from the other half.
    """
    ratios = measured_s / predicted_s
    generator = np.random.default_rng(0)
    inside = []
    for _ in range(_HALVES):
        calibrating, others = np.array_split(generator.permutation(ratios), 2)
        low, high = quantiles(calibrating)
        inside.append(((others >= low) & (others <= high)).mean())
    low, high = quantiles(ratios)
    return BandCard(
        0.0, None, round(low, 4), round(high, 4), LEVEL, len(ratios),
        round(float(np.mean(inside)), 4),
    )  # fmt: skip


def quantiles(ratios: np.ndarray, level: float = LEVEL) -> tuple[float, float]:
    """Low and high factor that hold 1 itself; the furthest seen where there are too few."""
    ordered = np.sort(ratios)
    n = len(ordered)
    below = max(math.floor((n + 1) * (1 - level) / 2 + 1e-9), 1)
    above = min(math.ceil((n + 1) * (1 + level) / 2 - 1e-9), n)
    return min(float(ordered[below - 1]), 1.0), max(float(ordered[above - 1]), 1.0)


def rank_correlation(left: np.ndarray, right: np.ndarray) -> float:
    """Spearman's; 0 where either side is constant."""
    a, b = (_ranks(each) for each in (left, right))
    scale = np.sqrt((a @ a) * (b @ b))
    return float(a @ b / scale) if scale > 0 else 0.0


def _ranks(values: np.ndarray) -> np.ndarray:
    """Ranks around their mean; equal values share theirs."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts + 1) / 2)[place.reshape(-1)]
    return ranks - ranks.mean()


def _shown(found: Interval) -> str:
    return (
        f"{units.percent(found.value)} (95 % interval {units.percent(found.low)} to "
        f"{units.percent(found.high)})"
    )
