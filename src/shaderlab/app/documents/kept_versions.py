"""The document's versions kept from run to run, one file per document in the user's data."""

from __future__ import annotations

import contextlib
import hashlib
import threading
from concurrent.futures import Future
from pathlib import Path

from shaderlab import files
from shaderlab.app.documents import version_file
from shaderlab.app.documents.documents import Documents
from shaderlab.app.qt import QObject
from shaderlab.app.session.bridge import Bridge
from shaderlab.app.session.versions import Version, Versions
from shaderlab.app.storage.background_writer import BackgroundWriter
from shaderlab.errors import ShaderlabError

MOST_DOCUMENTS = 100
"""Whose history is kept; of more, those not opened for longest are forgotten."""
REST_S = 3.0
"""Between two writings at least."""


class KeptVersions(QObject):
    """Reads a document's versions when it is opened, and writes them as they come.

    Of new texts without a file nothing is kept.
    """

    def __init__(
        self,
        folder: Path,
        writer: BackgroundWriter,
        versions: Versions,
        documents: Documents,
        bridge: Bridge,
        parent: QObject,
    ):
        super().__init__(parent)
        self._folder, self._writer, self._bridge = folder, writer, bridge
        self._versions, self._documents = versions, documents
        self._path: Path | None = None
        self._generation = -1
        self._read = False
        """Whether the document's file was read: nothing is written over it before."""
        documents.changed.connect(self._on_document)
        versions.changed.connect(self._write)

    def _on_document(self) -> None:
        """Another document, or the same under another name."""
        path = self._file()
        former, self._path = self._path, path
        if self._generation == self._versions.generation:
            if path != former:
                self._write()
            return
        self._generation, self._read = self._versions.generation, path is None
        if path is None:
            return
        if self._versions.restored:  # a tab's, which was only left for a while
            self._read = True
            return
        generation = self._generation

        def take(kept: tuple[Version, ...]) -> None:
            if generation == self._versions.generation:
                self._read = True
                if kept:
                    self._versions.restore(kept)

        self._bridge.watch(_reading(path), take, lambda _error: None)

    def _file(self) -> Path | None:
        opened = self._documents.document
        if opened.spirv:
            return None
        name = f"example:{opened.example}" if opened.example else ""
        name = name or (str(opened.path.absolute()) if opened.path is not None else "")
        if not name:
            return None
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
        return self._folder / f"{digest[:40]}.versions"

    def _write(self) -> None:
        if self._path is None or not self._read or self._generation != self._versions.generation:
            return
        versions, path = self._versions.all, self._path
        if not versions:
            self._writer.remove(path)
            return

        def content() -> bytes:
            path.parent.mkdir(parents=True, exist_ok=True)
            return version_file.encode(versions)

        self._writer.write(path, content, rest_s=REST_S)


def _reading(path: Path) -> Future[tuple[Version, ...]]:
    """A file's versions, read in a thread; none of a file that is not there or not ours."""
    future: Future[tuple[Version, ...]] = Future()
    future.set_running_or_notify_cancel()

    def read() -> None:
        found: tuple[Version, ...] = ()
        try:
            _forget_oldest(path)
            if path.exists():
                found = version_file.decode(files.read_bytes(path, version_file.MOST_BYTES))
                path.touch()
        except (ShaderlabError, OSError):
            found = ()
        except Exception as fault:  # noqa: BLE001, the future carries it
            future.set_exception(fault)
            return
        future.set_result(found)

    threading.Thread(target=read, name="reading versions", daemon=True).start()
    return future


def _forget_oldest(but: Path) -> None:
    """Remove the files of documents that were not opened for longest."""
    with contextlib.suppress(OSError):
        found = [each for each in but.parent.glob("*.versions") if each != but]
        found.sort(key=lambda each: each.stat().st_mtime)
        for each in found[: max(len(found) + 1 - MOST_DOCUMENTS, 0)]:
            each.unlink()
