"""Statistics that more than one room needs: ranks, intervals, conformal quantiles, lines.

Numpy only: the window starts without scipy, and so does every child.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

CONFIDENCE = 0.95
"""Level of every confidence interval."""

_HALVES = 200
"""Random halvings behind a held-out share."""


@dataclass(frozen=True)
class Estimate:
    """A figure and its confidence interval over resampled items (percentile bootstrap)."""

    value: float
    low: float
    high: float


def bootstrap_draws(n: int, resamples: int, seed: int = 0) -> np.ndarray:
    """(resamples, n) int64: indices of `n` items drawn with replacement; the same for a seed."""
    return np.random.default_rng(seed).integers(0, n, (resamples, n))


def bootstrap(values: np.ndarray, draws: np.ndarray, figure: Callable[..., np.ndarray]) -> Estimate:
    """`figure`, called with an axis, of values (n,) and of each resample in `draws`."""
    return estimate(float(figure(values, axis=-1)), figure(values[draws], axis=-1))


def estimate(value: float, resampled: np.ndarray) -> Estimate:
    """A figure with the interval of its resamples, (resamples,); nan where none is finite."""
    known = resampled[np.isfinite(resampled)]
    if not len(known):
        return Estimate(value, float("nan"), float("nan"))
    low, high = np.quantile(known, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return Estimate(value, float(low), float(high))


def spearman(left: np.ndarray, right: np.ndarray) -> float:
    """Spearman's rank correlation of two (n,) arrays; nan where either is constant."""
    a, b = (_ranks(each) for each in (left, right))
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


def _ranks(values: np.ndarray) -> np.ndarray:
    """Ranks less their mean; equal values share the mean of theirs."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts + 1) / 2)[place.reshape(-1)]
    return ranks - ranks.mean()


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


def conformal_factors(ratios: np.ndarray, level: float) -> tuple[float, float]:
    """Low and high factor between which the next of n exchangeable ratios lies.

    With probability `level` at least (Vovk et al. 2005, §4.1; each tail separately as in Romano et
    al. 2019); the furthest seen where there are too few for that.  1 itself always lies between.
    """
    ordered = np.sort(ratios)
    n = len(ordered)
    below = max(math.floor((n + 1) * (1 - level) / 2 + 1e-9), 1)
    above = min(math.ceil((n + 1) * (1 + level) / 2 - 1e-9), n)
    return min(float(ordered[below - 1]), 1.0), max(float(ordered[above - 1]), 1.0)


def held_out_coverage(ratios: np.ndarray, level: float, generator: np.random.Generator) -> float:
    """Mean share of random halves of the ratios inside `conformal_factors` of the other half."""
    halves = (np.array_split(generator.permutation(ratios), 2) for _ in range(_HALVES))
    return float(
        np.mean([coverage(other, *conformal_factors(half, level)) for half, other in halves])
    )


def coverage(values: np.ndarray, low: np.ndarray | float, high: np.ndarray | float) -> float:
    """Share of (n,) values from `low` to `high`, scalars or (n,), ends included."""
    return float(((low <= values) & (values <= high)).mean())


def mean_interval(values: np.ndarray) -> tuple[float, float]:
    """Confidence interval of the mean of normally scattering values (Student's t).

    A single value bounds nothing: both ends are nan.
    """
    n = len(values)
    if n < 2:
        return float("nan"), float("nan")
    half = _student_t(n - 1) * values.std(ddof=1) / np.sqrt(n)
    return float(values.mean() - half), float(values.mean() + half)


@cache
def _student_t(freedom: int) -> float:
    """The two-sided quantile of Student's distribution at `CONFIDENCE`.

    With t = sqrt(freedom) tan(angle), the density over the angle is cos(angle)^(freedom - 1).
    """
    angles = np.linspace(0, np.pi / 2, 20_001)
    density = np.cos(angles) ** (freedom - 1)
    mass = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) / 2)])
    angle = np.interp(CONFIDENCE, mass / mass[-1], angles)
    return float(np.sqrt(freedom) * np.tan(angle))


class TimeLine(NamedTuple):
    """seconds = intercept + slope x amount, fitted to several amounts of work."""

    amounts: tuple[float, ...]
    """Draws, or pixels."""
    seconds: tuple[float, ...]
    """Measured, one per amount."""
    slope_s: float
    """Seconds one more draw, or one more pixel, takes."""
    intercept_s: float
    """Seconds that are there whatever the amount; below 0 where the line bends upwards."""

    @property
    def deviation(self) -> float:
        """Largest relative distance of a measured time from the line."""
        fitted = self.intercept_s + self.slope_s * np.asarray(self.amounts)
        return float(np.max(np.abs(fitted / np.asarray(self.seconds) - 1)))


def line_through(amounts: Sequence[float], seconds: Sequence[float]) -> TimeLine:
    """Least squares of the relative errors, so that small amounts count as much as large ones.

    Raises ValueError for fewer than two distinct amounts, or times that are not above 0.
    """
    x, y = np.asarray(amounts, float), np.asarray(seconds, float)
    if len(np.unique(x)) < 2 or not (y > 0).all():
        raise ValueError("a line needs two amounts, and times above 0")
    design = np.stack([1 / y, x / y], axis=1)
    scale = np.array([y.max(), y.max() / x.max()])  # makes both columns alike in size
    intercept, slope = np.linalg.lstsq(design * scale, np.ones(len(y)), rcond=None)[0] * scale
    return TimeLine(tuple(x.tolist()), tuple(y.tolist()), float(slope), float(intercept))
