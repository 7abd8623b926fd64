"""Numbers formatted for people.  JSON has plain seconds and counts; the screen has these."""

from __future__ import annotations

import math


def seconds(value: float) -> str:
    """Three significant digits with a matching unit: `4.14 ms`, `16.4 µs`."""
    if not math.isfinite(value):
        return "n/a"
    if value == 0:
        return "0 s"
    for factor, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "µs")):
        if abs(value) * factor >= 0.9995:
            return f"{_three_digits(value * factor)} {unit}"
    return f"{_three_digits(value * 1e9)} ns"


def count(value: float) -> str:
    """Three significant digits with a matching prefix: `786 k`, `24.1 G`."""
    for factor, unit in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= 0.9995 * factor:
            return f"{_three_digits(value / factor)} {unit}"
    return f"{value:g}" if value == int(value) else _three_digits(value)


def grouped(number: float) -> str:
    """The nearest whole number, with commas between thousands: `12,345`."""
    return f"{round(number):,}"


def percent(fraction: float) -> str:
    """`41 %`, `7.3 %`, `1.0 %`, `0.25 %`, `under 0.01 %`, `0 %`."""
    value = fraction * 100
    if 0 < abs(value) < 0.01:
        return "under 0.01 %"
    return f"{value:.0f} %" if abs(value) >= 9.95 or not value else f"{value:#.2g} %"


def change(now: float, then: float) -> str:
    """`+12 %`, `\u22120.5 %`; empty below a tenth of a percent.  `then` is not 0."""
    relative = now / then - 1
    if abs(relative) < 0.001:
        return ""
    sign = "+" if relative > 0 else "\u2212"
    return f"{sign}{percent(abs(relative))}"


def _three_digits(value: float) -> str:
    digits = 2 - math.floor(math.log10(abs(value))) if value else 0
    return f"{value:.{min(max(digits, 0), 2)}f}"
