"""Children that end with their parent, however it ends."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import threading
from multiprocessing import parent_process
from multiprocessing.connection import wait

_PR_SET_PDEATHSIG = 1


def die_with_parent() -> None:
    """End this child of `multiprocessing` with its parent: it may never read its pipe again.

    The kernel's own way (prctl(2), PR_SET_PDEATHSIG) holds even inside a driver that keeps
    Python's lock; the thread is for systems other than Linux, and for a parent dead already.
    """
    parent = parent_process()
    if parent is None:
        return
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, name="parent watch", daemon=True).start()
