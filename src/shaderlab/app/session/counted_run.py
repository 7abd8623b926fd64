"""Which frame is counted, and so predicted: its size and time."""

from __future__ import annotations

import math
from dataclasses import dataclass

from shaderlab.scene.draw import CANONICAL_SIZE
from shaderlab.scene.uniforms import Uniforms

SIDE_RANGE = (16, 8192)
"""Pixels."""
TIME_RANGE_S = (0.0, 3600.0)


@dataclass(frozen=True)
class CountedRun:
    """The default is the canonical run, on whose counts the models were fitted."""

    size: tuple[int, int] = CANONICAL_SIZE
    """Width, height in pixels."""
    time_s: float = Uniforms().time_s
    """`iTime`."""

    @property
    def uniforms(self) -> Uniforms:
        """All else is the canonical run's."""
        return Uniforms(time_s=self.time_s)

    @property
    def text(self) -> str:
        """`1024 \u00d7 768, t = 1 s`."""
        return "{} \u00d7 {}, t = {:g} s".format(*self.size, self.time_s)


CANONICAL = CountedRun()


def run_from(size: str, time_s: float) -> CountedRun:
    """The run that a settings file names, such as `1920x1080` and 20.0; the canonical one where it
    names none that is possible."""
    try:
        width, height = (int(side) for side in size.split("x"))
    except ValueError:
        return CANONICAL
    sides_fit = all(SIDE_RANGE[0] <= side <= SIDE_RANGE[1] for side in (width, height))
    if not sides_fit or not (
        math.isfinite(time_s) and TIME_RANGE_S[0] <= time_s <= TIME_RANGE_S[1]
    ):
        return CANONICAL
    return CountedRun((width, height), time_s)
