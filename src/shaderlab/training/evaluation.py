"""One evaluation for every method: the metrics of the design, with bootstrap intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

RESAMPLES = 1000
"""Bootstrap resamples behind each interval."""

_LEVEL = 0.95


@dataclass(frozen=True)
class Estimate:
    """A metric and its 95 % interval over resampled shaders (percentile bootstrap)."""

    value: float
    low: float
    high: float


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
    generator = np.random.default_rng(seed)
    draws = generator.integers(0, len(errors), (resamples, len(errors)))
    resampled = errors[draws]

    def over_errors(metric: Callable[..., np.ndarray]) -> Estimate:
        return _estimate(float(metric(errors, axis=-1)), metric(resampled, axis=-1))

    return Evaluation(
        n=len(errors),
        mape=over_errors(np.mean),
        median_ape=over_errors(np.median),
        within20=over_errors(lambda e, axis: (e <= 0.2).mean(axis=axis)),
        spearman=_estimate(
            spearman(measured, predicted), resampled_spearman(measured, predicted, draws)
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


def coverage(measured_s: np.ndarray, low_s: np.ndarray, high_s: np.ndarray) -> float:
    """Share of measured times inside their band, ends included."""
    return float(((low_s <= measured_s) & (measured_s <= high_s)).mean())


def spearman(left: np.ndarray, right: np.ndarray) -> float:
    """Spearman's rank correlation of two (n,) arrays; nan where either is constant."""
    a, b = _ranks(left), _ranks(right)
    a -= a.mean()
    b -= b.mean()
    scale = np.sqrt((a @ a) * (b @ b))
    return float(a @ b / scale) if scale > 0 else float("nan")


def resampled_spearman(left: np.ndarray, right: np.ndarray, draws: np.ndarray) -> np.ndarray:
    """`spearman` of both (n,) arrays at each row of `draws`, (resamples, m) indices: (resamples,).

    All resamples at once: how often each item was drawn gives its rank and its weight.
    """
    resamples, n = len(draws), len(left)
    place = draws + n * np.arange(resamples)[:, None]
    drawn = np.bincount(place.reshape(-1), minlength=resamples * n).reshape(resamples, n)
    a, b = (_drawn_ranks(values, drawn) for values in (left, right))
    ab, aa, bb = ((drawn * x * y).sum(axis=1) for x, y in ((a, b), (a, a), (b, b)))
    scale = np.sqrt(aa * bb)
    # A resample of one value has no variance but for round-off.
    return np.divide(ab, scale, out=np.full(resamples, np.nan), where=scale > 1e-9)


def _drawn_ranks(values: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """Ranks of (n,) values among those drawn, less their mean, (resamples, n)."""
    order = np.argsort(values, kind="stable")
    starts = np.flatnonzero(np.diff(values[order], prepend=np.nan) != 0)
    counts = np.add.reduceat(drawn[:, order], starts, axis=1)
    ranks = np.cumsum(counts, axis=1) - (counts + 1) / 2
    number = np.empty(len(values), np.int64)
    number[order] = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(values)))
    mean = (drawn.sum(axis=1, keepdims=True) - 1) / 2
    return ranks[:, number] - mean


def _ranks(values: np.ndarray) -> np.ndarray:
    """Ranks from 0; equal values share the mean of theirs."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return (ends - (counts + 1) / 2)[place.reshape(-1)]


def _estimate(value: float, resampled: np.ndarray) -> Estimate:
    known = resampled[np.isfinite(resampled)]
    if not len(known):
        return Estimate(value, float("nan"), float("nan"))
    low, high = np.quantile(known, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    return Estimate(value, float(low), float(high))


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
