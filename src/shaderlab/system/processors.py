"""How many of the machine's processors there are for this process."""

from __future__ import annotations

import os
import sys


def usable() -> int:
    """Cores this process may use; where only Linux says so, all there are."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
