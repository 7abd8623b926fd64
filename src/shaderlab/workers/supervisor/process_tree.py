"""What the system says of a child and all it started: who they are, what memory they hold.

Read from `/proc` (proc(5)); where there is none, a process has no descendants and no size, and
only the deadlines guard it.
"""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path

_PROC = Path("/proc")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def descendants(pid: int) -> tuple[int, ...]:
    """Process ids of children, grandchildren, …, nearest first."""
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

    Pages shared between them count once for each (they are few: each is a program of its own).
    """
    return sum(_resident(p) for p in (pid, *descendants(pid)))


def kill(pid: int) -> None:
    """SIGKILL for the process and its descendants."""
    for each in (pid, *descendants(pid)):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(each, signal.SIGKILL)


def physical_bytes() -> int:
    """The machine's memory, or what a container's limit (cgroup 2) leaves of it."""
    try:
        machine = os.sysconf("SC_PHYS_PAGES") * _PAGE_BYTES
    except (AttributeError, ValueError, OSError):
        machine = 8 << 30
    try:
        return min(machine, int(Path("/sys/fs/cgroup/memory.max").read_text()))
    except (OSError, ValueError):
        return machine


def _children(pid: int) -> list[int]:
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in (_PROC / str(pid) / "task").iterdir():
            with contextlib.suppress(OSError, ValueError):
                found += [int(child) for child in (task / "children").read_text().split()]
    return found


def _resident(pid: int) -> int:
    try:
        return int((_PROC / str(pid) / "statm").read_text().split()[1]) * _PAGE_BYTES
    except (OSError, ValueError, IndexError):
        return 0
