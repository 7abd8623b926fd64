"""Statistics of compiled code: the rows of the panel, each with its change."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shaderlab import units
from shaderlab.gpu.compilers.listing import listing_of
from shaderlab.gpu.compilers.syntax import Unit
from shaderlab.gpu.radv import times
from shaderlab.units import grouped

if TYPE_CHECKING:
    from shaderlab.gpu.compilers.compiled import CompiledStats
    from shaderlab.gpu.compilers.families import Family
    from shaderlab.gpu.radv.cost import FrameCost
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
    limit: Callable[[FamilyFigures], float | None] = lambda _: None
    """The most it can be."""

    def shown(self, figures: FamilyFigures) -> str:
        """The value, of its limit where there is one; empty where it is not known."""
        value, most = self.value(figures), self.limit(figures)
        if value is None:
            return ""
        return self.text(value) if most is None else f"{self.text(value)} of {self.text(most)}"


def _common(field: str) -> Callable[[FamilyFigures], float | None]:
    return lambda figures: getattr(figures.stats.common, field) if figures.stats else None


def _own(name: str) -> Callable[[FamilyFigures], float | None]:
    return lambda figures: figures.stats.chosen.value(name) if figures.stats else None


def _by_unit(unit: Unit) -> Callable[[FamilyFigures], float | None]:
    def value(figures: FamilyFigures) -> float | None:
        stats = figures.stats
        if stats is None or not stats.chosen.assembly:
            return None
        return listing_of(stats.chosen, stats.vendor).by_unit.get(unit.value, 0)

    return value


def _time(figures: FamilyFigures) -> float | None:
    estimate = figures.estimate
    return estimate.time_s if estimate else None


def _issued(figures: FamilyFigures) -> float | None:
    cost = figures.cost
    if cost is None or not cost.executed:
        return None
    return 1000 * sum(cost.executed.values()) / (cost.size[0] * cost.size[1])


def _cycles(value: float) -> str:
    return grouped(value) if value == int(value) else f"{value:.4g}"


STATISTICS = (
    Statistic("Frame time", "One 1024 \u00d7 768 frame at boost clock: the executions counted for "
              "each machine block times the cycles it keeps the vector units busy", _time,
              units.seconds),
    Statistic("Issued", "Instructions issued for 1,000 pixels: those of each machine block times "
              "its counted executions by subgroups.  Chips differ in how wide an instruction is: "
              "compare within one", _issued, lambda value: f"{value:,.0f}"),
    Statistic("SIMD width", "Invocations that run in lockstep; of Intel's variants the widest",
              _common("subgroup_size"), grouped, +1),
    Statistic("Occupancy", "Subgroups resident at a time: on a SIMD (AMD), a shader processor "
              "(Adreno), a streaming multiprocessor (NVIDIA)", _common("occupancy"), grouped, +1),
    Statistic("Registers", "Of the most there can be, in the vendor's registers: AMD's vector "
              "registers, Intel's general registers (at most live), Adreno's of four components",
              _common("registers"), grouped, limit=_common("register_limit")),
    Statistic("SGPRs", "AMD's scalar registers", _own("SGPRs"), grouped),
    Statistic("Spills", "Registers spilled (AMD, Intel) or accesses to spilled ones (Adreno, Mali)",
              _common("spills"), grouped),
    Statistic("Scratch", "Private memory, bytes", _common("scratch_bytes"), grouped),
    Statistic("Instructions", "Static count in the code", _common("instructions"), grouped),
    *(
        Statistic(f"\u2003{unit.value}", "Of them, in the listing", _by_unit(unit), grouped)
        for unit in Unit
    ),
    Statistic("Cycles", "By the compiler's own model, with its guessed trip counts: of one wave "
              "alone (AMD), of one subgroup of this SIMD width (Intel), of the busiest unit per "
              "invocation (Mali)", _common("cycles"), _cycles),
    Statistic("Inv. throughput", "Cycles one wave occupies the busiest unit, from AMD's "
              "compiler's model with its guessed trip counts", _own("Inverse Throughput"), grouped),
    Statistic("Stalls", "Turnip's: cycles stalled on slow results, and NOPs", _common("stalls"),
              grouped),
    Statistic("Code size", "Bytes", _common("code_bytes"), grouped),
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
    """Sentences: time, band, product, empty where no law gives a time; what it rests on."""
    estimate, cost = figures.estimate, figures.cost
    if cost is None:
        return ()
    if estimate is None:
        return "", cost.basis
    band = f"{units.seconds(estimate.low_s)} \u2013 {units.seconds(estimate.high_s)}"
    return (
        f"{units.seconds(estimate.time_s)} ({band}) on {estimate.product}",
        estimate.basis,
        cost.basis,
    )


def own_statistics(figures: FamilyFigures) -> tuple[str, ...]:
    """A sentence for each variant of the code, in the compiler's words."""
    if figures.stats is None:
        return ()
    found = [
        f"{each.name}: {', '.join(f'{s.name} {_cycles(s.value)}' for s in each.statistics)}"
        for each in figures.stats.executables
    ]
    return (*found, figures.stats.vendor.standing)
