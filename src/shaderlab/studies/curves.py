"""What a curve over a swept value says: its knee, and whether two curves agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shaderlab.stats import spearman

KNEE = (
    "the value whose point lies farthest from the straight line between the first and the last, "
    "both axes scaled to 0..1; none where that is less than 0.1"
)
"""Satopää et al., Finding a "Kneedle" in a Haystack (2011), without smoothing."""
_LEAST = 0.1


def knee(x: Sequence[float], y: Sequence[float]) -> int | None:
    """Index of the curve's knee (`KNEE`); None without one, or with fewer than three points."""
    order = np.argsort(np.asarray(x, float), kind="stable")
    at, height = np.asarray(x, float)[order], np.asarray(y, float)[order]
    if len(at) < 3 or np.ptp(at) == 0 or np.ptp(height) == 0 or not np.isfinite(height).all():
        return None
    across = (at - at[0]) / np.ptp(at)
    up = (height - height[0]) / np.ptp(height)
    distance = np.abs(up - across * up[-1]) / np.hypot(1.0, up[-1])
    farthest = int(distance.argmax())
    return int(order[farthest]) if distance[farthest] >= _LEAST else None


@dataclass(frozen=True)
class Agreement:
    """How a predicted curve lies to the measured one."""

    median_error: float
    """Of |predicted / measured - 1| over the points."""
    shape_error: float
    """The same once all forecasts are multiplied by one factor: what is left of it is the shape."""
    anchored_error: float
    """The same for the other points once all forecasts are multiplied by what one point measured
    over its forecast: what is left where one value is timed and the others are not."""
    spearman: float
    """nan with a curve that is flat."""
    cheapest_steps: int
    """Points between the two cheapest values."""
    knee_steps: int | None
    """Points between the knees; None where either curve has none."""


def agreement(
    x: Sequence[float], predicted: Sequence[float], measured: Sequence[float], anchor: int = 0
) -> Agreement:
    """Of curves over the same values, at least two; `anchor`: the point that is timed.

    Raises ValueError for fewer.
    """
    if len(x) < 2:
        raise ValueError("two points at least")
    forecast, time = np.asarray(predicted, float), np.asarray(measured, float)
    ratio = forecast / time
    others = np.delete(ratio, anchor) / ratio[anchor]
    place = np.argsort(np.argsort(np.asarray(x, float), kind="stable"), kind="stable")
    ours, theirs = knee(x, predicted), knee(x, measured)
    return Agreement(
        float(np.median(np.abs(ratio - 1))),
        float(np.median(np.abs(ratio / np.median(ratio) - 1))),
        float(np.median(np.abs(others - 1))),
        spearman(forecast, time),
        int(abs(place[forecast.argmin()] - place[time.argmin()])),
        None if ours is None or theirs is None else int(abs(place[ours] - place[theirs])),
    )
