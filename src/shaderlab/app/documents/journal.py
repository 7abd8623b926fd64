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
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from shaderlab import files
from shaderlab.app.documents.document import MOST_BYTES, NEWLINES, Document
from shaderlab.app.qt import QObject, QTimer
from shaderlab.app.storage.background_writer import BackgroundWriter
from shaderlab.errors import WrongUse
from shaderlab.projects import reading, writing
from shaderlab.projects.project import Project

REST_S = 0.6
"""Between two writings of the copy on the disk at least."""
QUICK_REST_S = 0.1
"""Between two writings of the other; a text of millions of characters rests longer."""
_REST_PER_CHARACTER_S = 5e-8
_VERSION = 1
_MOST_OTHERS = 200
_MOST_FILE_BYTES = 64 * MOST_BYTES


@dataclass(frozen=True)
class Draft:
    """What was not saved: a text, and what it was drawn with."""

    document: Document
    text: str
    at: float = 0.0
    """When it was written, seconds since the epoch."""
    project: Project | None = None
    """Inputs, geometry, vertex stage and how the text is read; None where that is not known."""
    vertex: tuple[Document, str] | None = None
    """The vertex stage's own text, where that was not saved."""
    others: tuple[Draft, ...] = ()
    """Those of the tabs behind it."""
    problem: str = ""
    """Why `project` could not be read; empty where it could."""

    @cached_property
    def encoded(self) -> bytes:
        return encode(self)


class Journal(QObject):
    """Watches one editor's text."""

    def __init__(
        self,
        path: Path,
        writer: BackgroundWriter,
        read: Callable[[], Draft | None],
        parent: QObject | None = None,
    ):
        """`read` gives what is unsaved now, or None."""
        super().__init__(parent)
        self._path, self._writer, self._read = path, writer, read
        self._quick = BackgroundWriter(self, durable=False)
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(lambda: self._pass_on(REST_S))

    def edited(self) -> None:
        """Something changed; maybe as one of several steps, so it is read once they are done."""
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
        draft = replace(unsaved, at=time.time())
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
    data = {"version": _VERSION, "at": draft.at, **_fields(draft)}
    if draft.others:
        data["others"] = [_fields(other) for other in draft.others]
    return json.dumps(data).encode()


def _fields(draft: Draft) -> dict[str, Any]:
    data = _packed(draft.document, draft.text)
    if draft.project is not None:
        data["project"] = writing.copy(draft.project)
    if draft.vertex is not None:
        data["vertex"] = _packed(*draft.vertex)
    return data


def _packed(document: Document, text: str) -> dict[str, Any]:
    return {
        "name": document.name,
        "path": str(document.path) if document.path else "",
        "newline": document.newline,
        "encoding": document.encoding,
        "byte_order_mark": document.byte_order_mark,
        "example": document.example,
        "digest": document.digest,
        "text": text,
    }


def read(path: Path) -> Draft | None:
    """What a journal holds, of its two copies the newer; None where there is nothing of ours."""
    drafts = [draft for draft in map(_read, (path, _quick_copy(path))) if draft is not None]
    return max(drafts, key=lambda draft: draft.at, default=None)


def _read(path: Path) -> Draft | None:
    try:
        data = json.loads(files.read_bytes(path, _MOST_FILE_BYTES))
        if data["version"] != _VERSION:
            return None
        at = float(data["at"])
        others = tuple(_draft(each, at) for each in data.get("others", ())[:_MOST_OTHERS])
        return replace(_draft(data, at), others=others)
    except (WrongUse, ValueError, TypeError, LookupError, RecursionError):
        return None


def _draft(data: dict[str, Any], at: float) -> Draft:
    """Raises ValueError, TypeError or LookupError for what is not ours."""
    document, text = _unpacked(data)
    vertex = _unpacked(data["vertex"]) if "vertex" in data else None
    project, problem = _project(data.get("project", ""))
    return Draft(document, text, at, project, vertex, problem=problem)


def _unpacked(data: dict[str, Any]) -> tuple[Document, str]:
    """Raises ValueError, TypeError or LookupError for what is not ours."""
    strings = [data[k] for k in ("name", "path", "example", "digest", "text", "encoding")]
    if not all(isinstance(value, str) for value in strings) or data["newline"] not in NEWLINES:
        raise ValueError("not a document")
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
    return document, text


def _project(text: str) -> tuple[Project | None, str]:
    """What a draft was drawn with, and what is wrong with that: an image may be gone since."""
    if not text:
        return None, ""
    try:
        return reading.read_copy(text, "unsaved inputs"), ""
    except WrongUse as error:
        return None, str(error)
