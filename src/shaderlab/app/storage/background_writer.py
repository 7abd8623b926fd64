"""Small files kept up to date from the interface's thread without ever waiting for a disk."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from shaderlab import files
from shaderlab.app.qt import QObject, Signal

log = logging.getLogger(__name__)

_LONGEST_FILE_S = 30.0
"""A closing writer waits so long for a disk that is busy with a file."""

Content = bytes | Callable[[], bytes]
"""Bytes, or what makes them in the writer's thread."""


class _Wish(NamedTuple):
    content: Content | None
    """What the file is to hold; None: it is to go."""
    due: float
    """`monotonic` from when it may be fulfilled."""


class BackgroundWriter(QObject):
    """Writes and removes files in its own thread; per file the newest wins."""

    failed = Signal(str, str)
    """Path of a file that could not be written, and why."""

    def __init__(self, parent: QObject | None = None, *, durable: bool = True):
        """Not `durable`: without waiting for the disk, so that files outlive the process only."""
        super().__init__(parent)
        self._durable = durable
        self._wanted: dict[Path, _Wish] = {}
        """By file, oldest wish first."""
        self._written_at: dict[Path, float] = {}
        """`monotonic` of the latest writing of files that are written again and again."""
        self._changed = threading.Condition()
        self._hurry = 0
        """How many wait for all wishes, due or not."""
        self._busy = False
        self._closed = False
        self._thread: threading.Thread | None = None

    def write(self, path: Path, content: Content, *, rest_s: float = 0.0) -> None:
        """Have `path` hold this soon: atomically, readable by its owner alone.

        With `rest_s` not before so many seconds have passed since it was last written so.
        """
        with self._changed:
            due = self._written_at.get(path, 0.0) + rest_s if rest_s else 0.0
            if rest_s:
                self._written_at.setdefault(path, 0.0)
            self._want(path, _Wish(content, due))

    def remove(self, path: Path) -> None:
        """Have `path` gone soon."""
        with self._changed:
            self._want(path, _Wish(None, 0.0))

    def flush(self, timeout_s: float = 5.0) -> bool:
        """Wait until all wishes are fulfilled (or failed); whether that was in time."""
        with self._changed:
            self._hurry += 1
            self._changed.notify_all()
            try:
                return self._changed.wait_for(
                    lambda: not self._wanted and not self._busy, timeout_s
                )
            finally:
                self._hurry -= 1

    def close(self) -> None:
        """Do what is left, then end the thread; what is asked for later is not done.

        The wait has a limit: a disk may take seconds for a file on a busy machine, and whoever
        removes the folder afterwards must not meet a file that is being written there.
        """
        self.flush()
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(_LONGEST_FILE_S)

    def _want(self, path: Path, wish: _Wish) -> None:
        if self._closed:
            return
        self._wanted.pop(path, None)
        self._wanted[path] = wish
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="file writer", daemon=True)
            self._thread.start()
        self._changed.notify_all()

    def _next(self) -> tuple[Path, Content | None] | None:
        """The oldest wish that is due, waited for; None at the end."""
        with self._changed:
            while True:
                now = monotonic()
                for path, wish in self._wanted.items():
                    if wish.due <= now or self._hurry or self._closed:
                        del self._wanted[path]
                        self._busy = True
                        if path in self._written_at:
                            self._written_at[path] = now
                        return path, wish.content
                if self._closed:
                    return None
                first = min((wish.due for wish in self._wanted.values()), default=None)
                self._changed.wait(None if first is None else first - now)

    def _run(self) -> None:
        while (wanted := self._next()) is not None:
            path, content = wanted
            try:
                if content is None:
                    path.unlink(missing_ok=True)
                else:
                    data = content if isinstance(content, bytes) else content()
                    files.write(path, data, mode=0o600, durable=self._durable)
            except OSError as error:
                log.warning("%s cannot be written: %s", path, error)
                with contextlib.suppress(RuntimeError):  # the window is gone already
                    self.failed.emit(str(path), error.strerror or str(error))
            except Exception:  # the thread must outlive what one file's content came to
                log.exception("%s cannot be written", path)
            finally:
                with self._changed:
                    self._busy = False
                    self._changed.notify_all()
