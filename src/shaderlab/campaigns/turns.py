"""Who may use a device now: one that times on it, or any number that do not."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Turns:
    """Shared by all that must not disturb each other's times.  Thread-safe.

    Who wants to time waits for the work under way; new work waits for it in turn, so that timing
    is never put off for long.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._working = 0
        self._timing = False
        self._wanted = 0
        """How many wait for their turn to time."""

    @contextmanager
    def working(self) -> Iterator[None]:
        """A turn beside others that work."""
        with self._changed:
            self._changed.wait_for(lambda: not self._timing and not self._wanted)
            self._working += 1
        try:
            yield
        finally:
            with self._changed:
                self._working -= 1
                self._changed.notify_all()

    @contextmanager
    def timing(self) -> Iterator[None]:
        """A turn alone."""
        with self._changed:
            self._wanted += 1
            try:
                self._changed.wait_for(lambda: not self._timing and not self._working)
                self._timing = True
            finally:
                self._wanted -= 1
                self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self._timing = False
                self._changed.notify_all()
