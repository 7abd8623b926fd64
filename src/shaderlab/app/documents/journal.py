"""The autosave journal: an unsaved text survives whatever ends the window.

Kept in the run's folder while the text differs from its file, rewritten within a second of every
edit, gone when the text is saved or given up.  The interface hands a text over as soon as the event
that changed it is over; from there on nothing that keeps the interface busy can delay it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from shaderlab.app.documents.document import MOST_BYTES, NEWLINES, Document
from shaderlab.app.qt import QObject, QTimer
from shaderlab.app.storage.background_writer import BackgroundWriter

REST_S = 0.6
"""Between two writings at least."""
_VERSION = 1


@dataclass(frozen=True)
class Draft:
    """A text that was not saved."""

    document: Document
    text: str
    at: float
    """When it was written, seconds since the epoch."""


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
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(lambda: self._hand_over(REST_S))

    def edited(self) -> None:
        """The text changed; maybe as one of several steps, so it is read once they are done."""
        if not self._soon.isActive():
            self._soon.start()

    def write_now(self) -> None:
        """Write what is unsaved, or clear the journal where nothing is."""
        self._soon.stop()
        self._hand_over(0.0)

    def _hand_over(self, rest_s: float) -> None:
        unsaved = self._read()
        if unsaved is None:
            self._writer.remove(self._path)
        else:
            draft = Draft(*unsaved, time.time())
            self._writer.write(self._path, lambda: encode(draft), rest_s=rest_s)

    def clear(self) -> None:
        """Nothing is unsaved any more."""
        self._soon.stop()
        self._writer.remove(self._path)


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
    """What a journal holds; None where there is none, or nothing of ours in it."""
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
