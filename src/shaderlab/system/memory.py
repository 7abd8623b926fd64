"""How much memory there is."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

import psutil

_CGROUP = Path("/sys/fs/cgroup/memory.max")


def physical_bytes() -> int:
    """The machine's memory, or what a container's limit (cgroup 2, on Linux) leaves of it."""
    if sys.platform == "linux":
        machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    else:
        machine = psutil.virtual_memory().total
    with contextlib.suppress(OSError, ValueError):  # no such file, or "max"
        return min(machine, int(_CGROUP.read_text()))
    return machine
