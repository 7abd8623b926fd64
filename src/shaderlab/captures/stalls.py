"""Whether a program that reads an untrusted file still makes progress."""

from __future__ import annotations

import time

import psutil

_LEAST_S = 3.0
_PER_BYTE_S = 1e-7
"""A large file may take longer from one sign of progress to the next."""
_IDLE_SHARE = 20.0
"""How many times longer, in wall-clock time, where it waits and takes no processor time."""


class Stall:
    """Counts processor time of the thread that does the work, the first one of the program.

    Not wall-clock time, which a busy machine stretches, nor that of other threads: those of a
    software driver work hard where a large frame is drawn.
    """

    def __init__(self, pid: int, file_bytes: int):
        self.allowed_s = _LEAST_S + _PER_BYTE_S * file_bytes
        self._pid = pid
        self._progressed = True
        self._spent_s = self._at = 0.0

    def progressed(self) -> None:
        """From any thread: there was a sign of progress."""
        self._progressed = True

    def found(self) -> bool:
        """Whether the program took longer than it may since the last sign.  Asked now and then."""
        now, spent_s = time.monotonic(), _spent_s(self._pid)
        if self._progressed:
            self._progressed = False
            self._at, self._spent_s = now, spent_s
        is_late = now - self._at > _IDLE_SHARE * self.allowed_s
        return is_late or spent_s - self._spent_s > self.allowed_s


def _spent_s(pid: int) -> float:
    """0 where the system does not tell, or the program has ended."""
    try:
        threads = psutil.Process(pid).threads()
    except psutil.Error:
        return 0.0
    first = [each for each in threads if each.id == pid] or threads  # no such id on Windows
    return max((each.user_time + each.system_time for each in first), default=0.0)
