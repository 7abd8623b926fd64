"""Numbers in JSON."""

from __future__ import annotations

import math


def finite(value: float) -> float | None:
    """JSON has no nan: what was not measured is null."""
    return value if math.isfinite(value) else None
