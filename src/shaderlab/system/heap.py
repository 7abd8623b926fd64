"""How a process takes memory from the system, gives it back, and looks through what it has."""

from __future__ import annotations

import ctypes
import gc
import sys
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
