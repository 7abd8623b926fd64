"""Which targets are listed, in what order, and what a frame may take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from shaderlab.app.panels.targets.bars import Bar
from shaderlab.app.settings import HERTZ_RANGE, Settings, within

RATES_HZ = (30.0, 60.0, 90.0, 120.0, 144.0)
"""Frame rates that a budget is offered for."""


class Order(StrEnum):
    """The values are in settings files."""

    TIME = "time"
    NAME = "name"
    OWN = "own"


@dataclass(frozen=True)
class Arrangement:
    """How the table of targets looks, as the user chose."""

    order: Order = Order.TIME
    grouped: bool = False
    """By vendor."""
    hidden: frozenset[str] = frozenset()
    """Slugs."""
    own: tuple[str, ...] = ()
    """Slugs in the order the user gave them; others come after these."""
    budget_hz: float = 0.0
    """Frames per second to reach; 0 for no budget."""

    @property
    def budget_s(self) -> float | None:
        """Seconds a frame may take; None where there is no budget."""
        return 1 / self.budget_hz if self.budget_hz else None

    def listed(self, bars: Sequence[Bar]) -> tuple[Bar, ...]:
        """Those to show of `bars`, which are fastest first; all where every one is hidden."""
        shown = [bar for bar in bars if bar.target not in self.hidden] or list(bars)
        if self.order is Order.NAME:
            shown.sort(key=lambda bar: bar.name.casefold())
        elif self.order is Order.OWN:
            place = {slug: n for n, slug in enumerate(self.own)}
            shown.sort(key=lambda bar: place.get(bar.target, len(place)))
        if self.grouped:
            shown.sort(key=lambda bar: bar.vendor)  # stable: the order within a vendor stays
        return tuple(shown)

    def switched(self, target: str) -> Arrangement:
        """With this target hidden, or shown again."""
        return replace(self, hidden=self.hidden ^ {target})

    def moved(self, bars: Sequence[Bar], target: str, steps: int) -> Arrangement:
        """With this target so many rows further down, in an order of the user's own."""
        slugs = [bar.target for bar in bars]
        at = slugs.index(target)
        slugs.insert(max(at + steps, 0), slugs.pop(at))
        rest = tuple(slug for slug in self.own if slug not in slugs)
        return replace(self, order=Order.OWN, own=(*slugs, *rest))


def remembered(settings: Settings) -> Arrangement:
    """As the settings have it; what they say that makes no sense counts for nothing."""
    orders = {order.value: order for order in Order}
    return Arrangement(
        orders.get(settings.target_order, Order.TIME),
        settings.group_targets,
        frozenset(settings.hidden_targets),
        tuple(settings.own_target_order),
        within(settings.budget_hz, HERTZ_RANGE) if settings.budget_hz else 0.0,
    )


def remember(settings: Settings, chosen: Arrangement) -> None:
    """Have the settings say so."""
    settings.target_order, settings.group_targets = chosen.order.value, chosen.grouped
    settings.hidden_targets, settings.own_target_order = sorted(chosen.hidden), list(chosen.own)
    settings.budget_hz = chosen.budget_hz
