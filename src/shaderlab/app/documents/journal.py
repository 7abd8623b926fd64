"""The autosave journal: an unsaved text survives whatever ends the window.

Kept in the run's folder while the text differs from its file, gone when the text is saved or given
up.  There are two copies.  One is written without waiting for the disk, within a fraction of a
second of every edit: it outlives the process however that ends.  The other survives a crash of the
machine too; a disk may take seconds for it, so it has its own thread.  The interface passes a text
on as soon as the event that changed it is over; from there on nothing that keeps the interface busy
delays it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from shaderlab.app.documents.document import MOST_BYTES, NEWLINES, Document
from shaderlab.app.qt import QObject, QTimer
from shaderlab.app.storage.background_writer import BackgroundWriter

REST_S = 0.6
"""Between two writings of the copy on the disk at least."""
QUICK_REST_S = 0.1
"""Between two writings of the other; a text of millions of characters rests longer."""
_REST_PER_CHARACTER_S = 5e-8
_VERSION = 1


@dataclass(frozen=True)
class Draft:
    """A text that was not saved."""

    document: Document
    text: str
    at: float
    """When it was written, seconds since the epoch."""

    @cached_property
    def encoded(self) -> bytes:
        return encode(self)


class Journal(QObject):
    """Watches one editor's text."""

    def __init__(
        self,
        path: Path,
        writer: BackgroundWriter,
        read: Callable[[], tuple[Document, str] | None],
        parent: QObject | None = None,
    ):
        """`read` gives the document and its text, or None while nothing is unsaved."""
        super().__init__(parent)
        self._path, self._writer, self._read = path, writer, read
        self._quick = BackgroundWriter(self, durable=False)
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(lambda: self._pass_on(REST_S))

    def edited(self) -> None:
        """The text changed; maybe as one of several steps, so it is read once they are done."""
        if not self._soon.isActive():
            self._soon.start()

    def write_now(self) -> None:
        """Write what is unsaved, or clear the journal where nothing is."""
        self._soon.stop()
        self._pass_on(0.0)

    def _pass_on(self, rest_s: float) -> None:
        unsaved = self._read()
        if unsaved is None:
            self.clear()
            return
        draft = Draft(*unsaved, time.time())
        quick_s = max(QUICK_REST_S, len(draft.text) * _REST_PER_CHARACTER_S)
        self._quick.write(_quick_copy(self._path), lambda: draft.encoded, rest_s=quick_s)
        self._writer.write(self._path, lambda: draft.encoded, rest_s=rest_s)

    def clear(self) -> None:
        """Nothing is unsaved any more."""
        self._soon.stop()
        for writer, path in ((self._quick, _quick_copy(self._path)), (self._writer, self._path)):
            writer.remove(path)

    def close(self) -> None:
        """Write what is left of the quick copy; the other is its writer's to finish."""
        self._quick.close()


def _quick_copy(path: Path) -> Path:
    return path.with_suffix(".quick")


def encode(draft: Draft) -> bytes:
    document = draft.document
    return json.dumps(
        {
            "version": _VERSION,
            "name": document.name,
            "path": str(document.path) if document.path else "",
            "newline": document.newline,
            "encoding": document.encoding,
            "byte_order_mark": document.byte_order_mark,
            "example": document.example,
            "digest": document.digest,
            "text": draft.text,
            "at": draft.at,
        }
    ).encode()


def read(path: Path) -> Draft | None:
    """What a journal holds, of its two copies the newer; None where there is nothing of ours."""
    drafts = [draft for draft in map(_read, (path, _quick_copy(path))) if draft is not None]
    return max(drafts, key=lambda draft: draft.at, default=None)


def _read(path: Path) -> Draft | None:
    try:
        if path.stat().st_size > 8 * MOST_BYTES:
            return None
        data = json.loads(path.read_bytes())
        if data["version"] != _VERSION:
            return None
        strings = [data[k] for k in ("name", "path", "example", "digest", "text", "encoding")]
        if not all(isinstance(value, str) for value in strings) or data["newline"] not in NEWLINES:
            return None
        name, file, example, digest, text, encoding = strings
        "".encode(encoding)
        document = Document(
            name,
            Path(file) if file else None,
            newline=data["newline"],
            encoding=encoding,
            byte_order_mark=bool(data["byte_order_mark"]),
            example=example,
            digest=digest,
        )
        return Draft(document, text, float(data["at"]))
    except (OSError, ValueError, TypeError, LookupError, RecursionError):
        return None
