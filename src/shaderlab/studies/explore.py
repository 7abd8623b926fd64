"""The weakest GPU that holds a budget: of all products, or of a family's chips with other compute
units and clocks.

The second is the counterpart of PerfVec's design space (section VI): where that searches caches
with a learned network, this varies what AMD varies within a family, by the law that measured
products follow: seconds = floor + slope x busy cycles / (SIMDs x clock).  Memory is no axis: no
shader that the law was fitted on is bound by it, so that axis could not be validated.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, TypeVar

from shaderlab import units
from shaderlab.errors import WrongUse
from shaderlab.gpu.compilers.families import Family, Product
from shaderlab.gpu.radv.cost import FrameCost
from shaderlab.gpu.radv.times import TimeEstimate, at, least_clock_hz

if TYPE_CHECKING:
    from shaderlab.prediction.catalogue.targets import TargetInfo
    from shaderlab.prediction.forecast import Forecast
    from shaderlab.prediction.forecasts.frame_forecast import FrameForecast

RATES_HZ = (60, 120, 144)


class Timed(Protocol):
    """A product and what a frame takes there."""

    @property
    def called(self) -> str:
        """Its name, and what to know about the time."""
        ...

    @property
    def least_s(self) -> float:
        """Seconds it takes at least, as far as is known."""
        ...

    @property
    def time_s(self) -> float:
        """Infinite where only `least_s` is known."""
        ...

    @property
    def high_s(self) -> float:
        """Upper end of the band; infinite where nothing says where it ends."""
        ...


@dataclass(frozen=True)
class Placed:
    """A product of a family that is sold."""

    family: str
    product: Product
    estimate: TimeEstimate

    @property
    def called(self) -> str:
        return self.product.name

    @property
    def least_s(self) -> float:
        return self.estimate.time_s

    time_s = least_s

    @property
    def high_s(self) -> float:
        return self.estimate.high_s


@dataclass(frozen=True)
class OnProduct:
    """A product of any vendor with the forecast for it."""

    info: TargetInfo
    forecast: Forecast | FrameForecast

    @property
    def called(self) -> str:
        untested = self.info.evidence == "untested"
        return f"{self.info.name} (untested)" if untested else self.info.name

    @property
    def least_s(self) -> float:
        return math.inf if self.forecast.least_s is None else self.forecast.least_s

    @property
    def time_s(self) -> float:
        return math.inf if self.forecast.time_s is None else self.forecast.time_s

    @property
    def high_s(self) -> float:
        high_s = self.forecast.high_s
        return math.inf if high_s is None or self.forecast.time_s is None else high_s


@dataclass(frozen=True)
class EveryProduct:
    """All products that there are forecasts for."""

    products: tuple[OnProduct, ...]
    """The slowest first."""


def on_products(
    infos: Iterable[TargetInfo], forecasts: Iterable[Forecast | FrameForecast]
) -> EveryProduct:
    """What `forecasts` say of what one can buy: no software device, no target of the user's own."""
    known = {each.target: each for each in infos if each.year is not None and not each.user}
    rows = [OnProduct(known[each.target], each) for each in forecasts if each.target in known]
    rows.sort(key=lambda each: (-each.least_s, each.info.name))
    return EveryProduct(tuple(rows))


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


_Row = TypeVar("_Row", bound=Timed)


def weakest(products: Sequence[_Row], budget_s: float, *, surely: bool = False) -> _Row | None:
    """The slowest product that meets the budget; `surely`: with the upper end of its band, too."""
    meets = [each for each in products if (each.high_s if surely else each.time_s) <= budget_s]
    return max(meets, key=lambda each: each.time_s, default=None)


def within(row: Timed, budget_s: float) -> str:
    """Whether a product meets a budget, and how surely."""
    if row.high_s <= budget_s:
        return "yes"
    if row.time_s <= budget_s:
        return "likely"
    return "unknown" if row.least_s <= budget_s else "no"


def verdict(products: Sequence[Timed], budget_s: float) -> str:
    """The weakest product that meets the budget, in a sentence."""
    budget = units.seconds(budget_s)
    likely = weakest(products, budget_s)
    bounds = sum(within(each, budget_s) == "unknown" for each in products)
    if likely is None and bounds:
        return (
            f"No product is known to be within {budget}: of {bounds} only a lower bound is known."
        )
    if likely is None:
        return f"None of these products is within {budget}."
    text = f"Weakest product within {budget}: {likely.called}"
    surely = weakest(products, budget_s, surely=True)
    if surely is likely:
        return f"{text}, with its whole band."
    if surely is None:
        return f"{text}; no product has its whole band within it."
    return f"{text}; with its whole band: {surely.called}."


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
