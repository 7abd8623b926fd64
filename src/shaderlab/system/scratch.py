"""Temporary folders that are removed even where the process that made them was killed.

Whoever makes one holds a lock inside, which ends with the process.  The first folder that a process
makes is its occasion to remove those whose lock is free.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

from shaderlab.system import file_lock

PREFIX = "shaderlab-"
_LOCK = ".in-use"
_TRIES = 5


class TemporaryFolder(tempfile.TemporaryDirectory[str]):
    """As `tempfile.TemporaryDirectory`; also the next start removes it.  Raises OSError."""

    _lock: int | None = None

    def __init__(self, inside: str | None = None):
        """`inside`: a folder instead of the system's for temporary files."""
        place = tempfile.gettempdir() if inside is None else inside
        _remove_abandoned(place)
        for _ in range(_TRIES):
            super().__init__(prefix=PREFIX, dir=place, ignore_cleanup_errors=True)
            with suppress(FileNotFoundError):  # removed meanwhile
                self._lock = file_lock.take(Path(self.name, _LOCK))
            if self._lock is not None:
                return
            super().cleanup()  # taken for abandoned before it was locked
        raise OSError(f"a temporary folder in {place} cannot be locked")

    def cleanup(self) -> None:
        lock, self._lock = self._lock, None
        if lock is not None:
            os.close(lock)  # first: Windows removes no file that is open
        super().cleanup()


@cache
def of_this_process() -> Path:
    """A folder that lasts as long as this process.  Raises OSError."""
    made = TemporaryFolder()
    atexit.register(made.cleanup)
    return Path(made.name)


@cache
def _remove_abandoned(place: str) -> None:
    """Remove, once in this process, what processes that are gone have left in a folder."""
    user = getattr(os, "getuid", lambda: None)()
    with suppress(OSError), os.scandir(place) as entries:
        for entry in entries:
            if not entry.name.startswith(PREFIX):
                continue
            with suppress(OSError):
                is_ours = user is None or entry.stat(follow_symlinks=False).st_uid == user
                if not is_ours or not entry.is_dir(follow_symlinks=False):
                    continue
                lock = file_lock.take(Path(entry.path, _LOCK), create=False)
                if lock is not None:
                    os.close(lock)
                    shutil.rmtree(entry.path, ignore_errors=True)
