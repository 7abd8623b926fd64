"""What one run of the window leaves for the next: unsaved text and crash logs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from shaderlab import files, locations
from shaderlab.app.documents import journal
from shaderlab.app.documents.journal import Draft, Journal
from shaderlab.app.qt import QObject
from shaderlab.app.storage import crash_log
from shaderlab.app.storage.background_writer import BackgroundWriter
from shaderlab.app.storage.crash_log import CrashLog
from shaderlab.app.storage.run_folder import RunFolder

Unsaved = Callable[[], Draft | None]
"""What is not saved; None while all is."""


class Kept(NamedTuple):
    """A draft of an earlier run, and the folder it lies in."""

    folder: RunFolder
    draft: Draft


class Recovery(QObject):
    """Made before the window, and closed after it."""

    def __init__(self, data: Path | None = None, parent: QObject | None = None):
        """`data`: the folder for all of it; the user's data by default."""
        super().__init__(parent)
        self._data = data or locations.user_data()
        self.writer = BackgroundWriter(self)
        self.problem = ""
        """Why nothing of this run can be kept; empty where it can."""
        left = RunFolder.leftovers(self._data / "runs")
        self.unclean = bool(left)
        """Whether an earlier run ended abnormally."""
        try:
            self._folder = RunFolder.begin(self._data / "runs")
        except OSError as error:
            self._folder = None
            self.problem = f"{self._data} cannot be written: {error.strerror or error}"
        self._crash_log = CrashLog(self._folder.faults) if self._folder else None
        if self._crash_log is not None:
            self._crash_log.begin()
        self.last_crash = ""
        """What the latest crash left to read; empty if there never was one."""
        self.kept: list[Kept] = []
        """Unsaved texts of earlier runs, newest first."""
        self.journal: Journal | None = None
        self._unsaved: Unsaved = lambda: None
        self._take_in(left)

    @property
    def versions(self) -> Path:
        """The folder of documents' histories."""
        return self._data / "versions"

    @property
    def crash_file(self) -> Path:
        return self._data / "last_crash.log"

    def _take_in(self, left: list[RunFolder]) -> None:
        for folder in left:
            crash = crash_log.read(folder.faults)
            if crash and not self.last_crash:
                self.last_crash = crash
                with contextlib.suppress(OSError):
                    files.write(self.crash_file, crash.encode(), mode=0o600)
            draft = journal.read(folder.journal)
            if draft is not None:
                self.kept.append(Kept(folder, draft))
            else:
                folder.remove()
        self.crashed = bool(self.last_crash)
        """Whether the latest of them ended by a crash or a fault."""
        if not self.last_crash:
            self.last_crash = crash_log.read(self.crash_file)

    def begin_journal(self, unsaved: Unsaved, parent: QObject) -> Journal | None:
        """Keep what `unsaved` answers safe from now on; None where nothing can be kept."""
        if self._folder is None:
            return None
        self._unsaved = unsaved
        self.journal = Journal(self._folder.journal, self.writer, unsaved, parent)
        return self.journal

    def writes_journal(self, path: str) -> bool:
        """Whether this is the file this run's unsaved text is kept in."""
        return self._folder is not None and Path(path) == self._folder.journal

    def forget(self, kept: Kept) -> None:
        """Delete a text of an earlier run for good."""
        self.kept.remove(kept)
        kept.folder.remove()

    def fault(
        self,
        kind: type[BaseException],
        error: BaseException,
        trace: TracebackType | None,
    ) -> None:
        """Record an uncaught exception."""
        if self._crash_log is not None:
            self._crash_log.fault(kind, error, trace)

    def close(self) -> None:
        """The window was closed by its user: nothing of this run is needed any more."""
        self._end(keep=False)

    def leave(self) -> None:
        """The window must end at once (a logout, a signal): unsaved text stays kept."""
        self._end(keep=self._unsaved() is not None)

    def _end(self, *, keep: bool) -> None:
        if self.journal is not None:
            if keep:
                self.journal.write_now()
            else:
                self.journal.clear()
            self.journal.close()
        self.writer.close()
        if self._crash_log is not None:
            self._crash_log.end()
        if self._folder is not None:
            if keep:
                self._folder.release()
            else:
                self._folder.remove()
        for kept in self.kept:
            kept.folder.release()
