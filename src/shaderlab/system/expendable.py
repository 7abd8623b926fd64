"""Processes whose loss costs nothing: they are the first to go, and leave nothing behind."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path


def be_expendable() -> None:
    """Where memory runs out, take this process rather than another; no core dump when it crashes.

    The first on Linux only (proc(5), oom_score_adj), the second on every POSIX system; Windows
    writes no dumps by default.
    """
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text("1000")
    if sys.platform != "win32":
        import resource

        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
