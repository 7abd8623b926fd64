"""When a document's history is written."""

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from shaderlab.app.documents import kept_versions
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
    restored = False

    def restore(self, kept):
        self.all, self.restored = (*kept, *self.all), True


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


def test_a_version_that_came_early_does_not_stand_for_those_of_before(qapp, tmp_path):
    documents, history, writer, taking = Documents(), History(), Writer(), []
    documents.document = SimpleNamespace(spirv=False, example="", path=tmp_path / "known.frag")
    bridge = SimpleNamespace(watch=lambda _future, done, _failed: taking.append(done))
    KeptVersions(tmp_path, *cast("Any", (writer, history, documents, bridge, documents)))
    documents.changed.emit()
    history.changed.emit()
    assert writer.written == [], "over what was not read yet"
    (take,) = taking
    take((Version(0, "before", 0.0),))
    assert [each.text for each in history.all] == ["before", "a"]
    history.changed.emit()
    assert writer.written


def test_the_documents_that_were_opened_last_are_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(kept_versions, "MOST_DOCUMENTS", 3)
    paths = [tmp_path / f"{n}.versions" for n in range(5)]
    for age, path in enumerate(paths):
        path.write_bytes(b"")
        os.utime(path, (age, age))
    kept_versions._forget_oldest(paths[0])
    assert [path.exists() for path in paths] == [True, False, False, True, True]
