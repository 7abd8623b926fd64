"""From cycles to seconds: the least a chip needs at its boost clock, and what was measured.

A frame's busy cycles over all SIMDs at the boost clock is a time with nothing fitted in it.  The
laws in `resources/amd/times.json` say how measured times lie to it, and on which shaders.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from shaderlab.errors import InternalError
from shaderlab.gpu.compilers.families import Family, Product
from shaderlab.gpu.radv.cost import FrameCost
from shaderlab.locations import resources

_GUESSED = 2.0
"""How much further a band reaches on either side where blocks were not counted one by one."""


@dataclass(frozen=True)
class TimeEstimate:
    """Seconds of one frame on a product."""

    product: str
    clock: str
    """`boost`: the chip runs at its boost clock, as under a steady load.  `from idle`: it starts
    from its idle clock and speeds up on the way, as in short measuring runs."""
    time_s: float
    low_s: float
    high_s: float
    basis: str
    samples: int
    """Measured shaders of this product the law was fitted on; 0 where none were."""


@dataclass(frozen=True)
class _Law:
    """Measured seconds from ideal ones: min(floor + slope x t, late_floor + late_slope x t)."""

    products: tuple[str, ...]
    """Products measured; empty for the law of all others."""
    families: tuple[str, ...]
    """Slugs the law is for where it names no product; empty for any."""
    clock: str
    floor_s: float
    slope: float
    late_floor_s: float | None
    late_slope: float | None
    low: float
    high: float
    """Factors of the band."""
    basis: str
    samples: int

    def seconds(self, ideal_s: float) -> float:
        early = self.floor_s + self.slope * ideal_s
        if self.late_floor_s is None or self.late_slope is None:
            return early
        return min(early, self.late_floor_s + self.late_slope * ideal_s)


def ideal_seconds(cost: FrameCost, family: Family, product: Product) -> float:
    """Busy cycles spread evenly over all SIMDs of the product at its boost clock."""
    simds = (product.units or 0) * family.simds_per_unit  # all of AMD's are known
    return cost.busy_cycles / (simds * (product.clock_hz or 0.0))


def at(
    cost: FrameCost, family: Family, units: int, clock_hz: float, product: str = ""
) -> TimeEstimate | None:
    """At boost clock on a chip of the family with so many compute units at such a clock.

    By the law of the product that is named, else by the family's.  None for families of other
    vendors than AMD, and for dispatches.
    """
    law = _law(product, family.slug, "boost")
    if law is None or not family.simds_per_unit or cost.is_dispatch:
        return None
    ideal = cost.busy_cycles / (units * family.simds_per_unit * clock_hz)
    wider = 1.0 if cost.explained == 1 else _GUESSED
    time = law.seconds(ideal)
    return TimeEstimate(
        product, "boost", time, time * law.low / wider, time * law.high * wider, law.basis,
        law.samples,
    )  # fmt: skip


def least_clock_hz(cost: FrameCost, family: Family, units: int, time_s: float) -> float | None:
    """The clock at which a chip of the family with so many compute units takes this long.

    None where the pass alone takes longer, and for families of other vendors than AMD.
    """
    law = _law("", family.slug, "boost")
    if law is None or not family.simds_per_unit or time_s <= law.floor_s:
        return None
    ideal = (time_s - law.floor_s) / law.slope
    return cost.busy_cycles / (units * family.simds_per_unit * ideal)


def estimates(cost: FrameCost, family: Family) -> tuple[TimeEstimate, ...]:
    """For every product of the family: at boost clock, and from idle where that was measured.

    None for families of other vendors than AMD, and for dispatches: no law of theirs is known.
    """
    if not family.simds_per_unit or cost.is_dispatch:
        return ()
    found = []
    for product in family.products:
        ideal = ideal_seconds(cost, family, product)
        for clock in ("boost", "from idle"):
            law = _law(product.name, family.slug, clock)
            if law is not None:
                time = law.seconds(ideal)
                wider = 1.0 if cost.explained == 1 else _GUESSED
                found.append(
                    TimeEstimate(
                        product.name,
                        clock,
                        time,
                        time * law.low / wider,
                        time * law.high * wider,
                        law.basis,
                        law.samples,
                    )
                )
    return tuple(found)


def _law(product: str, family: str, clock: str) -> _Law | None:
    """The law for the product, else for its family, else for any."""
    laws = [law for law in _laws() if law.clock == clock]
    for fits in (
        lambda law: product in law.products,
        lambda law: not law.products and family in law.families,
        lambda law: not law.products and not law.families,
    ):
        for law in laws:
            if fits(law):
                return law
    return None


@cache
def _laws() -> tuple[_Law, ...]:
    path = resources() / "amd" / "times.json"
    try:
        return tuple(_read(entry) for entry in json.loads(path.read_text("utf-8"))["laws"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InternalError(f"{path.name} cannot be read: {error}") from None


def _read(entry: Mapping[str, Any]) -> _Law:
    return _Law(
        products=tuple(entry.get("products", ())),
        families=tuple(entry.get("families", ())),
        clock=entry["clock"],
        floor_s=float(entry["floor_s"]),
        slope=float(entry["slope"]),
        late_floor_s=entry.get("late_floor_s"),
        late_slope=entry.get("late_slope"),
        low=float(entry["band"][0]),
        high=float(entry["band"][1]),
        basis=entry["basis"],
        samples=int(entry["samples"]),
    )
