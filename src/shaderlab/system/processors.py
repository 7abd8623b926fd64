"""How many of the machine's processors there are for this process, and how long others had them."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple


def usable() -> int:
    """Cores this process may use; where only Linux says so, all there are."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Times(NamedTuple):
    """Of one thread, seconds."""

    ran: float
    waited: float
    """How long it could have run and had no processor."""


def thread_times(pids: Iterable[int]) -> dict[int, Times]:
    """Of each thread of these processes, by thread.

    From /proc/PID/task/TID/schedstat; empty where the system does not say.
    """
    found: dict[int, Times] = {}
    for pid in pids:
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{pid}/task").iterdir():
                with contextlib.suppress(OSError, ValueError):
                    ran_ns, waited_ns, _ = (task / "schedstat").read_text().split()
                    found[int(task.name)] = Times(int(ran_ns) * 1e-9, int(waited_ns) * 1e-9)
    return found


def longest_wait(before: Mapping[int, Times], after: Mapping[int, Times]) -> float:
    """Of any thread between two readings of `thread_times`, seconds."""
    return max((waited for _, waited in _between(before, after)), default=0.0)


def ran(before: Mapping[int, Times], after: Mapping[int, Times]) -> float:
    """Processor time of all threads between two readings, seconds; not of threads that ended."""
    return sum(ran for ran, _ in _between(before, after))


def _between(before: Mapping[int, Times], after: Mapping[int, Times]) -> Iterator[Times]:
    for thread, now in after.items():
        then = before.get(thread, Times(0.0, 0.0))
        yield Times(now.ran - then.ran, now.waited - then.waited)
