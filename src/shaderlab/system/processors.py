"""How many of the machine's processors there are for this process, and how long others had them."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path


def usable() -> int:
    """Cores this process may use; where only Linux says so, all there are."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def kept_waiting(pids: Iterable[int]) -> dict[int, float]:
    """Seconds that each thread of these processes could have run and had no processor, by thread.

    From /proc/PID/task/TID/schedstat; empty where the system does not say.
    """
    found: dict[int, float] = {}
    for pid in pids:
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{pid}/task").iterdir():
                with contextlib.suppress(OSError, ValueError, IndexError):
                    waited_ns = int((task / "schedstat").read_text().split()[1])
                    found[int(task.name)] = waited_ns * 1e-9
    return found


def longest_wait(before: Mapping[int, float], after: Mapping[int, float]) -> float:
    """Of any thread between two readings of `kept_waiting`, seconds."""
    return max((waited - before.get(thread, 0.0) for thread, waited in after.items()), default=0.0)
