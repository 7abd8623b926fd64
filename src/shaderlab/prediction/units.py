"""Seconds as people read them."""

from __future__ import annotations

_SCALES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def human_time(seconds: float) -> str:
    """Three significant digits with the unit that fits: `4.14 ms`, `-16.4 µs`, `0 s`."""
    for scale, unit in _SCALES:
        # Rounding to three digits first, so that 999.9 µs is 1 ms and not 1e+03 µs.
        if float(f"{abs(seconds):.3g}") >= scale:
            return f"{float(f'{seconds / scale:.3g}'):g} {unit}"
    return "0 s" if seconds == 0 else f"{seconds / 1e-9:.3g} ns"
