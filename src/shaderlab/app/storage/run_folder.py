"""A folder of each run of the window: what must survive if the run ends abnormally.

The folder is locked while its process lives (`system.file_lock`), so a later start can distinguish
what was left behind from what another window still uses.
"""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import shutil
from datetime import datetime
from pathlib import Path

from shaderlab import locations
from shaderlab.system import file_lock

log = logging.getLogger(__name__)

_LOCK = "lock"
MOST_KEPT = 20
"""Folders left behind beyond the newest so many are removed."""


class RunFolder:
    """One run's folder, locked.  `begin` makes one; `leftovers` claims those of dead runs."""

    def __init__(self, path: Path, lock: int):
        self.path = path
        self._lock = lock
        self.journal = path / "document.json"
        """The text being edited, where it is not saved (`journal.Journal`)."""
        self.faults = path / "faults.log"
        """Tracebacks of crashes and of faults caught (`crash_log.CrashLog`)."""

    @classmethod
    def begin(cls, base: Path | None = None) -> RunFolder:
        """A new folder under `base` (the user's data by default).  Raises OSError."""
        base = base or _base()
        stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
        path = base / f"{stamp}-{secrets.token_hex(4)}"
        path.mkdir(parents=True, mode=0o700)
        lock = file_lock.take(path / _LOCK)
        if lock is None:
            raise OSError(f"{path} cannot be locked")
        return cls(path, lock)

    @classmethod
    def leftovers(cls, base: Path | None = None) -> list[RunFolder]:
        """Folders of runs that ended abnormally, newest first, claimed by this process."""
        base = base or _base()
        found: list[RunFolder] = []
        with contextlib.suppress(OSError):
            for path in sorted((p for p in base.iterdir() if p.is_dir()), reverse=True):
                lock = file_lock.take(path / _LOCK, create=False)
                if lock is not None:
                    found.append(cls(path, lock))
        for old in found[MOST_KEPT:]:
            old.remove()
        return found[:MOST_KEPT]

    def release(self) -> None:
        """Let go of it; what is in it stays for a later start."""
        with contextlib.suppress(OSError):
            os.close(self._lock)
        self._lock = -1

    def remove(self) -> None:
        """The folder and all in it: nothing of this run needs to outlive it."""
        shutil.rmtree(self.path, ignore_errors=True)
        self.release()


def _base() -> Path:
    return locations.user_data() / "runs"
