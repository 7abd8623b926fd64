"""Processor time yielded to others: what is done is for later, what others do is for now."""

from __future__ import annotations

import contextlib
import os
import sys

import psutil

_NICE = 10
"""What nice(1) adds by default: about a tenth of the weight of a process that is not nice."""


def lower_process() -> None:
    """This process, with all threads it makes from now on, runs when others leave time."""
    with contextlib.suppress(psutil.Error, OSError):
        psutil.Process().nice(
            psutil.BELOW_NORMAL_PRIORITY_CLASS
            if sys.platform == "win32"
            else max(_NICE, psutil.Process().nice())  # not less nice than what started it
        )


def lower_thread() -> None:
    """This thread, with the processes it starts, runs when others leave time.

    Only Linux has a priority per thread (setpriority(2)); elsewhere nothing changes.
    """
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            own = os.getpriority(os.PRIO_PROCESS, 0)
            os.setpriority(os.PRIO_PROCESS, 0, max(_NICE, own))
