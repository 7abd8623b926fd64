"""Times and increases as people write them: `2ms`, `10%`."""

from __future__ import annotations

import re

from shaderlab.errors import WrongUse

_UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6}


def seconds(text: str) -> float:
    """Of `2ms`, `16.6 ms`, `250us`, `1s`.  Raises WrongUse."""
    match = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?|\.\d{1,9})\s*(s|ms|us|µs)", text)
    if not match:
        raise WrongUse(f"expected a time such as 2ms or 250us, not {text[:40]!r}")
    return float(match[1]) * _UNITS[match[2]]


def increase(text: str) -> float:
    """The fraction that `10%` is.  Raises WrongUse."""
    match = re.fullmatch(r"(\d{1,6}(?:\.\d{1,6})?)\s*%", text)
    if not match:
        raise WrongUse(f"expected an increase such as 10%, not {text[:40]!r}")
    return float(match[1]) / 100
