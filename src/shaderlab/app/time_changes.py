"""How predicted times changed: against the version that compiled before, and a pinned one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shaderlab import units

if TYPE_CHECKING:
    from shaderlab.prediction.forecast import Forecast

_TIMES_FROM = 100.0
"""From this ratio on a change reads better as a factor than in percent."""


@dataclass(frozen=True)
class Change:
    """From one time to another."""

    relative: str
    """`+12 %`, `\u22120.5 %`, `\u00d7250`; empty for less than a tenth of a per cent."""
    absolute: str
    """`\u221254.2 µs`; empty likewise."""
    slower: bool

    def __bool__(self) -> bool:
        return bool(self.relative)


def change_of(now_s: float, then_s: float | None) -> Change | None:
    """None where there is nothing to compare with."""
    if then_s is None or not (math.isfinite(then_s) and then_s > 0):
        return None
    relative = units.change(now_s, then_s)
    if not relative:
        return Change("", "", False)
    slower = now_s > then_s
    if now_s / then_s >= _TIMES_FROM:
        relative = f"\u00d7{now_s / then_s:.0f}"
    sign = "+" if slower else "\u2212"
    return Change(relative, f"{sign}{units.seconds(abs(now_s - then_s))}", slower)


class History:
    """Predicted seconds by target of the program in force and of the one before it."""

    def __init__(self) -> None:
        self._digest = ""
        self._now_s: dict[str, float] = {}
        self.before_s: Mapping[str, float] = {}
        """Of the version that compiled before; empty for a document's first one."""

    def add(self, digest: str, forecasts: Sequence[Forecast]) -> None:
        """Forecasts of the program with this digest have come, maybe again."""
        if digest != self._digest:
            self.before_s = self._now_s
            self._digest = digest
        self._now_s = {each.target: each.time_s for each in forecasts}

    def clear(self) -> None:
        """Another document."""
        self.__init__()
