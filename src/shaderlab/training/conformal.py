"""Bands that hold: split-conformal quantiles of measured over predicted time."""

from __future__ import annotations

import itertools
import math

import numpy as np

from shaderlab.prediction.bundles.card import BandCard

LEVEL = 0.8
STARTS_S = (0.0, 2e-5, 1e-4, 1e-3)
"""Predicted seconds where ranges of their own begin, as far as the data allow."""
LEAST = 30
"""Validation shaders a range needs; one with fewer joins the range before it."""
_HALVES = 200


def bands(
    measured_s: np.ndarray, predicted_s: np.ndarray, *, level: float = LEVEL, seed: int = 0
) -> tuple[BandCard, ...]:
    """Bands by predicted time from shaders the model was not fitted on, both (n,) seconds.

    Each end is the conformal quantile of its own tail, (1 - level) / 2, so that of n exchangeable
    shaders the next lies inside with probability `level` at least (Vovk et al. 2005, §4.1; Romano
    et al. 2019 for two tails; per range as in Mondrian prediction).  The forecast itself belongs
    to its band.  `coverage` is that of random halves by bands from the other half.
    """
    ratios = measured_s / predicted_s
    generator = np.random.default_rng(seed)
    found = []
    for start, end in _ranges(predicted_s):
        mine = ratios[(predicted_s >= start) & (predicted_s < (math.inf if end is None else end))]
        low, high = quantiles(mine, level)
        inside = []
        for _ in range(_HALVES):
            order = generator.permutation(len(mine))
            calibrating, held_out = np.array_split(mine[order], 2)
            lower, upper = quantiles(calibrating, level)
            inside.append(((held_out >= lower) & (held_out <= upper)).mean())
        found.append(
            BandCard(
                start, end, round(low, 4), round(high, 4), level, len(mine),
                round(float(np.mean(inside)), 4),
            )
        )  # fmt: skip
    return tuple(found)


def quantiles(ratios: np.ndarray, level: float) -> tuple[float, float]:
    """Low and high factor; the furthest seen where there are too few for the level."""
    ordered = np.sort(ratios)
    n = len(ordered)
    below = max(math.floor((n + 1) * (1 - level) / 2 + 1e-9), 1)
    above = min(math.ceil((n + 1) * (1 + level) / 2 - 1e-9), n)
    return min(float(ordered[below - 1]), 1.0), max(float(ordered[above - 1]), 1.0)


def _ranges(predicted_s: np.ndarray) -> list[tuple[float, float | None]]:
    starts = list(STARTS_S)
    while True:
        edges = [*starts, math.inf]
        counts = [
            int(((predicted_s >= low) & (predicted_s < high)).sum())
            for low, high in itertools.pairwise(edges)
        ]
        few = [number for number, n in enumerate(counts) if n < LEAST]
        if not few or len(starts) == 1:
            break
        del starts[few[-1] or 1]
    return list(zip(starts, [*starts[1:], None], strict=True))
