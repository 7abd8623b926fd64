"""Chips of one family with other compute units and clocks: time, frame rate, weakest product.

The counterpart of PerfVec's design space (section VI): where that searches caches with a learned
network, this varies what AMD varies within a family, by the law that measured products follow:
seconds = floor + slope x busy cycles / (SIMDs x clock).  Memory is no axis: no shader that the law
was fitted on is bound by it, so that axis could not be validated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from shaderlab.errors import WrongUse
from shaderlab.gpu.compilers.families import Family, Product
from shaderlab.gpu.radv.cost import FrameCost
from shaderlab.gpu.radv.times import TimeEstimate, at, least_clock_hz

RATES_HZ = (60, 120, 144)


@dataclass(frozen=True)
class Placed:
    """A product that is sold."""

    family: str
    product: Product
    estimate: TimeEstimate


@dataclass(frozen=True)
class Part:
    """One pass of a frame."""

    cost: FrameCost
    draws: int = 1
    """How often it is drawn."""


@dataclass(frozen=True)
class Space:
    """One family."""

    family: Family
    parts: tuple[Part, ...]
    """Of a frame of several passes one each, else one."""
    units: tuple[int, ...]
    clocks_hz: tuple[float, ...]
    estimates: tuple[tuple[TimeEstimate, ...], ...]
    """By units, then by clock."""
    lines: dict[int, tuple[float | None, ...]]
    """By frames a second: the least clock, Hz, for each of `units`; None where none is enough."""
    products: tuple[Placed, ...]
    """The slowest first."""

    def line_of(self, time_s: float) -> tuple[float | None, ...]:
        """The clock, Hz, at which each of `units` takes so long."""
        return tuple(_least_clock_hz(self.parts, self.family, n, time_s) for n in self.units)

    @property
    def busy_cycles(self) -> float:
        """Of the whole frame."""
        return sum(each.draws * each.cost.busy_cycles for each in self.parts)

    @property
    def explained(self) -> float:
        """Least part of a pass's cycles that was met with counts."""
        return min(each.cost.explained for each in self.parts)

    @property
    def floor_s(self) -> float:
        """What no clock undercuts: the time of the pass itself."""
        first, second = self.estimates[0][0], self._twice
        return max(2 * second.time_s - first.time_s, 0.0)

    @property
    def _twice(self) -> TimeEstimate:
        return _at(self.parts, self.family, 2 * self.units[0], self.clocks_hz[0])


def explore(
    cost: FrameCost | Sequence[Part],
    family: Family,
    units: Sequence[int],
    clocks_hz: Sequence[float],
) -> Space:
    """Of one shader's cost, or of a frame's passes, whose times and bands add up.

    Raises WrongUse for a family whose times are not known.
    """
    parts = (Part(cost),) if isinstance(cost, FrameCost) else tuple(cost)
    if not family.simds_per_unit or any(each.cost.measure != "cycles" for each in parts):
        raise WrongUse(
            f"{family.slug}: explore takes AMD's families only; "
            "cycles of others cannot be turned into seconds"
        )
    rows = tuple(tuple(_at(parts, family, n, clock) for clock in clocks_hz) for n in units)
    lines = {
        rate: tuple(_least_clock_hz(parts, family, n, 1 / rate) for n in units) for rate in RATES_HZ
    }
    placed = [
        Placed(family.slug, each, _at(parts, family, each.units, each.clock_hz, each.name))
        for each in family.products
        if each.units is not None and each.clock_hz is not None
    ]
    placed.sort(key=lambda each: -each.estimate.time_s)
    return Space(family, parts, tuple(units), tuple(clocks_hz), rows, lines, tuple(placed))


def weakest(products: Sequence[Placed], budget_s: float, *, surely: bool = False) -> Placed | None:
    """The slowest product that meets the budget; `surely`: with the upper end of its band, too."""
    meets = [
        each for each in products
        if (each.estimate.high_s if surely else each.estimate.time_s) <= budget_s
    ]  # fmt: skip
    return max(meets, key=lambda each: each.estimate.time_s, default=None)


def better_share(ranks: Sequence[int], designs: int) -> float:
    """PerfVec's figure for a search: the mean share of designs better than the one chosen, whose
    rank by measured times is known of each program (section VI: 22 / 17 / 36 is 3.59 %)."""
    return sum(rank - 1 for rank in ranks) / len(ranks) / designs


def usual(family: Family) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Compute units and clocks, Hz, around the family's products."""
    most = max((each.units or 0 for each in family.products), default=0) or 16
    step = max(most // 4, 2)
    units = tuple(range(step, 6 * step + 1, step))
    clocks = [each.clock_hz for each in family.products if each.clock_hz is not None] or [2e9]
    low, high = 0.5 * min(clocks), 1.15 * max(clocks)
    count = 6
    step_hz = max(round((high - low) / (count - 1) / 1e8), 1) * 1e8
    first = round(low / 1e8) * 1e8
    return units, tuple(first + step_hz * place for place in range(count))


def _at(
    parts: Sequence[Part], family: Family, units: int, clock_hz: float, product: str = ""
) -> TimeEstimate:
    """The passes one after another; their bands add up, as if they were off the same way."""
    found: list[TimeEstimate] = []
    for each in parts:
        made = at(each.cost, family, units, clock_hz, product)
        assert made is not None, "the family has SIMDs and every one has a law"
        found.append(made)
    if len(found) == 1 and parts[0].draws == 1:
        return found[0]

    def total(name: str) -> float:
        pairs = zip(parts, found, strict=True)
        return sum(part.draws * getattr(each, name) for part, each in pairs)

    return replace(
        found[0], time_s=total("time_s"), low_s=total("low_s"), high_s=total("high_s"),
        basis=f"{len(found)} passes, one after another. Each: {found[0].basis}",
    )  # fmt: skip


def _least_clock_hz(
    parts: Sequence[Part], family: Family, units: int, time_s: float
) -> float | None:
    """The clock at which the frame takes this long; None where its passes alone take longer."""
    if len(parts) == 1 and parts[0].draws == 1:
        return least_clock_hz(parts[0].cost, family, units, time_s)
    # Every pass's law is a fixed part and one over the clock, and so is their sum.
    at_one, at_two = (_at(parts, family, units, clock).time_s for clock in (1e9, 2e9))
    over = 2 * (at_one - at_two)
    fixed = at_one - over
    return over * 1e9 / (time_s - fixed) if time_s > fixed else None
