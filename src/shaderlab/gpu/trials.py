"""Which trials to leave out, and when there are enough of them."""

from __future__ import annotations

from functools import cache

import numpy as np

from shaderlab.gpu.plan import FEWEST_TRIALS

OUTLIER_MADS = 7.0
"""Trials further than this many median absolute deviations from the median are rejected."""


def outliers(trials_s: np.ndarray, resolution_s: float) -> tuple[int, ...]:
    """Indices of trials beyond 7 MAD from the median (HALWPE §VI-A).

    `trials_s`: (trials,) seconds.  A MAD below the clock's resolution counts as that.
    """
    distance = np.abs(trials_s - np.median(trials_s))
    mad = max(float(np.median(distance)), resolution_s)
    return tuple(np.flatnonzero(distance > OUTLIER_MADS * mad).tolist())


CONFIDENCE = 0.95


def interval(trials_s: np.ndarray) -> tuple[float, float]:
    """Bounds of the mean at 95 % confidence, for trials that scatter normally (Student's t).

    `trials_s`: (trials,) seconds.  A single trial bounds nothing: both are nan.
    """
    n = len(trials_s)
    if n < 2:
        return float("nan"), float("nan")
    half = _student_t(n - 1) * trials_s.std(ddof=1) / np.sqrt(n)
    return float(trials_s.mean() - half), float(trials_s.mean() + half)


def is_settled(trials_s: np.ndarray, fraction: float) -> bool:
    """Whether enough trials were taken: the mean is known to within `fraction` of itself.

    `trials_s`: (trials,) seconds.  Fewer than `FEWEST_TRIALS` never are enough.
    """
    if len(trials_s) < FEWEST_TRIALS:
        return False
    low, high = interval(trials_s)
    return high - low <= 2 * fraction * float(trials_s.mean())


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
