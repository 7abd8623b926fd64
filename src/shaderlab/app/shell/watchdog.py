"""Measures how long the interface's thread keeps an event waiting, and what it does meanwhile.

A window that does not get to the next event within 50 ms is felt to stick.  A thread posts an event
and waits for its handling; the time that takes, less what the machine needs to switch threads, is
how long a key or a click would have waited.  A stay is measured from the first event posted in it,
so up to one `interval_s` too short.
"""

from __future__ import annotations

import contextlib
import faulthandler
import sys
import tempfile
import threading
import time
from collections import deque
from time import perf_counter
from typing import NamedTuple

from shaderlab.app.qt import QObject, Qt, Signal, Slot

LIMIT_S = 0.05
_FRAMES = 12


class Block(NamedTuple):
    """One event that waited longer than it may."""

    seconds: float
    work_s: float
    """Processor time of the interface's thread in it: the rest was waiting, for a busy machine,
    a disk or a lock.  NaN where the system does not report it."""
    where: str
    """The interface thread's Python stack once the limit had passed, innermost call last."""


class Watchdog(QObject):
    """Watches the thread it is made in."""

    _posted = Signal()

    def __init__(
        self, parent: QObject | None = None, *, limit_s: float = LIMIT_S, interval_s: float = 0.05
    ):
        super().__init__(parent)
        self.limit_s, self.interval_s = limit_s, interval_s
        self.longest_s = 0.0
        self.longest_work_s = 0.0
        """Most processor time of the interface's thread before it handled an event."""
        self.events = 0
        """Events posted and handled so far."""
        self.blocks: deque[Block] = deque(maxlen=100)
        """The latest that waited too long."""
        self._watched = threading.get_ident()
        self._handled = threading.Event()
        self._handled_at = (0.0, 0.0)
        """`perf_counter` and processor time of the watched thread when the event was handled.
        Taken there: this thread may wait for Python's lock before it hears of it."""
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._posted.connect(self._on_posted, Qt.ConnectionType.QueuedConnection)

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, name="watchdog", daemon=True)
        self._thread.start()

    def reset(self) -> None:
        """Forget what was measured."""
        self.longest_s, self.longest_work_s, self.events = 0.0, 0.0, 0
        self.blocks.clear()

    def stop(self) -> None:
        """End the thread; what was measured stays readable."""
        self._stop.set()
        self._handled.set()
        if self._thread is not None:
            self._thread.join(timeout=1)

    def _run(self) -> None:
        while not self._stop.wait(self.interval_s):
            self._handled.clear()
            posted_at, worked_before_s = perf_counter(), self._worked_s()
            try:
                self._posted.emit()
            except RuntimeError:  # the window is gone already
                return
            where = ""
            if not self._handled.wait(self.limit_s):
                where = self._stack()
                while not self._handled.wait(1.0) and not self._stop.is_set():
                    pass
            if self._stop.is_set():
                return
            seconds, work_s = (
                now - before
                for now, before in zip(self._handled_at, (posted_at, worked_before_s), strict=True)
            )
            self.events += 1
            self.longest_s = max(self.longest_s, seconds)
            self.longest_work_s = max(self.longest_work_s, work_s)
            if seconds > self.limit_s:
                self.blocks.append(Block(seconds, work_s, where))

    @Slot()
    def _on_posted(self) -> None:
        self._handled_at = perf_counter(), self._worked_s()
        self._handled.set()

    def _worked_s(self) -> float:
        """Processor time of the watched thread so far; NaN where only Linux knows it."""
        if sys.platform == "linux":
            with contextlib.suppress(OSError):
                return time.clock_gettime(time.pthread_getcpuclockid(self._watched))
        return float("nan")

    def _stack(self) -> str:
        """Read without touching the frames: to hold one, even shortly, would keep its locals alive
        (a painter, say) past the end of their function.
        """
        with tempfile.TemporaryFile() as file:
            faulthandler.dump_traceback(file, all_threads=True)
            file.seek(0)
            dump = file.read().decode("utf-8", "replace")
        section = dump.partition(f"hread 0x{self._watched:016x}")[2].partition("\n\n")[0]
        calls = section.splitlines()[1 : _FRAMES + 1]
        return "\n".join(call.strip() for call in reversed(calls))
