"""Forecasts as rows of a bar chart: order, scale and texts."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shaderlab import units

if TYPE_CHECKING:
    from shaderlab.prediction.forecast import Forecast
    from shaderlab.prediction.targets import TargetInfo

HEADINGS = ("time", "method", "mean error")

LOG_FROM_RATIO = 12.0
"""Slowest over fastest from which bars of equal scale would hide the fast ones."""

_METHODS = {"pilr": "PILR", "sh": "SH"}
"""Methods that are known by an abbreviation."""


@dataclass(frozen=True)
class Bar:
    """One row of the chart."""

    target: str
    name: str
    time_s: float
    low_s: float
    high_s: float
    columns: tuple[str, str, str]
    """Texts under `HEADINGS`."""
    doubtful: bool
    """Whether the forecast comes with warnings."""
    pinned_s: float | None = None
    """Seconds of the pinned variant, where there is one."""


def bars_of(
    forecasts: Sequence[Forecast],
    targets: Mapping[str, TargetInfo],
    pinned_s: Mapping[str, float] | None = None,
) -> tuple[Bar, ...]:
    """Fastest first; only forecasts with a positive, finite time.

    `pinned_s`: seconds of the pinned variant by target.
    """
    then = {t: s for t, s in (pinned_s or {}).items() if math.isfinite(s) and s > 0}
    usable = [f for f in forecasts if math.isfinite(f.time_s) and f.time_s > 0]
    return tuple(
        Bar(
            f.target,
            short_name(targets[f.target].name if f.target in targets else f.target),
            f.time_s,
            max(min(f.low_s, f.time_s), 0.0),
            max(f.high_s, f.time_s),
            columns_of(f, then.get(f.target)),
            bool(f.warnings),
            then.get(f.target),
        )
        for f in sorted(usable, key=lambda f: f.time_s)
    )


def columns_of(forecast: Forecast, pinned_s: float | None = None) -> tuple[str, str, str]:
    """`4.14 ms (+3 %)`, `PILR`, `29 %`: value, its change against the pinned variant, method, mean
    error on validation shaders."""
    mape = forecast.validated.mape
    error = "unknown" if mape is None else units.percent(mape)
    time = units.seconds(forecast.time_s)
    if pinned_s and (changed := units.change(forecast.time_s, pinned_s)):
        time = f"{time} ({changed})"
    return time, _METHODS.get(forecast.method, forecast.method), error


def short_name(name: str) -> str:
    """What tells targets apart: `RTX 3060` of `GeForce RTX 3060`, or what stands in brackets."""
    inner = re.search(r"\((.+)\)$", name)
    if inner:
        return inner[1]
    return re.sub(r"^(NVIDIA |AMD |Intel )?(GeForce |Radeon )?", "", name)


def scale_of(bars: Sequence[Bar]) -> tuple[bool, float, float]:
    """Whether to use a logarithmic scale, and its lower and upper end in seconds."""
    slowest = max(b.time_s for b in bars)
    # One very wide band must not squeeze every bar; it is cut off instead.
    slowest = max(slowest, min(max(b.high_s for b in bars), 3 * slowest))
    fastest = min(b.time_s for b in bars)
    if slowest / fastest < LOG_FROM_RATIO:
        return False, 0.0, slowest * 1.04
    low = min(b.low_s if b.low_s > fastest / 10 else fastest / 2 for b in bars)
    return True, 10 ** math.floor(math.log10(low) - 0.15), slowest * 1.15
