"""How much memory there is."""

from __future__ import annotations

import contextlib
from pathlib import Path

import psutil

_CGROUP = Path("/sys/fs/cgroup/memory.max")


def physical_bytes() -> int:
    """The machine's memory, or what a container's limit (cgroup 2, on Linux) leaves of it."""
    machine = psutil.virtual_memory().total
    with contextlib.suppress(OSError, ValueError):  # no such file, or "max"
        return min(machine, int(_CGROUP.read_text()))
    return machine
