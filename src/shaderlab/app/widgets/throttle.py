"""Many changes in a short time, passed on as one."""

from __future__ import annotations

from shaderlab.app.qt import QObject, QTimer, Signal


class Throttle(QObject):
    """Emits `passed` once per interval in which `soon` was called, however often."""

    passed = Signal()

    def __init__(self, interval_ms: int, parent: QObject | None = None):
        super().__init__(parent)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(interval_ms)
        self._timer.timeout.connect(self.passed)

    def soon(self) -> None:
        """Emit at the end of the present interval, or of one that begins now."""
        if not self._timer.isActive():  # to start it again would put it off without end
            self._timer.start()

    def now(self) -> None:
        """Emit at once."""
        self._timer.stop()
        self.passed.emit()
