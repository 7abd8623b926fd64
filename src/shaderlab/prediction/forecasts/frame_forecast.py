"""The forecast of a frame: that of its passes, summed.

A frame's time is the sum of its passes' where each waits for what it reads (Issa's analytical
model, section on passes); what runs side by side makes a frame faster than this says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from shaderlab.prediction.forecast import Forecast, Side, Status


@dataclass(frozen=True)
class FrameLine:
    """Part of a frame's time that a source line of one of its passes accounts for."""

    pass_name: str
    file: str
    """Empty for the pass's own text."""
    line: int
    share: float
    """Fraction of the frame's time, 0..1."""


@dataclass(frozen=True)
class FrameForecast:
    """Predicted seconds per frame on one target."""

    target: str
    time_s: float | None
    """None where the frame has a pass without a time, or a draw without a forecast."""
    low_s: float | None
    """The sum of the passes' low ends: errors of one target's passes go together."""
    high_s: float | None
    status: Status
    """The weakest of the passes'."""
    domain: Side
    passes: Mapping[str, Forecast]
    """By name, in the order they run; each of one draw."""
    draws: Mapping[str, int]
    """How often each pass is drawn in a frame."""
    missing: int = 0
    """Draws of the frame that have no forecast: the frame takes at least the sum of the others."""

    @cached_property
    def lines(self) -> tuple[FrameLine, ...]:
        """By descending share; none of a frame without a time.  Made when they are asked for: there
        may be thousands for each of a dozen targets."""
        if not self.time_s:
            return ()
        found = [
            FrameLine(name, part.file, part.line, part.share * pass_s / self.time_s)
            for name, forecast in self.passes.items()
            if (pass_s := self.pass_s(name)) is not None
            for part in forecast.lines
        ]
        return tuple(sorted(found, key=lambda line: -line.share))

    @property
    def method(self) -> str:
        """Of all passes, each once."""
        return ", ".join(dict.fromkeys(each.method for each in self.passes.values()))

    @property
    def basis(self) -> str:
        """What its error was measured on, by pass."""
        named: dict[str, list[str]] = {}
        for name, each in self.passes.items():
            named.setdefault(each.basis, []).append(name)
        return "; ".join(f"{', '.join(names)}: {text}" for text, names in named.items())

    @property
    def comparable(self) -> tuple[str, str, str]:
        """As a forecast's: target, methods and forms of the passes."""
        forms = (f"{name} {each.method} {each.form}" for name, each in self.passes.items())
        return self.target, "frame", "; ".join(forms)

    @property
    def least_s(self) -> float | None:
        """The time, or what a lower bound says it takes at least; None where there is none."""
        return self.low_s if self.time_s is None else self.time_s

    @property
    def warnings(self) -> tuple[str, ...]:
        """Why to distrust it: what the passes' forecasts say, each once, with the passes' names."""
        named: dict[str, list[str]] = {}
        for name, each in self.passes.items():
            for warning in each.warnings:
                named.setdefault(warning, []).append(name)
        found = tuple(f"{', '.join(names)}: {text}" for text, names in named.items())
        if not self.missing:
            return found
        total = self.missing + len(self.passes)
        return (f"A lower bound: {self.missing} of {total} draws have no time.", *found)

    def more_than(self, former: FrameForecast) -> float | None:
        """Seconds by which it takes longer, over the passes that have a time in both; None where
        there are none."""
        both = [
            (now_s * self.draws[name], then_s * former.draws[name])
            for name, each in self.passes.items()
            if name in former.passes
            and (now_s := each.least_s) is not None
            and (then_s := former.passes[name].least_s) is not None
        ]
        return sum(now_s - then_s for now_s, then_s in both) if both else None

    def pass_s(self, name: str) -> float | None:
        """Seconds that all draws of a pass take in the frame; None where it has no time."""
        time_s = self.passes[name].time_s
        return None if time_s is None else time_s * self.draws[name]


_WEAKEST_FIRST = (Status.NONE, Status.LOWER_BOUND, Status.ESTIMATE, Status.OK)


def frame_forecasts(
    by_pass: Mapping[str, Sequence[Forecast]], draws: Mapping[str, int], missing: int = 0
) -> tuple[FrameForecast, ...]:
    """One forecast for each target, of which every pass has one.

    `draws`: how often each pass is drawn in a frame; `missing`: draws of the frame that are not
    among the passes since nothing is known of their time.
    """
    first = next(iter(by_pass.values()), ())
    found = []
    for each in first:
        own = {
            name: next((f for f in forecasts if f.target == each.target), None)
            for name, forecasts in by_pass.items()
        }
        passes = {name: forecast for name, forecast in own.items() if forecast is not None}
        if len(passes) == len(own):
            found.append(_summed(each.target, passes, draws, missing))
    return tuple(found)


def _summed(
    target: str, passes: Mapping[str, Forecast], draws: Mapping[str, int], missing: int
) -> FrameForecast:
    def total(values: Mapping[str, float | None]) -> float | None:
        known = [value * draws[name] for name, value in values.items() if value is not None]
        return sum(known) if len(known) == len(values) else None

    time_s = None if missing else total({name: f.time_s for name, f in passes.items()})
    status = min((f.status for f in passes.values()), key=_WEAKEST_FIRST.index)
    if missing and status is not Status.NONE:
        status = Status.LOWER_BOUND
    outside = any(f.domain is Side.OUTSIDE for f in passes.values())
    least = total({name: f.low_s for name, f in passes.items()})
    return FrameForecast(
        target,
        time_s,
        least,
        total({name: f.high_s for name, f in passes.items()}) if time_s is not None else None,
        status,
        Side.OUTSIDE if outside else Side.INSIDE,
        passes,
        draws,
        missing,
    )
