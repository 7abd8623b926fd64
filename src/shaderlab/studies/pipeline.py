"""Which stage a frame's time goes to: vertices, pixels, output, the pass itself, or none of them.

Issa's pipeline model (Eqs. 1, 2, 18 to 22 and Table 1) with the stages that can be measured on any
Vulkan device: of a full-screen draw the input assembler and the vertex stage are constants.  The
output is the draw with a constant colour instead of the shader, minus the empty pass.  The paper's
Table 1 leaves 13 % of the time without a stage; here that is a row of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from shaderlab.gpu.measurement import Measurement
from shaderlab.prediction.cost import PASS
from shaderlab.prediction.forecast import Forecast


class Stage(StrEnum):
    VERTEX = "vertex"
    """Vertices fetched and processed, triangles set up: the draw behind a scissor of one pixel."""
    PIXEL = "pixel"
    """What the fragment stage adds to one that writes a constant colour."""
    OUTPUT = "output"
    """Pixels written and blended, and triangles set up: the constant colour beside the pass."""
    PASS = "pass"
    """Begin, clear or load, end: with nothing drawn."""
    PASS_AND_OUTPUT = "pass and output"
    """A pass that writes one colour, where the two cannot be separated."""
    UNEXPLAINED = "unexplained"


@dataclass(frozen=True)
class PassStages:
    """One pass of a frame, seconds of all its draws."""

    name: str
    seconds: Mapping[Stage, float]
    """With either `PASS_AND_OUTPUT` or both of its parts."""
    together_reason: str = ""
    """Why pass and output are not apart, as a sentence without full stop."""

    @property
    def total_s(self) -> float:
        return sum(self.seconds.values())

    @property
    def bottleneck(self) -> Stage:
        """The stage that takes longest."""
        return max(self.seconds, key=self.seconds.__getitem__)


@dataclass(frozen=True)
class FrameStages:
    """A frame by stages."""

    passes: tuple[PassStages, ...]
    frame_s: float
    """All passes in one submission."""

    @property
    def shares(self) -> dict[Stage, float]:
        """Of the frame's time; they sum to 1.  The last, what no pass explains, may be below 0:
        passes that overlap take less together than apart."""
        found = {
            stage: sum(each.seconds.get(stage, 0.0) for each in self.passes) / self.frame_s
            for stage in self.stages
        }
        return found | {Stage.UNEXPLAINED: 1 - sum(found.values())}

    @property
    def stages(self) -> tuple[Stage, ...]:
        """Those that passes have."""
        there = {stage for each in self.passes for stage in each.seconds}
        return tuple(stage for stage in Stage if stage in there)

    @property
    def bottlenecks(self) -> dict[Stage, float]:
        """Share of the passes that each stage bounds."""
        named = [each.bottleneck for each in self.passes]
        return {stage: named.count(stage) / len(named) for stage in dict.fromkeys(named)}

    @property
    def sum_error(self) -> float:
        """Eq. 20: sum of the passes over the frame, less 1; errors of passes cancel in it."""
        return sum(each.total_s for each in self.passes) / self.frame_s - 1


def stages(name: str, measured: Measurement, draws: int) -> PassStages:
    """Of one pass by itself; `measured` by the clock that counts on the device.

    Pass first, then vertices, then output, each at most what is left: noise does not make a stage
    negative.
    """
    left = measured.time_s

    def at_most(seconds: float) -> float:
        nonlocal left
        taken = min(seconds, left) if np.isfinite(seconds) else 0.0
        left -= taken
        return taken

    output, vertex_s = measured.output, measured.vertex.time_s if measured.vertex else 0.0
    parts: dict[Stage, float]
    if output is None:
        parts = {Stage.PASS_AND_OUTPUT: at_most(measured.floor_s), Stage.VERTEX: at_most(vertex_s)}
    else:
        parts = {Stage.PASS: at_most(output.pass_s), Stage.VERTEX: at_most(vertex_s)}
        parts[Stage.OUTPUT] = at_most(max(output.time_s - parts[Stage.VERTEX], 0.0))
    parts[Stage.PIXEL] = left
    return PassStages(
        name,
        {stage: draws * parts[stage] for stage in Stage if stage in parts},
        measured.output_reason,
    )


def foreseen(forecast: Forecast) -> PassStages | None:
    """A draw's stages on a target, by its forecast; None where that does not say."""
    cost, time_s = forecast.cost, forecast.time_s
    if cost is None or not time_s:
        return None
    vertex_s = min((forecast.vertex.time_s or 0.0) if forecast.vertex else 0.0, time_s)
    pass_s = min(dict(cost.shares).get(PASS, 0.0), 1.0) * (time_s - vertex_s)
    parts = {
        Stage.VERTEX: vertex_s, Stage.PIXEL: time_s - vertex_s - pass_s,
        Stage.PASS_AND_OUTPUT: pass_s,
    }  # fmt: skip
    return PassStages(forecast.target, parts, "a target's fixed cost includes both")


def frame_stages(
    apart: Mapping[str, Measurement], together: Measurement, draws: Mapping[str, int]
) -> FrameStages:
    """Of passes measured separately and in one submission, all by the clock that counts on the
    device; `draws`: how often each is drawn in a frame."""
    return FrameStages(
        tuple(stages(name, each, draws[name]) for name, each in apart.items()), together.time_s
    )


@dataclass(frozen=True)
class Trend:
    """Issa's correction of a stage: measured and least times differ by E(T) = exp(A - B T)."""

    a: float
    b: float

    def corrected(self, least_s: np.ndarray) -> np.ndarray:
        """Eqs. 17, 18: T (1 + E) / (1 - E)."""
        error = np.exp(self.a - self.b * least_s)
        return least_s * (1 + error) / (1 - error)


LEAST_DRAWS = 12
"""A trend needs so many draws of one stage."""


def trend(least_s: Sequence[float], measured_s: Sequence[float], power: float = 0.0) -> Trend:
    """Least squares of ln Err over T, weighted by T to the `power` (Eqs. 7 to 12).

    Draws that were measured faster than the least time have no logarithm and are left out.  Raises
    ValueError for fewer than `LEAST_DRAWS`.
    """
    least, measured = np.asarray(least_s, float), np.asarray(measured_s, float)
    known = (measured > least) & (least > 0)
    least, measured = least[known], measured[known]
    if len(least) < LEAST_DRAWS:
        raise ValueError(f"{len(least)} draws: a trend needs {LEAST_DRAWS}")
    error = np.log((measured - least) / (measured + least))
    weights = least**power
    u, v, w = (weights * least**2).sum(), -(weights * least).sum(), weights.sum()
    x, y = (weights * error).sum(), -(weights * least * error).sum()
    scale = u * w - v * v
    return Trend(float((u * x - v * y) / scale), float((w * y - v * x) / scale))


def between(clock: float, first: tuple[float, float], second: tuple[float, float]) -> float:
    """A stage's inverse bandwidth at a clock from two neighbours, each (clock, value) (Eq. 21)."""
    (low, at_low), (high, at_high) = first, second
    return at_high + (clock - high) / (low - high) * (at_low - at_high)
