"""Shared memory that does not outlive the process that made it, however that process ends.

Windows frees it with the last process that has it open.  Elsewhere `multiprocessing`'s resource
tracker frees what a killed process leaves, unless it is killed as well, as by the end of a session
or a container.  What is left then is found on Linux, where it has a name in a folder, and freed
before the next process makes any.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
from functools import cache
from multiprocessing import resource_tracker
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path

from shaderlab.system import file_lock, process_group

_FOLDER = Path("/dev/shm")
_PREFIX = "shaderlab-"
_TRIES = 5


class Segment(SharedMemory):
    """Shared memory, mapped for as long as an array refers to it."""

    def __del__(self) -> None:
        try:
            super().__del__()
        except BufferError:  # an array refers to it; the mapping goes when that does
            descriptor = vars(self).get("_fd", -1)
            if descriptor >= 0:
                os.close(descriptor)


class OwnSegment(Segment):
    """Made here.  On Linux its file is locked for as long as this process lives.

    A lock rather than a process id in the name: process ids mean nothing to a program in another
    container that shares the folder, and are given out again.
    """

    _lock: int | None = None

    def __init__(self, size: int):
        """`size` in bytes.  Raises OSError."""
        if sys.platform != "linux":
            self._make(None, size)
            return
        _free_abandoned()
        for _ in range(_TRIES):
            name = f"{_PREFIX}{os.getpid()}-{secrets.token_hex(4)}"
            self._make(name, size)
            self._lock = _claim(_FOLDER / name)
            if self._lock is not None:
                return
            self.close()
            with contextlib.suppress(FileNotFoundError):  # taken for abandoned before it was locked
                super().unlink()
        raise OSError(f"shared memory in {_FOLDER} cannot be locked")

    def _make(self, name: str | None, size: int) -> None:
        self._is_made = False
        with process_group.isolated_pythons():  # the resource tracker is one
            super().__init__(name, create=True, size=size)
        self._is_made = True

    def unlink(self) -> None:
        """Give the name back; what is mapped stays readable."""
        if not self._is_made and sys.platform != "win32":
            # The base class takes back what it could not give a size, but had not registered yet.
            resource_tracker.register(self._name, "shared_memory")  # type: ignore[attr-defined]
        super().unlink()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


@cache
def _free_abandoned() -> None:
    """Free, once in this process, what processes that are gone have left."""
    for path in _FOLDER.glob(f"{_PREFIX}*"):
        lock = file_lock.take(path, create=False)
        if lock is not None:
            with contextlib.suppress(OSError):
                path.unlink()
            os.close(lock)


def _claim(path: Path) -> int | None:
    """The lock on a file that is still there; None where another process freed it."""
    lock = file_lock.take(path, create=False)
    if lock is not None and not path.exists():
        os.close(lock)
        return None
    return lock
