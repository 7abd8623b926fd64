"""Straight lines through times: over the number of draws, and over the number of pixels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np


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
