"""The time, for jobs; tests bring a clock that moves when they say so."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

from shaderlab.app.qt import QObject, QTimer


class Alarm(QTimer):
    """Rings once, so long after it was last set."""

    def set(self, seconds: float) -> None:
        self.start(max(round(seconds * 1000), 0))


class Clock:
    def now(self) -> float:
        """Seconds; they only rise."""
        return perf_counter()

    def alarm(self, ring: Callable[[], object], owner: QObject) -> Alarm:
        """An alarm that is not set yet and lives as long as its owner."""
        alarm = Alarm(owner, singleShot=True)
        alarm.timeout.connect(ring)
        return alarm
