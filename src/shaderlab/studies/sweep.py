"""A shader at several values of its constants and inputs: cost, picture, and where it bends.

The counterpart of PerfVec's loop tiling study (section VII) for shaders: every variant is
compiled, counted and predicted by itself; nothing is interpolated between values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

import numpy as np

from shaderlab.errors import DeviceStuck, ShaderlabError, StartFailed, WrongUse
from shaderlab.prediction.forecast import Forecast
from shaderlab.prediction.forecasts.frame_forecast import FrameForecast
from shaderlab.studies.axes import Axis, combinations, number
from shaderlab.studies.curves import Agreement, agreement, knee
from shaderlab.studies.pictures import Difference, difference


class Effort(NamedTuple):
    """How long each variant is timed."""

    trials: int = 5
    draws: int = 10


@dataclass(frozen=True)
class Timed:
    """Measured on this machine's device."""

    time_s: float
    cv: float
    clock: str


@dataclass(frozen=True)
class Point:
    """One variant."""

    values: tuple[str, ...]
    """One of each axis."""
    forecasts: tuple[Forecast | FrameForecast, ...] = ()
    """Of the whole frame where there are several passes or draws."""
    measured: Timed | None = None
    difference: Difference | None = None
    """To the reference's picture."""
    failure: str = ""
    """Why there is no more of it."""

    def seconds(self, target: str) -> float | None:
        """Predicted; None where there is no time."""
        for each in self.forecasts:
            if each.target == target:
                return each.time_s
        return None


@dataclass(frozen=True)
class Sweep:
    """What was found."""

    axes: tuple[Axis, ...]
    reference: tuple[str, ...]
    device: str
    """Slug of the device that drew, counted and timed."""
    points: tuple[Point, ...]
    """In the order of `axes.combinations`."""
    part: str = ""
    """The pass or draw of a frame that varies; empty where there is nothing else in it."""

    @property
    def targets(self) -> tuple[str, ...]:
        return tuple(
            dict.fromkeys(each.target for point in self.points for each in point.forecasts)
        )

    def knee(self, of: Callable[[Point], float | None]) -> Point | None:
        """The knee of a curve over the only axis; None with several, or without one."""
        known = [(each, value) for each in self.points if (value := of(each)) is not None]
        if len(self.axes) != 1 or len(known) < 3:
            return None
        x = [number(each.values[0]) for each, _ in known]
        found = knee(x, [value for _, value in known])
        return None if found is None else known[found][0]

    def extremes(self, target: str) -> tuple[Point, Point] | None:
        """The cheapest and the most expensive variant by forecast; None without times."""
        known = [(t, n) for n, each in enumerate(self.points) if (t := each.seconds(target))]
        if not known:
            return None
        return self.points[min(known)[1]], self.points[max(known)[1]]

    @property
    def picture_knee(self) -> Point | None:
        """Where the difference from the reference bends most; None where that is at the reference,
        whose picture differs from itself by nothing."""
        knee = self.knee(lambda each: each.difference.rms if each.difference else None)
        return None if knee is not None and knee.values == self.reference else knee

    def agreement(self, target: str) -> Agreement | None:
        """Of a target's curve with the measured one; None with several axes or too few points."""
        known = [
            (number(each.values[0]), forecast, each.measured.time_s, each.values == self.reference)
            for each in self.points
            if each.measured is not None and (forecast := each.seconds(target)) is not None
        ]
        if len(self.axes) != 1 or len(known) < 2:
            return None
        x, forecasts, times, anchors = zip(*known, strict=True)
        return agreement(x, forecasts, times, anchors.index(True) if any(anchors) else 0)

    def anchored(self, point: Point) -> float | None:
        """Seconds on the device here by its forecast, moved through the reference's measured time:
        what a forecast is off by is mostly one factor of the shader.  None without either."""
        there = next((each for each in self.points if each.values == self.reference), None)
        if there is None or there.measured is None:
            return None
        forecast, known = point.seconds(self.device), there.seconds(self.device)
        return None if forecast is None or not known else forecast * there.measured.time_s / known


Report = Callable[[int, int, Point], None]
"""Takes how many values are done, of how many, and the last."""
Variant: TypeAlias = "Callable[[tuple[str, ...]], tuple[Point, np.ndarray | None]]"
"""Draws, counts and predicts one combination of values; its point, without a difference, and its
picture, (height, width, 4) uint8; None of a compute shader that writes no image."""


def reference_of(axes: tuple[Axis, ...], chosen: tuple[str, ...] | None) -> tuple[str, ...]:
    """Values whose picture others are compared with: those chosen, else the first of each axis.

    Raises WrongUse for values that are not among the axes'.
    """
    every = combinations(axes)
    reference = chosen or every[0]
    if reference not in every:
        raise WrongUse(f"the reference {', '.join(reference)} is not among the values")
    return reference


def sweep(
    axes: tuple[Axis, ...],
    reference: tuple[str, ...],
    variant: Variant,
    report: Report | None = None,
    stopped: Callable[[], bool] | None = None,
) -> tuple[Point, ...]:
    """Every combination of values, the reference first; stops early with what there is.

    A variant that does not compile or run is a point with the reason.  Raises the reference's own
    error.
    """
    every = combinations(axes)
    found: dict[tuple[str, ...], Point] = {}
    picture: np.ndarray | None = None
    for values in sorted(every, key=lambda each: each != reference):
        if stopped is not None and stopped():
            break
        try:
            point, pixels = variant(values)
            if pixels is not None:
                picture = pixels.copy() if picture is None else picture
                point = replace(point, difference=difference(picture, pixels))
        except (StartFailed, DeviceStuck):
            raise
        except ShaderlabError as error:
            if values == reference:
                raise
            point = Point(values, failure=str(error))
        found[values] = point
        if report is not None:
            report(len(found), len(every), point)
    return tuple(found[values] for values in every if values in found)
