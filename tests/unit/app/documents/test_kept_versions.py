"""When a document's history is written."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from shaderlab.app.documents.kept_versions import KeptVersions
from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.versions import Version


class Documents(QObject):
    changed = Signal()
    document: Any = SimpleNamespace(spirv=False, example="", path=None)


class History(QObject):
    changed = Signal()
    generation = 1
    all = (Version(1, "a", 1.0),)


class Writer:
    def __init__(self):
        self.written: list[Path] = []

    def write(self, path, _content, *, rest_s):
        self.written.append(path)


def test_a_new_text_s_history_is_kept_once_it_is_saved(qapp, tmp_path):
    documents, history, writer = Documents(), History(), Writer()
    parts = cast("Any", (writer, history, documents, None, documents))
    kept = KeptVersions(tmp_path, *parts)
    documents.changed.emit()
    history.changed.emit()
    assert writer.written == [], "of what has no file nothing is kept"
    documents.document = SimpleNamespace(spirv=False, example="", path=tmp_path / "saved.frag")
    documents.changed.emit()
    history.changed.emit()
    assert len(set(writer.written)) == 1
    assert kept.parent() is documents
