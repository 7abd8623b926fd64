"""Limits on another process that hold even where nobody watches it any more."""

from __future__ import annotations

import sys
from enum import Enum


class Exceeded(Enum):
    """The limit a process was ended for."""

    CPU_TIME = 24
    """SIGXCPU, on Linux and macOS."""
    FILE_SIZE = 25
    """SIGXFSZ."""


def exceeded(returncode: int) -> Exceeded | None:
    """Which limit ended a process, by its exit status; None for any other end."""
    return next((each for each in Exceeded if each.value == -returncode), None)


if sys.platform == "linux":
    import resource

    def bound(pid: int, *, cpu_s: int, memory_bytes: int, file_bytes: int) -> None:
        """Bound CPU time, address space and size of each file written; no core dump.

        On Linux only (prlimit(2)): other systems set limits for the process itself alone, before
        it becomes the program, and that is unsafe in a process with threads.
        """
        for kind, limit in (
            (resource.RLIMIT_CPU, cpu_s),
            (resource.RLIMIT_AS, memory_bytes),
            (resource.RLIMIT_FSIZE, file_bytes),
            (resource.RLIMIT_CORE, 0),
        ):
            try:
                _, hard = resource.prlimit(pid, kind)
                if hard != resource.RLIM_INFINITY:
                    limit = min(limit, hard)
                # At the hard limit of CPU time comes SIGKILL, which would hide the reason.
                soft = limit - 1 if kind == resource.RLIMIT_CPU else limit
                resource.prlimit(pid, kind, (soft, limit))
            except (ProcessLookupError, PermissionError):
                return

else:

    def bound(pid: int, *, cpu_s: int, memory_bytes: int, file_bytes: int) -> None:
        """Nothing: see the one for Linux."""
