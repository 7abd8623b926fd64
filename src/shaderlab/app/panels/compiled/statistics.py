"""Statistics of compiled code: the rows of the panel, each with its change."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shaderlab import units
from shaderlab.app.widgets.phrases import grouped
from shaderlab.gpu.radv import times

if TYPE_CHECKING:
    from shaderlab.gpu.radv.compiled import CompiledStats
    from shaderlab.gpu.radv.cost import FrameCost
    from shaderlab.gpu.radv.families import Family
    from shaderlab.gpu.radv.times import TimeEstimate


@dataclass(frozen=True)
class FamilyFigures:
    """All there is of one program on one family."""

    family: Family
    stats: CompiledStats | None = None
    cost: FrameCost | None = None
    problem: str = ""
    """Why there are no statistics."""

    @property
    def estimate(self) -> TimeEstimate | None:
        """At boost clock, on a product that was measured if there is one, else on the largest."""
        if self.cost is None:
            return None
        found = [e for e in times.estimates(self.cost, self.family) if e.clock == "boost"]
        return next((e for e in found if e.samples), found[0] if found else None)


@dataclass(frozen=True)
class Statistic:
    """A row."""

    name: str
    tip: str
    value: Callable[[FamilyFigures], float | None]
    text: Callable[[float], str]
    better: int = -1
    """-1: less is better; +1: more is."""


def _of_stats(field: str) -> Callable[[FamilyFigures], float | None]:
    return lambda figures: getattr(figures.stats, field) if figures.stats else None


def _time(figures: FamilyFigures) -> float | None:
    estimate = figures.estimate
    return estimate.time_s if estimate else None


STATISTICS = (
    Statistic("Frame time", "One 1024 \u00d7 768 frame at boost clock: the executions counted for "
              "each machine block times the cycles it keeps the vector units busy", _time,
              units.seconds),
    Statistic("Occupancy", "Waves that fit on one SIMD at a time", _of_stats("occupancy"), grouped,
              +1),
    Statistic("VGPRs", "Vector registers allocated", _of_stats("vgprs"), grouped),
    Statistic("SGPRs", "Scalar registers allocated", _of_stats("sgprs"), grouped),
    Statistic("Spills", "Registers spilled, scalar and vector", _of_stats("spills"), grouped),
    Statistic("Scratch", "Private memory per wave, bytes", _of_stats("scratch_bytes"), grouped),
    Statistic("Instructions", "Static count in the code", _of_stats("instructions"), grouped),
    Statistic("Branches", "Static count in the code", _of_stats("branches"), grouped),
    Statistic("Latency", "Cycles for one wave running alone, from the compiler's model with its "
              "guessed trip counts", _of_stats("latency"), grouped),
    Statistic("Inv. throughput", "Cycles one wave occupies the busiest unit, from the "
              "compiler's model with its guessed trip counts", _of_stats("inverse_throughput"),
              grouped),
    Statistic("Code size", "Bytes", _of_stats("code_bytes"), grouped),
)  # fmt: skip


@dataclass(frozen=True)
class Change:
    """From a value to another."""

    text: str
    """`+4`, `\u221212 %`."""
    good: bool


def change(statistic: Statistic, now: float | None, then: float | None) -> Change | None:
    """None where nothing changed, or there is nothing to compare with.

    Small whole numbers by their difference, others in percent.
    """
    if now is None or then is None or now == then:
        return None
    good = (now > then) == (statistic.better > 0)
    if statistic.text is grouped and (max(abs(now), abs(then)) < 1000 or not then):
        return Change(f"{now - then:+.0f}".replace("-", "\u2212"), good)
    if not then or not math.isfinite(now / then):
        return None
    text = units.change(now, then)
    return Change(text, good) if text else None


def time_details(figures: FamilyFigures) -> tuple[str, ...]:
    """Sentences: time, band, product, what it rests on."""
    estimate, cost = figures.estimate, figures.cost
    if estimate is None or cost is None:
        return ()
    band = f"{units.seconds(estimate.low_s)} \u2013 {units.seconds(estimate.high_s)}"
    return (
        f"{units.seconds(estimate.time_s)} ({band}) on {estimate.product}",
        estimate.basis,
        cost.basis,
    )
