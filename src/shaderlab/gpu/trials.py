"""Which trials to leave out, and when there are enough of them."""

from __future__ import annotations

import numpy as np

from shaderlab.gpu.device_info import DeviceKind
from shaderlab.gpu.plan import FEWEST_TRIALS
from shaderlab.stats import mean_interval

OUTLIER_MADS = 7.0
"""Trials further than this many median absolute deviations from the median are rejected."""
SETTLED = 0.005
"""Half-width of the mean's 95 % confidence interval, as a fraction of the mean, that is enough."""


def outliers(trials_s: np.ndarray, resolution_s: float) -> tuple[int, ...]:
    """Indices of trials beyond 7 MAD from the median (HALWPE §VI-A).

    `trials_s`: (trials,) seconds.  A MAD below the clock's resolution counts as that.
    """
    distance = np.abs(trials_s - np.median(trials_s))
    mad = max(float(np.median(distance)), resolution_s)
    return tuple(np.flatnonzero(distance > OUTLIER_MADS * mad).tolist())


def settled_at(kind: DeviceKind) -> float | None:
    """The precision at which trials of such a device end; None where all that were asked for are
    taken: processors are shared, and a few trials alike say nothing of the next."""
    return None if kind == "software" else SETTLED


def is_settled(trials_s: np.ndarray, fraction: float) -> bool:
    """Whether enough trials were taken: the mean is known to within `fraction` of itself.

    `trials_s`: (trials,) seconds.  Fewer than `FEWEST_TRIALS` never are enough.  A first one far
    from all others, which woke the clocks, is none of them.
    """
    if len(trials_s) < FEWEST_TRIALS:
        return False
    if 0 in outliers(trials_s, fraction * float(np.median(trials_s))):
        trials_s = trials_s[1:]
    if len(trials_s) < FEWEST_TRIALS:
        return False
    low, high = mean_interval(trials_s)
    return high - low <= 2 * fraction * float(trials_s.mean())
