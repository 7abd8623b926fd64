"""How many of the machine's processors there are for this process, and how long others had them."""

from __future__ import annotations

import contextlib
import os
import platform
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple


def usable() -> int:
    """Cores this process may use; where only Linux says so, all there are."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@cache
def name() -> str:
    """The processor's model, as the system gives it."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()


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


def waited_share(before: Mapping[int, Times], after: Mapping[int, Times]) -> float | None:
    """Of the time all threads could have run between two readings, the part without a processor;
    None where nothing ran or the system does not say."""
    times = list(_between(before, after))
    able = sum(each.ran + each.waited for each in times)
    return sum(each.waited for each in times) / able if able > 0 else None


def ran(before: Mapping[int, Times], after: Mapping[int, Times]) -> float:
    """Processor time of all threads between two readings, seconds; not of threads that ended."""
    return sum(ran for ran, _ in _between(before, after))


def _between(before: Mapping[int, Times], after: Mapping[int, Times]) -> Iterator[Times]:
    for thread, now in after.items():
        then = before.get(thread, Times(0.0, 0.0))
        yield Times(now.ran - then.ran, now.waited - then.waited)
