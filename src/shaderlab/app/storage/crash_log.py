"""What remains to be read when the window crashed: native tracebacks and uncaught exceptions."""

from __future__ import annotations

import contextlib
import faulthandler
import logging
import time
import traceback
from pathlib import Path
from typing import TextIO

from shaderlab import __version__

log = logging.getLogger(__name__)

_MOST_BYTES = 64 << 10
_HEAD = "shaderlab "


class CrashLog:
    """faulthandler's file for this process, and a place for Python's own faults."""

    def __init__(self, path: Path):
        self._path = path
        self._file: TextIO | None = None

    def begin(self) -> None:
        """From now on a crash of this process (SIGSEGV, abort, …) leaves its traceback."""
        try:
            self._file = self._path.open("a", encoding="utf-8")
        except OSError as error:
            log.warning("%s cannot be written: %s", self._path, error)
            return
        when = time.strftime("%Y-%m-%d %H:%M:%S")
        self._file.write(f"{_HEAD}{__version__}, started {when}\n")
        self._file.flush()
        faulthandler.enable(self._file, all_threads=True)

    def fault(self, kind, error, trace) -> None:
        """Record an uncaught exception."""
        if self._file is None or self._file.tell() > _MOST_BYTES:
            return
        with contextlib.suppress(OSError, ValueError):
            self._file.write("".join(traceback.format_exception(kind, error, trace)))
            self._file.flush()

    def end(self) -> None:
        """Crashes go to standard error again."""
        if self._file is not None:
            faulthandler.enable()
            with contextlib.suppress(OSError):
                self._file.close()
            self._file = None


def read(path: Path) -> str:
    """What a run's log reports apart from its start; empty where there is nothing."""
    try:
        with path.open("rb") as file:
            text = file.read(_MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
    reports = any(line.strip() and not line.startswith(_HEAD) for line in text.splitlines())
    return text.strip() if reports else ""
