"""How far predictions of held-out shaders were off: what a calibration's card and band say."""

from __future__ import annotations

import math

import numpy as np

from shaderlab import stats, units
from shaderlab.prediction.bundles.accuracy import BandCard
from shaderlab.prediction.forecast import Validation
from shaderlab.prediction.models.bands import LEVEL, conformal_band
from shaderlab.stats import Estimate

_RESAMPLES = 2000
_STUDENT = {5: 1.476, 6: 1.440, 7: 1.415, 8: 1.397}
"""By degrees of freedom, so many standard deviations hold `LEVEL` of Student's t.  From nine on the
shaders' own order says where the ends are."""


def validation(measured_s: np.ndarray, predicted_s: np.ndarray, which: str) -> Validation:
    """Errors over held-out shaders, both (n,) seconds; `which` says what they were, for the user.

    The same times give the same text.
    """
    errors = np.abs(predicted_s / measured_s - 1)
    draws = stats.bootstrap_draws(len(errors), _RESAMPLES)
    mean, median = (stats.bootstrap(errors, draws, each) for each in (np.mean, np.median))
    rank_correlation = stats.spearman(measured_s, predicted_s)
    return Validation(
        mape=round(mean.value, 4),
        spearman=round(float(np.nan_to_num(rank_correlation)), 4),  # 0 where a side is constant
        n=len(errors),
        source=f"{which}: median error {_shown(median)}, mean error {_shown(mean)}.",
        median_ape=round(median.value, 4),
        within20=round(float((errors <= 0.2).mean()), 4),
    )


def band(measured_s: np.ndarray, predicted_s: np.ndarray) -> BandCard:
    """One band for all times from held-out shaders, (n,) seconds each.

    So few that the furthest of them would be its ends are taken for normal in their logarithms.
    """
    ratios = measured_s / predicted_s
    if len(ratios) not in _STUDENT:
        return conformal_band(ratios, np.random.default_rng(0))
    logs, reach = np.log(ratios), _STUDENT[len(ratios)]
    n, squares = len(logs), logs**2
    half = reach * float(np.sqrt(squares.mean()))
    without = reach * np.sqrt((squares.sum() - squares) / (n - 1))
    return BandCard(
        0.0, None, round(math.exp(-half), 4), round(math.exp(half), 4), LEVEL, n,
        round(float((np.abs(logs) <= without).mean()), 4),
    )  # fmt: skip


def _shown(found: Estimate) -> str:
    return (
        f"{units.percent(found.value)} (95 % interval {units.percent(found.low)} to "
        f"{units.percent(found.high)})"
    )
