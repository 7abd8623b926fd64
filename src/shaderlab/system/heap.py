"""How a process takes memory from the system, gives it back, and looks through what it has."""

from __future__ import annotations

import ctypes
import gc
import sys
import time
from collections.abc import Callable

_MMAP_THRESHOLD, _ARENA_MAX = -3, -8
"""Parameters of mallopt(3), by malloc.h."""
_LARGE_BYTES = 1 << 20
_ARENAS = 2


def keep_large_blocks_apart() -> None:
    """Have what large texts and pictures took go back to the system once they are gone.

    glibc puts blocks above a threshold into their own pages, but raises the threshold to the
    largest of these ever freed: after one text of some megabytes such blocks are in the heap and
    leave holes there.  Likewise each thread's heap.  To be called before there is a thread; on
    systems without glibc it does nothing.
    """
    mallopt = _of_glibc("mallopt")
    if mallopt is not None:
        mallopt(_MMAP_THRESHOLD, _LARGE_BYTES)
        mallopt(_ARENA_MAX, _ARENAS)


def give_back() -> None:
    """Return what was freed in the heap to the system: it stays with glibc where something lies
    above it.  A few milliseconds; on systems without glibc it does nothing."""
    trim = _of_glibc("malloc_trim")
    if trim is not None:
        trim(ctypes.c_size_t(0))


def _of_glibc(name: str) -> Callable[..., object] | None:
    if not sys.platform.startswith("linux"):
        return None
    return getattr(ctypes.CDLL(None), name, None)


def leave_settled_objects_alone() -> None:
    """Have Python's search for unreachable cycles pass over what is there now.

    Modules and widgets are some eighty thousand objects that stay to the end; going through them
    kept the interface of a busy machine for 100 to 280 ms at a time.  What is unreachable already
    is never freed, so it is to be called once, when all is up.
    """
    gc.freeze()


class CycleSearch:
    """Python's search for unreachable cycles, made where its owner asks and nowhere else.

    By itself Python searches in whichever thread happens to allocate.  A widget found by a worker's
    thread is destroyed there: Qt takes its lock of connections, then waits for Python's, while the
    interface thread holds Python's and waits for Qt's.  The window then hangs for good.
    """

    _FULL_SHARE = 0.01
    """Of the time, at most, goes to searches through everything."""

    def __init__(self) -> None:
        gc.disable()
        self._next_full = 0.0

    def look(self) -> None:
        """Search as far as Python itself would have by now."""
        counts, limits = gc.get_count(), gc.get_threshold()
        if counts[0] <= limits[0]:
            return
        began = time.monotonic()
        if counts[2] > limits[2] and began >= self._next_full:
            gc.collect()
            ended = time.monotonic()
            self._next_full = ended + (ended - began) / self._FULL_SHARE
        else:
            gc.collect(1 if counts[1] > limits[1] else 0)
