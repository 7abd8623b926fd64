"""How predicted times changed, compared with the version that compiled before and a pinned one."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shaderlab import units

if TYPE_CHECKING:
    from shaderlab.prediction.catalogue.change_bands import ChangeBand
    from shaderlab.prediction.forecast import Forecast
    from shaderlab.prediction.forecasts.frame_forecast import FrameForecast

_TIMES_FROM = 100.0
"""From this ratio on a change reads better as a factor than in percent."""


@dataclass(frozen=True)
class Change:
    """From one time to another; certain only within what was validated."""

    relative: str
    """`+12 %`, `\u22120.5 %`, `\u00d7250`; empty for less than a tenth of a per cent."""
    absolute: str
    """`\u221254.2 µs`; empty likewise."""
    slower: bool
    within: str = ""
    """Where 80 % of such changes lie: `\u221218 % to \u22125 %`; empty where that is not known."""
    clear: bool = False
    """Whether all of that is known and on one side of no change: no other change has a colour."""
    counting: bool = False
    """Whether it is not known yet: one of the two times is on its way."""

    @property
    def known(self) -> str:
        """What is known of its error, in words."""
        return f"likely {self.within}" if self.within else NOT_VALIDATED

    def __bool__(self) -> bool:
        return bool(self.relative) and not self.counting


NOT_VALIDATED = "change not validated"
"""Said of every change without a band."""
COUNTING = Change("counting\u2026", "", False, counting=True)


def change_of(now_s: float, then_s: float | None, band: ChangeBand | None = None) -> Change | None:
    """None where there is nothing to compare with.

    `band`: of the method's changes; None where they were not validated.
    """
    if then_s is None or not (math.isfinite(then_s) and then_s > 0):
        return None
    relative = units.change(now_s, then_s)
    if not relative:
        return Change("", "", False)
    slower = now_s > then_s
    if now_s / then_s >= _TIMES_FROM:
        relative = f"\u00d7{now_s / then_s:.0f}"
    sign = "+" if slower else "\u2212"
    absolute = f"{sign}{units.seconds(abs(now_s - then_s))}"
    if band is None:
        return Change(relative, absolute, slower)
    ends = [math.exp(end) for end in band.ends(math.log(now_s / then_s))]
    within = " to ".join(_factor(each) for each in ends)
    return Change(relative, absolute, slower, within, (ends[0] > 1) == (ends[1] > 1))


def _factor(ratio: float) -> str:
    if ratio >= _TIMES_FROM:
        return f"\u00d7{ratio:.0f}"
    return units.change(ratio, 1.0) or "0 %"


Times = Mapping[tuple[str, str, str], float]
"""Predicted seconds by `Forecast.comparable`: only what the same method says is compared."""


class History:
    """Predicted times of the current program with its inputs, and each method's of those before.

    Some methods' forecasts come once the text has rested only; for these the program before is the
    last one that had them.
    """

    def __init__(self) -> None:
        self.of: Hashable = None
        """Identifies the current program with what it is given."""
        self.now_s: Times = {}
        self._latest: dict[tuple[str, str, str], tuple[Hashable, float]] = {}
        self.before_s: Times = {}
        """Empty for a document's first program."""

    def add(self, of: Hashable, forecasts: Sequence[Forecast | FrameForecast]) -> None:
        """Forecasts of this program with its inputs have come, maybe again."""
        if of != self.of:
            self.of, self.now_s = of, {}
        came = {each.comparable: each.time_s for each in forecasts if each.time_s is not None}
        before = dict(self.before_s)
        for key, time_s in came.items():
            then, then_s = self._latest.get(key, (of, 0.0))
            if then != of:
                before[key] = then_s
            self._latest[key] = (of, time_s)
        self.now_s = {**self.now_s, **came}
        self.before_s = before

    def clear(self) -> None:
        """Another document."""
        self.__init__()
