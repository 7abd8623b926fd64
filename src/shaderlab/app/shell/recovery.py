"""What one run of the window leaves for the next, and what it makes of what was left to it."""

from __future__ import annotations

import contextlib
import logging
import time
from pathlib import Path
from typing import NamedTuple

from shaderlab import files, locations
from shaderlab.app.documents import journal
from shaderlab.app.documents.document import Document
from shaderlab.app.documents.journal import Draft, Journal
from shaderlab.app.qt import QObject
from shaderlab.app.session.quarantine import Quarantine
from shaderlab.app.storage import crash_log
from shaderlab.app.storage.background_writer import BackgroundWriter
from shaderlab.app.storage.crash_log import CrashLog
from shaderlab.app.storage.run_folder import RunFolder
from shaderlab.app.widgets.command_palette import CommandPalette, Entry
from shaderlab.app.widgets.notifications import Action
from shaderlab.app.widgets.waiting import apart

log = logging.getLogger(__name__)

_FORGET = "forget"
_DETAILS = "Help, Copy diagnostics has the details"


class Kept(NamedTuple):
    """A draft of an earlier run, and the folder it lies in."""

    folder: RunFolder
    draft: Draft


class Recovery(QObject):
    """Made before the window, attached to it once, closed after it."""

    def __init__(self, data: Path | None = None, parent: QObject | None = None):
        """`data`: the folder for all of it; the user's data by default."""
        super().__init__(parent)
        self._data = data or locations.user_data()
        self.writer = BackgroundWriter(self)
        self.problem = ""
        """Why nothing of this run can be kept; empty where it can."""
        left = RunFolder.leftovers(self._data / "runs")
        self.unclean = bool(left)
        """Whether an earlier run did not end by itself."""
        try:
            self._folder = RunFolder.begin(self._data / "runs")
        except OSError as error:
            self._folder = None
            self.problem = f"{self._data} cannot be written: {error.strerror or error}"
        self._crash_log = CrashLog(self._folder.faults) if self._folder else None
        if self._crash_log is not None:
            self._crash_log.begin()
        self.quarantine = Quarantine(
            self.writer,
            path=self._data / "quarantine.json",
            running=self._folder.running if self._folder else None,
        )
        self.last_crash = ""
        """What the latest crash left to read; empty if there never was one."""
        self.kept: list[Kept] = []
        """Unsaved texts of earlier runs, newest first."""
        self.journal: Journal | None = None
        self._window = None
        self._take_in(left)

    @property
    def crash_file(self) -> Path:
        return self._data / "last_crash.log"

    def _take_in(self, left: list[RunFolder]) -> None:
        for folder in left:
            self.quarantine.inherit(folder.running)
            told = crash_log.read(folder.faults)
            if told and not self.last_crash:
                self.last_crash = told
                with contextlib.suppress(OSError):
                    files.write(self.crash_file, told.encode(), mode=0o600)
            draft = journal.read(folder.journal)
            if draft is not None:
                self.kept.append(Kept(folder, draft))
            else:
                folder.remove()
        self.crashed = bool(self.last_crash)
        """Whether the latest of them ended by a crash or a fault."""
        if not self.last_crash:
            self.last_crash = crash_log.read(self.crash_file)

    # -- with a window ----------------------------------------------------------------------

    def attach(self, window) -> None:
        """Keep this window's unsaved text safe, and tell what earlier runs left."""
        self._window = window
        window.recovery = self
        if self._folder is None:
            window.notices.say("warning", f"Unsaved changes are not kept safe: {self.problem}")
        else:
            self.journal = Journal(self._folder.journal, self.writer, self._unsaved, self)
            window.editor.text_edited.connect(self.journal.edited)
            window.editor.modified_changed.connect(self._on_modified)
            self.writer.failed.connect(self._on_failed)
        self._tell()

    def fault(self, kind, error, trace) -> None:
        """Note an exception no one caught."""
        if self._crash_log is not None:
            self._crash_log.fault(kind, error, trace)

    def choose(self) -> None:
        """Let the user choose among the kept texts."""
        if not self.kept:
            self._window.notices.say("note", "There are no unsaved texts of earlier runs")
            return
        entries = [
            Entry(str(index), kept.draft.document.name, _when(kept.draft))
            for index, kept in enumerate(self.kept)
        ]
        entries.append(Entry(_FORGET, "Forget all of these", "they cannot be brought back"))
        palette = CommandPalette(entries, "Bring back an unsaved text", self._window)
        palette.chosen.connect(self._chosen)
        palette.popup()

    def restore(self, kept: Kept) -> None:
        """Show a kept text as unsaved changes; it is kept by this run from then on."""
        if not self._window.documents.restore(kept.draft):
            return
        if self.journal is not None:
            self.journal.write_now()
            if not apart(self.writer.flush):
                return  # a slow disk: better twice than not at all
        self.kept.remove(kept)
        kept.folder.remove()

    def close(self) -> None:
        """The window was closed by its user: nothing of this run is needed any more."""
        self._end(keep=False)

    def leave(self) -> None:
        """The window must end at once (a logout, a signal): what is unsaved stays kept."""
        self._end(keep=self._window is not None and self._unsaved() is not None)

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

    # -- what happens -----------------------------------------------------------------------

    def _unsaved(self) -> tuple[Document, str] | None:
        editor, document = self._window.editor, self._window.documents.document
        return (document, editor.text) if editor.modified and not document.spirv else None

    def _on_modified(self, modified: bool) -> None:
        if not modified:
            self.journal.clear()

    def _on_failed(self, path: str, reason: str) -> None:
        if self._folder is not None and Path(path) == self._folder.journal:
            self._window.notices.say("warning", f"Unsaved changes are not kept safe: {reason}")

    def _tell(self) -> None:
        say = self._window.notices.say
        ended = "crashed" if self.crashed else "did not end properly"
        if self.kept:
            first = self.kept[0]
            names = f"{first.draft.document.name} ({_when(first.draft)})"
            if len(self.kept) == 1:
                text, action = names, Action("Restore", lambda: self.restore(first))
            else:
                text = f"{names} and {len(self.kept) - 1} more"
                action = Action("Show them", self.choose)
            crash = f"shaderlab {ended} last time ({_DETAILS}). " if self.crashed else ""
            say("warning", f"{crash}Unsaved changes were kept: {text}", action)
        elif self.unclean:
            action = Action("Copy details", self._window.help_diagnostics)
            say("warning", f"shaderlab {ended} last time: preview paused", action)

    def _chosen(self, key: str) -> None:
        if key == _FORGET:
            for kept in self.kept:
                kept.folder.remove()
            self.kept.clear()
        else:
            self.restore(self.kept[int(key)])


def _when(draft: Draft) -> str:
    """`23:12`, with the date if that is another day."""
    at, now = time.localtime(draft.at), time.localtime()
    clock = time.strftime("%H:%M", at)
    return clock if at[:3] == now[:3] else f"{time.strftime('%Y-%m-%d', at)} {clock}"
