"""How the time of a shader follows the size of its picture, here and on targets, and the clock.

Issa's scaling study (section V) with sizes in place of clocks: measured at several sizes, a line
through them, and targets counted at every size instead of scaled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from shaderlab.engine import questions
from shaderlab.engine.crew import Engine
from shaderlab.engine.questions import Asked
from shaderlab.gpu.measurement import own_clock
from shaderlab.prediction.forecast import Forecast
from shaderlab.prediction.scaling import Law, Scaling, fit
from shaderlab.scene.draw import CANONICAL_SIZE, SEVERAL_SIZES, Draw, Frame
from shaderlab.workers.device import DeviceWorker

Size = tuple[int, int]
USUAL: tuple[Size, ...] = ((1920, 1080), (2560, 1440), (3840, 2160))
LEAST_SPAN = 1.15
"""Clocks closer together than this say nothing of how the time follows them."""


@dataclass(frozen=True)
class SizeStudy:
    """Times over sizes."""

    device: str
    clock: str
    """What the times are by."""
    law: Scaling
    """Over pixels."""
    measured: tuple[Size, ...]
    at: tuple[Size, ...]
    """Sizes asked for."""
    forecasts: Mapping[Size, tuple[Forecast, ...]]
    """By size, counted there, ascending; those that a stop left out are not there."""
    far: bool = False
    """Whether to project however far."""

    def projected(self, size: Size) -> float | None:
        """Seconds by the law; None too far outside what was measured."""
        pixels = prod(size)
        return self.law.at(pixels) if self.far or not self.law.is_far(pixels) else None

    @property
    def targets(self) -> list[str]:
        """Slugs, in the order of the forecasts."""
        return list(dict.fromkeys(each.target for row in self.forecasts.values() for each in row))

    def of(self, size: Size, target: str) -> Forecast:
        return next(each for each in self.forecasts[size] if each.target == target)


@dataclass(frozen=True)
class ClockStudy:
    """Times over clocks."""

    law: Scaling
    """Amdahl's: a + b / clock, in MHz."""
    score: Scaling
    """The line through 1 / t that the paper draws."""
    at: tuple[float, ...]
    """Clocks asked for, MHz."""
    origin: str
    """Where the points are from."""
    far: bool = False

    def projected(self, clock: float) -> float | None:
        """Seconds by the law; None too far outside the points."""
        return self.law.at(clock) if self.far or not self.law.is_far(clock) else None


def size_study(
    draw: Draw,
    engine: Engine,
    targets: Sequence[str] | None,
    *,
    effort: tuple[int, int],
    at: Sequence[Size] = USUAL,
    far: bool = False,
    report: Callable[[str], None] = lambda _text: None,
    stopped: Callable[[], bool] = lambda: False,
) -> SizeStudy | None:
    """Measured at `SEVERAL_SIZES` by `effort` (trials, draws); every target counted at each of
    `at` and the canonical size.

    `report` hears the step under way; None where `stopped` before all sizes were measured, and
    without the forecasts that were still to be made afterwards.
    """
    engine.crew.predictor.start()  # while the device is timed
    device = engine.crew.device(engine.answer(questions.device))
    seconds, clock, asked = [], "", Asked(tuple(targets) if targets else None)
    sizes = sorted({*at, CANONICAL_SIZE}, key=prod)
    steps = len(SEVERAL_SIZES) + len(sizes)
    for number, size in enumerate(SEVERAL_SIZES, 1):
        if stopped():
            return None
        report(f"{number} of {steps}: measuring {named(size)}")
        time_s, clock = _measured(device, draw.of_size(size), effort)
        seconds.append(time_s)
    forecasts: dict[Size, tuple[Forecast, ...]] = {}
    for number, size in enumerate(sizes, 1 + len(SEVERAL_SIZES)):
        if stopped():
            break
        report(f"{number} of {steps}: counting {named(size)}")
        frame = Frame.of(draw if size == draw.size else draw.of_size(size))
        forecasts[size] = engine.answer(questions.forecasts, frame, frame.passes[0].name, asked)
    law = fit(Law.LINEAR, [prod(size) for size in SEVERAL_SIZES], seconds, relative=True)
    return SizeStudy(device.info.slug, clock, law, SEVERAL_SIZES, tuple(at), forecasts, far)


def named(size: Size) -> str:
    return f"{size[0]}x{size[1]}"


def clock_study(
    points: Mapping[float, float], at: Sequence[float], origin: str, *, far: bool = False
) -> ClockStudy:
    """Laws through seconds by MHz, two or more that `spans` holds for."""
    x = sorted(points)
    seconds = [points[clock] for clock in x]
    return ClockStudy(
        fit(Law.AMDAHL, x, seconds), fit(Law.SCORE, x, seconds), tuple(at), origin, far
    )


def spans(points: Mapping[float, float]) -> bool:
    """Whether clocks are far enough apart for a law."""
    return len(points) >= 2 and max(points) >= LEAST_SPAN * min(points)


def _measured(device: DeviceWorker, draw: Draw, effort: tuple[int, int]) -> tuple[float, str]:
    """The median trial, and the clock it is by."""
    measurement, clock = own_clock(device.profile(draw, *effort).result(), device.info.kind)
    return float(np.median(measurement.trials_s)), clock
