"""Forecasts as rows of a table with a dot and whiskers: scale, changes and texts."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shaderlab import units
from shaderlab.prediction.forecast import Forecast, Side, Status, evidence_word
from shaderlab.prediction.forecasts.frame_forecast import FrameForecast
from shaderlab.prediction.forecasts.time_changes import COUNTING, Change, Times, change_of
from shaderlab.prediction.forms import Form, method_name

if TYPE_CHECKING:
    from shaderlab.prediction.catalogue.change_bands import ChangeBand
    from shaderlab.prediction.catalogue.targets import TargetInfo

_LEAST_SPAN = 10.0
"""Right over left end of the axis at least: nearly equal times look nearly equal."""
_WHISKER = 10.0
"""A band is cut off where it goes so many times beyond the slowest or fastest time."""
_FARTHEST_BUDGET = 100.0
"""A budget so many times beyond the times is not on the axis: they would be squeezed."""
REFINED = "\u2026"
"""Behind a time for which a better forecast is on its way."""


@dataclass(frozen=True)
class Bar:
    """One target."""

    target: str
    name: str
    time_s: float
    """Of a lower bound the least; nan where there is no time."""
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
    status: Status = Status.OK
    finer: Form | None = None
    """The form of the program on its way that will give a better forecast."""
    part_s: float | None = None
    """Seconds of the edited pass, where `time_s` is its frame's."""
    vendor: str = ""
    """Who makes the target; empty where that is not known."""
    rests_on: str = ""
    """`measured, 5.7 %`: what the time rests on in one word, and the error validated for shaders
    like this one, where there is a figure."""

    @property
    def timed(self) -> bool:
        """Whether there is anything to draw."""
        return self.status is not Status.NONE

    @property
    def time(self) -> str:
        """`365 µs`, `\u2265 365 µs`, `\u2248 365 µs`, `no time`; an ellipsis while refined."""
        if not self.timed:
            return "no time"
        return self.status.sign + units.seconds(self.time_s) + REFINED * (self.finer is not None)

    @property
    def band(self) -> str:
        """`266 µs \u2013 590 µs`."""
        if not self.timed:
            return ""
        if self.status is Status.LOWER_BOUND:
            return "no upper bound"
        return f"{units.seconds(self.low_s)} \u2013 {units.seconds(self.high_s)}"

    @property
    def part(self) -> str:
        """`120 µs, 33 %`: the edited pass, and how much of the frame's time that is."""
        if self.part_s is None:
            return ""
        return f"{units.seconds(self.part_s)}, {units.percent(self.part_s / self.time_s)}"


@dataclass(frozen=True)
class Beside:
    """What a table of forecasts compares them with, and what is known of their age."""

    before_s: Times = field(default_factory=dict)
    """Of the version that compiled before."""
    pinned_s: Times = field(default_factory=dict)
    """Of the pinned variant."""
    outdated: bool = False
    """Whether the forecasts are of an earlier text than stands: they are compared with nothing."""
    awaited: bool = True
    """Where they are outdated: whether others are on their way."""
    finer: Mapping[str, Form] = field(default_factory=dict)
    """By target: the form on its way that will give a better forecast."""
    edited: str = ""
    """Of frames, the pass whose own time is shown, too."""

    def change(
        self,
        forecast: Forecast | FrameForecast,
        then_s: Times,
        bands: Mapping[str, ChangeBand],
    ) -> Change | None:
        """Equal stages are compared; where one of the two is still on its way, that is said.

        `bands` by method: they hold for single passes of shaders like the training data.
        """
        target, key = forecast.target, forecast.comparable
        if not any(slug == target for slug, *_ in then_s):
            return None
        if self.outdated:
            return COUNTING if self.awaited else None
        if key not in then_s or forecast.time_s is None:
            return COUNTING if target in self.finer else None
        sure = isinstance(forecast, Forecast) and forecast.status is Status.OK
        band = bands.get(forecast.method) if sure and forecast.domain is Side.INSIDE else None
        return change_of(forecast.time_s, then_s[key], band)


ALONE = Beside()


