"""Processes started with `start_new_session=True`, and all that they start."""

from __future__ import annotations

import contextlib
import os
import signal
import sys

from shaderlab.system import process_tree


def kill(leader: int) -> None:
    """End a session at once, what its leader left to itself included.

    Windows has no sessions of processes: there, the leader with its descendants.
    """
    if sys.platform == "win32":
        process_tree.kill(leader)
    else:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(leader, signal.SIGKILL)
