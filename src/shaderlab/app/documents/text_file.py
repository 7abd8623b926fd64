"""One text of the window and its file: written, read again, watched for changes elsewhere."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Protocol, TypeVar

from shaderlab.app.documents import document, questions
from shaderlab.app.documents.document import Document
from shaderlab.app.editor.buffers import Buffer
from shaderlab.app.qt import QObject, QWidget, Signal
from shaderlab.app.widgets.notifications import Action, NotificationCentre
from shaderlab.errors import ShaderlabError

T = TypeVar("T")
_WRITING = "writing the text"


class Apart(Protocol):
    """Calls what waits for a disk, without blocking the window."""

    def __call__(self, work: Callable[[], T]) -> T: ...


class TextFile(QObject):
    """A buffer of the editor and the document in it."""

    reread = Signal()
    """Its file was read again: another text than before may be in the buffer."""

    def __init__(self, buffer: Buffer, notices: NotificationCentre, apart: Apart, window: QWidget):
        super().__init__(window)
        self.buffer = buffer
        self._notices, self._apart, self._window = notices, apart, window
        self.document = Document("untitled")

    def show(self, opened: Document, text: str) -> None:
        """Another document, without changes."""
        self.document = opened
        self.buffer.set_text(text, editable=not opened.spirv)

    def restored(self, kept: Document) -> tuple[Document, str]:
        """A document whose text was kept apart, and what of it is on the disk."""
        path, base = kept.path, ""
        if path is not None:
            with contextlib.suppress(ShaderlabError):
                on_disk, base = self._apart(lambda: document.read(path))
                if on_disk.digest == kept.digest:
                    kept = replace(kept, line_ends=on_disk.line_ends)
        return kept, base

    def write(self, target: Document, path: Path) -> bool:
        """Write the text to `path` as `target`; asks where a file changed meanwhile.

        False where it was not written, which is said.
        """
        if path == self.document.path and not self._may_overwrite(path):
            return False
        text = self.buffer.text
        try:
            self.document = self._apart(lambda: document.write(target, text, path))
        except ShaderlabError as error:
            self._notices.say("error", str(error), about=_WRITING)
            return False
        self._notices.settle(_WRITING)
        self.buffer.set_unmodified()
        return True

    def read_again(self, path: Path) -> None:
        """Take what the file has; on any fault it is said and what was there stays."""
        try:
            opened, text = self._apart(lambda: document.read(path))
        except ShaderlabError as error:
            self._notices.say("error", str(error))
            return
        self.document = opened
        if not opened.spirv:
            self.buffer.set_text(text, keep_view=True)
        self.reread.emit()

    def look_if_changed(self) -> None:
        """Look at the file if it is another than was read or written here."""
        path, known = self.document.path, self.document.digest
        if path is None or not known:
            return
        try:
            found = document.digest_of(self._apart(lambda: document.read_bytes(path)))
        except ShaderlabError:
            found = ""
        if found != known:
            self.look_at_change()

    def look_at_change(self) -> None:
        """The file changed on the disk: reload it, or offer that where text would be lost."""
        name, path = self.document.name, self.document.path
        if path is None:
            return
        if not path.is_file():
            self._notices.say("warning", f"{name} was deleted on disk; its text is kept here")
            return
        try:
            opened, text = self._apart(lambda: document.read(path))
        except ShaderlabError as error:
            self._notices.say("warning", f"{error}; the text here is kept")
            return
        if not opened.spirv and text == self.buffer.text:
            self.document = opened
            self.buffer.set_unmodified()
        elif not self.buffer.modified:
            self.read_again(path)
            self._notices.say("note", f"{name} changed on disk and was reloaded")
        else:
            self._notices.say(
                "warning",
                f"{name} changed on disk, and has unsaved changes here",
                Action("Reload", lambda: self._read_if_open(path)),
            )

    def _read_if_open(self, path: Path) -> None:
        if self.document.path == path:
            self.read_again(path)

    def _may_overwrite(self, path: Path) -> bool:
        """Ask where the file is no longer what was read or written here."""
        try:
            digest = document.digest_of(self._apart(lambda: document.read_bytes(path)))
        except ShaderlabError:
            return True  # gone or unreadable: there is nothing to lose
        return digest == self.document.digest or questions.may_overwrite(self._window, path.name)
