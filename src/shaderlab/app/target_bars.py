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


def bars_of(forecasts: Sequence[Forecast], targets: Mapping[str, TargetInfo]) -> tuple[Bar, ...]:
    """Fastest first; only forecasts with a positive, finite time."""
    usable = [f for f in forecasts if math.isfinite(f.time_s) and f.time_s > 0]
    return tuple(
        Bar(
            f.target,
            short_name(targets[f.target].name if f.target in targets else f.target),
            f.time_s,
            max(min(f.low_s, f.time_s), 0.0),
            max(f.high_s, f.time_s),
            columns_of(f),
            bool(f.warnings),
        )
        for f in sorted(usable, key=lambda f: f.time_s)
    )


def columns_of(forecast: Forecast) -> tuple[str, str, str]:
    """`4.14 ms`, `PILR`, `29 %`: value, method, mean error on validation shaders."""
    mape = forecast.validated.mape
    error = "unknown" if mape is None else units.percent(mape)
    return units.seconds(forecast.time_s), forecast.method.upper(), error


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
