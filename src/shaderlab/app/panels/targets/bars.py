"""Forecasts as rows of a table with bars: order, scale, changes and texts."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shaderlab import units
from shaderlab.app.session.time_changes import Change, Times, change_of
from shaderlab.app.widgets.phrases import method_name

if TYPE_CHECKING:
    from shaderlab.prediction.catalogue.targets import TargetInfo
    from shaderlab.prediction.forecast import Forecast

LOG_FROM_RATIO = 12.0
"""Slowest over fastest from which bars of equal scale would hide the fast ones."""


@dataclass(frozen=True)
class Bar:
    """One target."""

    target: str
    name: str
    time_s: float
    low_s: float
    high_s: float
    method: str
    warnings: tuple[str, ...] = ()
    """Why to distrust the forecast."""
    pinned_s: float | None = None
    """Seconds of the pinned variant, where there is one."""
    since_last: Change | None = None
    """Compared with the previous version that compiled; None for the first."""
    since_pinned: Change | None = None
    lower_bound: bool = False
    """Whether it takes at least `time_s`, and nothing more is known."""

    @property
    def time(self) -> str:
        """`365 µs`, `\u2265 365 µs`."""
        return (
            f"\u2265 {units.seconds(self.time_s)}"
            if self.lower_bound
            else units.seconds(self.time_s)
        )

    @property
    def band(self) -> str:
        """`266 µs \u2013 590 µs`."""
        if self.lower_bound:
            return "no upper end"
        return f"{units.seconds(self.low_s)} \u2013 {units.seconds(self.high_s)}"


def bars_of(
    forecasts: Sequence[Forecast],
    targets: Mapping[str, TargetInfo],
    before_s: Times | None = None,
    pinned_s: Times | None = None,
) -> tuple[Bar, ...]:
    """Fastest first; only forecasts with a positive, finite time, or at least a lower bound.

    `before_s`, `pinned_s`: of the version before and of the pinned variant.
    """
    before_s, pinned_s = before_s or {}, pinned_s or {}
    bars = []
    timed = ((f, f.least_s) for f in forecasts)
    known = [(f, s) for f, s in timed if s is not None and math.isfinite(s) and s > 0]
    for f, least_s in sorted(known, key=lambda each: each[1]):
        name = short_name(targets[f.target].name if f.target in targets else f.target)
        method, key = method_name(f.method), f.comparable
        if f.time_s is None or f.low_s is None or f.high_s is None:
            bars.append(
                Bar(f.target, name, least_s, least_s, least_s, method, f.warnings, lower_bound=True)
            )
            continue
        since_pinned = change_of(f.time_s, pinned_s.get(key))
        bars.append(
            Bar(
                f.target,
                name,
                f.time_s,
                max(min(f.low_s, f.time_s), 0.0),
                max(f.high_s, f.time_s),
                method,
                f.warnings,
                pinned_s[key] if since_pinned is not None else None,
                change_of(f.time_s, before_s.get(key)),
                since_pinned,
            )
        )
    return tuple(bars)


def short_name(name: str) -> str:
    """The distinctive part: `RTX 3060` of `GeForce RTX 3060`, or what is in brackets."""
    inner = re.search(r"\((.+)\)$", name)
    if inner:
        return inner[1]
    return re.sub(r"^(NVIDIA |AMD |Intel )?(GeForce |Radeon )?", "", name)


@dataclass(frozen=True)
class Scale:
    """Maps seconds to an axis from 0 to 1."""

    logarithmic: bool
    low_s: float
    high_s: float

    def at(self, seconds: float) -> float:
        """0 to 1; values beyond an end are clamped."""
        clipped = min(max(seconds, self.low_s), self.high_s)
        if not self.logarithmic:
            return clipped / self.high_s
        return math.log(clipped / self.low_s) / math.log(self.high_s / self.low_s)

    @property
    def ticks_s(self) -> tuple[float, ...]:
        """Round seconds inside the axis, ascending: decades, or about four equal steps."""
        if self.logarithmic:
            first, last = math.ceil(math.log10(self.low_s)), math.floor(math.log10(self.high_s))
            return tuple(10.0**n for n in range(first, last + 1))
        rough = self.high_s / 4
        decade = 10.0 ** math.floor(math.log10(rough))
        step = next(decade * n for n in (1, 2, 5, 10) if decade * n >= rough)
        return tuple(step * n for n in range(1, math.floor(self.high_s / step * 1.0001) + 1))


def scale_of(bars: Sequence[Bar]) -> Scale:
    """The axis on which all bars have room."""
    slowest = max(b.time_s for b in bars)
    # One very wide band must not squeeze every bar; it is cut off instead.
    slowest = max(slowest, min(max(b.high_s for b in bars), 3 * slowest))
    fastest = min(b.time_s for b in bars)
    if slowest / fastest < LOG_FROM_RATIO:
        return Scale(False, 0.0, slowest * 1.04)
    low = min(b.low_s if b.low_s > fastest / 10 else fastest / 2 for b in bars)
    return Scale(True, 10 ** math.floor(math.log10(low) - 0.15), slowest * 1.15)
