"""Chips of one family with other compute units and clocks: time, frame rate, weakest product.

The counterpart of PerfVec's design space (section VI): where that searches caches with a learned
network, this varies what AMD varies within a family, by the law that measured products follow:
seconds = floor + slope x busy cycles / (SIMDs x clock).  Memory is no axis: no shader that the law
was fitted on is bound by it, so that axis could not be validated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
class Space:
    """One family."""

    family: Family
    cost: FrameCost
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
        return tuple(least_clock_hz(self.cost, self.family, n, time_s) for n in self.units)

    @property
    def floor_s(self) -> float:
        """What no clock undercuts: the time of the pass itself."""
        first, second = self.estimates[0][0], self._twice
        return max(2 * second.time_s - first.time_s, 0.0)

    @property
    def _twice(self) -> TimeEstimate:
        found = at(self.cost, self.family, 2 * self.units[0], self.clocks_hz[0])
        assert found is not None, "the space has estimates"
        return found


def explore(
    cost: FrameCost, family: Family, units: Sequence[int], clocks_hz: Sequence[float]
) -> Space:
    """Raises WrongUse for a family whose times are not known."""
    if not family.simds_per_unit or cost.measure != "cycles":
        raise WrongUse(
            f"{family.slug}: explore takes AMD's families only; "
            "cycles of others cannot be turned into seconds"
        )
    rows = tuple(tuple(_at(cost, family, n, clock) for clock in clocks_hz) for n in units)
    lines = {
        rate: tuple(least_clock_hz(cost, family, n, 1 / rate) for n in units) for rate in RATES_HZ
    }
    placed = [
        Placed(family.slug, each, _at(cost, family, each.units, each.clock_hz, each.name))
        for each in family.products
        if each.units is not None and each.clock_hz is not None
    ]
    placed.sort(key=lambda each: -each.estimate.time_s)
    return Space(family, cost, tuple(units), tuple(clocks_hz), rows, lines, tuple(placed))


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
    cost: FrameCost, family: Family, units: int, clock_hz: float, product: str = ""
) -> TimeEstimate:
    found = at(cost, family, units, clock_hz, product)
    assert found is not None, "the family has SIMDs and every one has a law"
    return found