def bars_of(
    forecasts: Sequence[Forecast | FrameForecast],
    targets: Mapping[str, TargetInfo],
    beside: Beside = ALONE,
) -> tuple[Bar, ...]:
    """Fastest first, those without a time last."""
    timed = [(f, _seconds(f)) for f in forecasts]
    return tuple(
        _bar(f, least_s, targets, beside)
        for f, least_s in sorted(timed, key=lambda each: (math.isnan(each[1]), each[1]))
    )


def _seconds(forecast: Forecast | FrameForecast) -> float:
    """The time or what it takes at least; nan where there is neither, or it is none at all."""
    least_s = forecast.least_s
    return least_s if least_s is not None and math.isfinite(least_s) and least_s > 0 else math.nan


def _bar(
    f: Forecast | FrameForecast, least_s: float, targets: Mapping[str, TargetInfo], beside: Beside
) -> Bar:
    info = targets.get(f.target)
    name = short_name(info.name if info is not None else f.target)
    bands = info.changes if info is not None else {}
    low_s, high_s = f.low_s, f.high_s
    status = Status.NONE if math.isnan(least_s) else f.status
    if f.time_s is None or low_s is None or high_s is None:
        low_s = high_s = least_s
    since_pinned = beside.change(f, beside.pinned_s, bands)
    return Bar(
        f.target,
        name,
        least_s,
        max(min(low_s, least_s), 0.0),
        max(high_s, least_s),
        method_name(f.method),
        f.warnings,
        beside.pinned_s.get(f.comparable) if since_pinned is not None else None,
        beside.change(f, beside.before_s, bands),
        since_pinned,
        status,
        beside.finer.get(f.target),
        f.pass_s(beside.edited) if isinstance(f, FrameForecast) and f.time_s is not None else None,
        info.vendor if info is not None else "",
        _rests_on(f, info),
    )


def _rests_on(f: Forecast | FrameForecast, info: TargetInfo | None) -> str:
    if isinstance(f, FrameForecast):  # no figure is of sums of passes
        return info.evidence if info is not None else ""
    if f.status is not Status.OK:
        return f.status
    word, error = evidence_word(f.rests_on, f.validated), f.validated.error
    return word if error is None else f"{word}, {units.percent(error)}"


def short_name(name: str) -> str:
    """The distinctive part: `RTX 3060` of `GeForce RTX 3060`, or what is in brackets."""
    inner = re.search(r"\((.+)\)$", name)
    if inner:
        return inner[1]
    return re.sub(r"^(NVIDIA |AMD |Intel )?(GeForce |Radeon )?", "", name)


@dataclass(frozen=True)
class Scale:
    """Maps seconds to a logarithmic axis from 0 to 1."""

    low_s: float
    high_s: float

    def at(self, seconds: float) -> float:
        """0 to 1; values beyond an end are clamped."""
        clipped = min(max(seconds, self.low_s), self.high_s)
        return math.log(clipped / self.low_s) / math.log(self.high_s / self.low_s)

    @property
    def ticks_s(self) -> tuple[float, ...]:
        """Round seconds inside the axis, ascending: decades, of a short axis also 2 and 5 times
        each."""
        steps = (1, 2, 5) if self.high_s / self.low_s < 300 else (1,)
        first, last = math.floor(math.log10(self.low_s)), math.ceil(math.log10(self.high_s))
        ticks = (step * 10.0**n for n in range(first, last + 1) for step in steps)
        return tuple(tick for tick in ticks if self.low_s <= tick <= self.high_s)


def scale_of(bars: Sequence[Bar], budget_s: float | None = None) -> Scale | None:
    """The axis on which all times have room, and the budget if it is anywhere near; None where
    none has a time."""
    bars = [bar for bar in bars if bar.timed]
    if not bars:
        return None
    slowest, fastest = max(b.time_s for b in bars), min(b.time_s for b in bars)
    # One very wide band must not squeeze all others; it is cut off instead.
    high = max(slowest, min(max(b.high_s for b in bars), _WHISKER * slowest))
    low = min(fastest, max(min(b.low_s for b in bars), fastest / _WHISKER))
    if budget_s and low / _FARTHEST_BUDGET <= budget_s <= high * _FARTHEST_BUDGET:
        low, high = min(low, budget_s), max(high, budget_s)
    low, high = low / 1.15, high * 1.15
    widen = max(1.0, math.sqrt(_LEAST_SPAN * low / high))
    return Scale(low / widen, high * widen)
