"""Code that ended a worker is remembered, and not run again unless the user asks for it.

Kept in the user's data, so that the next command does not walk into the same trap.  What is about
to run is written down first, under a lock that ends with the process: where the lock is free and
the note still there, code was running when the process, or the machine, went down.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from shaderlab import errors, files
from shaderlab.errors import (
    DeviceLost,
    OutOfMemory,
    Quarantined,
    ShaderlabError,
    ShaderTimeout,
    StartFailed,
    StuckDuring,
    WrongUse,
)
from shaderlab.system import file_lock

MOST_ENTRIES = 500
_MOST_BYTES = 16 << 10
_ENDING = (ShaderTimeout, OutOfMemory, DeviceLost, StuckDuring)
_ENDED, _RUNNING = ".ended", ".running"
_LOOKING_S = 1.0
"""The folder is listed at most so often."""


def ends_workers(error: BaseException) -> bool:
    """Whether the program is to blame that a worker was killed, died, or lost its device, or may be
    that the device hangs."""
    return isinstance(error, _ENDING) and not isinstance(error, StartFailed)


class _Entry(msgspec.Struct):
    error: str
    words: str
    remedy: str
    limit_s: float
    at: float


@dataclass(frozen=True)
class Note:
    """That something is running."""

    path: Path
    lock: int

    def end(self) -> None:
        """It came to an answer."""
        with suppress(OSError):
            self.path.unlink()
        with suppress(OSError):  # it came after all was closed
            os.close(self.lock)


class Quarantine:
    """One folder for all processes of a user."""

    def __init__(self, folder: Path, limit_s: float = 0.0, *, consulted: bool = True):
        """`limit_s`: what a run may take; what a shorter limit ended is tried again.

        `consulted`: whether what ended a worker before is kept from running.  Raises WrongUse
        where the folder cannot be made.
        """
        files.make_folder(folder)
        self._folder, self._limit_s, self._consulted = folder, limit_s, consulted
        self._keys: set[str] = set()
        self._looked_at = -_LOOKING_S

    def reason(self, key: str) -> ShaderlabError | None:
        """Why it is not to be run; None where it may be."""
        if not self._consulted or not self._may_hold(key):
            return None
        ended = self._folder / f"{key}{_ENDED}"
        self._take_over(key)
        try:
            entry = msgspec.json.decode(files.read_bytes(ended, _MOST_BYTES), type=_Entry)
        except (WrongUse, msgspec.MsgspecError):
            return None
        kind = getattr(errors, entry.error, None)
        if kind is ShaderTimeout and entry.limit_s < self._limit_s:
            return None
        if kind not in (*_ENDING, Quarantined):
            return None
        if kind is StuckDuring:  # the device may well answer by now
            kind, entry.words = Quarantined, f"it was in flight when the device hung: {entry.words}"
        return kind(entry.words).with_remedy(entry.remedy)

    def _may_hold(self, key: str) -> bool:
        """Which takes no time where nothing ever ended a worker; what others add is seen soon."""
        now = time.monotonic()
        if now - self._looked_at > _LOOKING_S:
            self._looked_at, self._keys = now, self.keys()
        return key in self._keys

    def keys(self) -> set[str]:
        """Those that there may be a reason for."""
        with suppress(OSError), os.scandir(self._folder) as found:
            return {each.name.partition(".")[0] for each in found}
        return set()

    def release(self, part: str) -> None:
        """All whose key has this part may be run again."""
        with suppress(OSError):
            for path in self._folder.glob(f"*{part}*{_ENDED}"):
                path.unlink(missing_ok=True)

    def begin(self, key: str) -> Note | None:
        """It is about to run, and remembered if this process ends before the note does."""
        path = self._folder / f"{key}{_RUNNING}"
        try:
            lock = file_lock.take(path)
        except OSError:
            return None
        return Note(path, lock) if lock is not None else None

    @contextmanager
    def running(self, key: str, *, noted: bool) -> Iterator[None]:
        """It is remembered if it ends a worker; where `noted` also if it ends this process."""
        note = self.begin(key) if noted else None
        try:
            yield
            if self._may_hold(key):
                with suppress(OSError):
                    (self._folder / f"{key}{_ENDED}").unlink(missing_ok=True)
        except ShaderlabError as error:
            if ends_workers(error):
                self.add(key, error)
            raise
        finally:
            if note is not None:
                note.end()

    def _take_over(self, key: str) -> None:
        """What was running when a process ended that is gone."""
        path = self._folder / f"{key}{_RUNNING}"
        lock = file_lock.take(path, create=False)
        if lock is None:
            return
        with suppress(OSError):
            at = os.fstat(lock).st_mtime
            when = time.strftime("%Y-%m-%d %H:%M", time.localtime(at))
            self.add(key, Quarantined(f"it was running when shaderlab ended on {when}"))
            path.unlink()
        os.close(lock)

    def add(self, key: str, error: ShaderlabError) -> None:
        """It is not to be run any more, for this reason."""
        kind, words = type(error).__name__, str(error)
        entry = _Entry(kind, words, error.remedy, self._limit_s, time.time())
        self._keys.add(key)
        with suppress(OSError):
            files.write(self._folder / f"{key}{_ENDED}", msgspec.json.encode(entry))
            found = sorted(self._folder.glob(f"*{_ENDED}"), key=lambda each: each.stat().st_mtime)
            for each in found[:-MOST_ENTRIES]:
                each.unlink(missing_ok=True)
