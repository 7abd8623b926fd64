"""A process with all it started: who they are, what memory they hold, how to end them."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

import psutil


def descendants(pid: int) -> tuple[int, ...]:
    """Process ids of children, grandchildren, …, nearest first; empty where nothing is known."""
    found: list[int] = []
    waiting = [pid]
    while waiting:
        for child in _children(waiting.pop(0)):
            if child not in found:
                found.append(child)
                waiting.append(child)
    return tuple(found)


def resident_bytes(pid: int) -> int:
    """Memory the process and its descendants hold at present; 0 where nothing is known.

    Pages shared between them count once for each (they are few: each is a separate program).
    """
    total = 0
    for each in (pid, *descendants(pid)):
        with contextlib.suppress(psutil.Error):
            total += psutil.Process(each).memory_info().rss
    return total


def kill(pid: int) -> None:
    """End the process and its descendants at once."""
    for each in (pid, *descendants(pid)):
        with contextlib.suppress(psutil.Error):
            psutil.Process(each).kill()


def _children(pid: int) -> list[int]:
    if sys.platform != "linux":
        with contextlib.suppress(psutil.Error):
            return [child.pid for child in psutil.Process(pid).children()]
        return []
    # psutil goes through all processes of the machine: 5 ms among 160 of them, 0.04 ms here.  A
    # child's memory is looked at ten times a second.
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            with contextlib.suppress(OSError, ValueError):
                found += [int(child) for child in (task / "children").read_text().split()]
    return found
