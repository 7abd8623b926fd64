"""How many trials and draws to time, and which trials to leave out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shaderlab.stats import mean_interval

SUBMISSION_S = 0.5
"""A submission stays below this where a draw does: GPU watchdogs act after 2 s at the soonest."""

MEASUREMENT_S = 20.0
"""All trials together stay below this, but for the fewest there must be."""

FEWEST_TRIALS = 3

OUTLIER_MADS = 7.0
"""Trials further than this many median absolute deviations from the median are rejected."""


class Plan(NamedTuple):
    trials: int
    draws: int
    """Draws per trial."""


def plan(draw_s: float, trials: int, draws: int) -> Plan:
    """Trials and draws for a shader that takes `draw_s` per draw: at most those wished for."""
    draw_s = max(draw_s, 1e-9)
    draws = max(1, min(draws, int(SUBMISSION_S / draw_s)))
    affordable = int(MEASUREMENT_S / (draws * draw_s))
    return Plan(min(trials, max(FEWEST_TRIALS, affordable)), draws)


LINE_TRIALS = 3
"""Submissions per smaller number of draws, for the check of linearity."""


def fewer_draws(draws: int) -> tuple[int, ...]:
    """Numbers of draws to check the linearity of `draws` with; none where they are too few."""
    return (draws // 2, draws // 4) if draws >= 4 else ()


def outliers(trials_s: np.ndarray, resolution_s: float) -> tuple[int, ...]:
    """Indices of trials beyond 7 MAD from the median (HALWPE §VI-A).

    `trials_s`: (trials,) seconds.  A MAD below the clock's resolution counts as that.
    """
    distance = np.abs(trials_s - np.median(trials_s))
    mad = max(float(np.median(distance)), resolution_s)
    return tuple(np.flatnonzero(distance > OUTLIER_MADS * mad).tolist())


def is_settled(trials_s: np.ndarray, fraction: float) -> bool:
    """Whether enough trials were taken: the mean is known to within `fraction` of itself.

    `trials_s`: (trials,) seconds.  Fewer than `FEWEST_TRIALS` never are enough.
    """
    if len(trials_s) < FEWEST_TRIALS:
        return False
    low, high = mean_interval(trials_s)
    return high - low <= 2 * fraction * float(trials_s.mean())
