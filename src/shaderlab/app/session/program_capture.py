"""A program that runs under RenderDoc until a frame of it is captured."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

from shaderlab import locations
from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.bridge import Bridge
from shaderlab.captures.running import Launch, Run
from shaderlab.errors import Abandoned, ShaderlabError


class ProgramCapture(QObject):
    """One program at a time."""

    changed = Signal()
    """`running` is new."""
    captured = Signal(object)
    """Path of the capture."""
    failed = Signal(object)
    """A ShaderlabError."""

    def __init__(self, bridge: Bridge, parent: QObject):
        super().__init__(parent)
        self._bridge = bridge
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="captured program")
        self._run: Run | None = None

    @property
    def running(self) -> bool:
        return self._run is not None

    def start(self, launch: Launch) -> None:
        """Start it; the capture is kept in the user's data."""
        if self._run is not None:
            return
        name = Path(launch.command[0]).stem[:40] or "program"
        stamp = f"{datetime.now():%Y-%m-%d-%H%M%S}"
        self._run = run = Run(launch, locations.user_data() / "captures" / f"{name}-{stamp}")
        self._bridge.watch(self._pool.submit(run.capture), self._on_captured, self._on_failed)
        self.changed.emit()

    def take(self) -> None:
        """Take the frame now."""
        if self._run is not None:
            self._run.take()

    def stop(self) -> None:
        """End the program without a frame."""
        if self._run is not None:
            self._run.stop()

    def close(self) -> None:
        self.stop()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _on_captured(self, path: Path) -> None:
        self._run = None
        self.changed.emit()
        self.captured.emit(path)

    def _on_failed(self, error: ShaderlabError) -> None:
        self._run = None
        self.changed.emit()
        if not isinstance(error, Abandoned):
            self.failed.emit(error)
