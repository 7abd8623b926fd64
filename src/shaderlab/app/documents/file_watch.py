"""Which of some files changed on the disk, asked once whoever wrote them is done."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from shaderlab.app.qt import QFileSystemWatcher, QObject, QTimer, Signal


class FileWatch(QObject):
    """Watches the files it was last given, as far as they exist."""

    changed = Signal(object)
    """Paths of those that changed, as a set of texts."""

    def __init__(self, parent: QObject):
        super().__init__(parent)
        self._watcher = QFileSystemWatcher(self)
        self._watcher.fileChanged.connect(self._on_changed)
        self._touched: set[str] = set()
        # Editors write in several steps; look once they are done.
        self._settle = QTimer(self, singleShot=True, interval=120)
        self._settle.timeout.connect(self._report)

    def watch(self, files: Iterable[str]) -> None:
        """These from now on; one that was replaced is found again."""
        wanted, watched = set(files), set(self._watcher.files())
        if gone := watched - wanted:
            self._watcher.removePaths(sorted(gone))
        if missing := [p for p in sorted(wanted - watched) if Path(p).is_file()]:
            self._watcher.addPaths(missing)

    def stop(self) -> None:
        """None until the next `watch`: what is written now is our own."""
        if files := self._watcher.files():
            self._watcher.removePaths(files)
        self._touched.clear()

    def _on_changed(self, path: str) -> None:
        self._touched.add(path)
        self._settle.start()

    def _report(self) -> None:
        touched, self._touched = self._touched, set()
        self.changed.emit(touched)
