"""Small files kept up to date from the interface's thread without ever waiting for a disk."""

from __future__ import annotations

import contextlib
import logging
import threading
from pathlib import Path

from shaderlab.app import atomic_file
from shaderlab.app.qt import QObject, Signal

log = logging.getLogger(__name__)


class BackgroundWriter(QObject):
    """Writes and removes files in a thread of its own, in order; per file the newest wins."""

    failed = Signal(str, str)
    """Path of a file that could not be written, and why."""

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self._wanted: dict[Path, bytes | None] = {}
        """What each file is to hold, oldest wish first; None: it is to go."""
        self._changed = threading.Condition()
        self._busy = False
        self._closed = False
        self._thread: threading.Thread | None = None

    def write(self, path: Path, data: bytes) -> None:
        """Have `path` hold `data` soon: atomically, readable by its owner alone."""
        self._want(path, data)

    def remove(self, path: Path) -> None:
        """Have `path` gone soon."""
        self._want(path, None)

    def flush(self, timeout_s: float = 5.0) -> bool:
        """Wait until all wishes are fulfilled (or failed); whether that was in time."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._wanted and not self._busy, timeout_s)

    def close(self) -> None:
        """Fulfil what is left, then end the thread."""
        self.flush()
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _want(self, path: Path, data: bytes | None) -> None:
        with self._changed:
            self._wanted.pop(path, None)
            self._wanted[path] = data
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="file writer", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._wanted or self._closed)
                if not self._wanted:
                    return
                path = next(iter(self._wanted))
                data = self._wanted.pop(path)
                self._busy = True
            try:
                if data is None:
                    path.unlink(missing_ok=True)
                else:
                    atomic_file.write(path, data, mode=0o600)
            except OSError as error:
                log.warning("%s cannot be written: %s", path, error)
                with contextlib.suppress(RuntimeError):  # the window is gone already
                    self.failed.emit(str(path), error.strerror or str(error))
            finally:
                with self._changed:
                    self._busy = False
                    self._changed.notify_all()
