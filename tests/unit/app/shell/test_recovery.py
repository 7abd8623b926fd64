"""Texts of earlier runs restored into an editor, and this run's kept until they are saved."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from shaderlab.app.documents import journal
from shaderlab.app.documents.document import Document
from shaderlab.app.documents.journal import Draft
from shaderlab.app.qt import QObject, Qt, QWidget, Signal
from shaderlab.app.shell.recovery import Recovery
from shaderlab.app.shell.recovery_presenter import RecoveryPresenter
from shaderlab.app.storage.background_writer import BackgroundWriter
from shaderlab.app.widgets.command_palette import CommandPalette

TEXT = "// precious\n"


class Editor(QObject):
    """Only what is kept of an editor."""

    text_edited = Signal()
    modified_changed = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.text, self.modified = "", False

    def type(self, text: str) -> None:
        self.text = text
        self.modified = True
        self.modified_changed.emit(True)
        self.text_edited.emit()

    def set_unmodified(self) -> None:
        """As saving does."""
        self.modified = False
        self.modified_changed.emit(False)


class Documents(QObject):
    kept_changed = Signal()

    def __init__(self, editor: Editor):
        super().__init__()
        self._editor = editor
        self.document = Document("untitled")
        self.willing = True

    @property
    def unsaved(self) -> Draft | None:
        return Draft(self.document, self._editor.text) if self._editor.modified else None

    def restore(self, draft: Draft) -> bool:
        if self.willing:
            self.document = draft.document
            self._editor.type(draft.text)
        return self.willing


class Notices:
    def __init__(self) -> None:
        self.said: list[str] = []

    def say(self, level: str, text: str, action: object = None) -> None:
        self.said.append(text)


class Run:
    """One run of the window, as far as texts are kept."""

    def __init__(self, data: Path):
        self.recovery = Recovery(data)
        self.window = QWidget()
        self.editor = Editor()
        self.documents = Documents(self.editor)
        self.presenter = RecoveryPresenter(
            self.recovery, self.editor, self.documents, Notices(), self.window
        )

    def kept_here(self) -> Draft | None:
        (running,) = (
            folder
            for folder in (self.recovery._data / "runs").iterdir()
            if folder not in [kept.folder.path for kept in self.recovery.kept]
        )
        return journal.read(running / "document.json")


@pytest.fixture
def run(qtbot, tmp_path: Path) -> Iterator[Run]:
    """After a run that was killed with unsaved text."""
    left = tmp_path / "runs" / "20260101-000000-x"
    left.mkdir(parents=True)
    (left / "lock").touch()
    draft = Draft(Document("plasma"), TEXT, 1.0)
    (left / "document.json").write_bytes(journal.encode(draft))
    made = Run(tmp_path)
    assert [kept.draft for kept in made.recovery.kept] == [draft]
    yield made
    made.recovery.close()


def test_a_restored_text_is_kept_here_before_it_goes_there(run: Run) -> None:
    (kept,) = run.recovery.kept
    run.presenter.restore(kept)
    assert run.recovery.kept == []
    assert not kept.folder.path.exists()
    assert run.kept_here().text == TEXT


def test_a_restored_text_stays_where_it_was_while_the_disk_is_stuck(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    free, fsync, flush = threading.Event(), os.fsync, BackgroundWriter.flush

    def stuck(file: int) -> None:
        assert free.wait(30)
        fsync(file)

    monkeypatch.setattr(os, "fsync", stuck)
    monkeypatch.setattr(BackgroundWriter, "flush", lambda self: flush(self, 0.2))
    (kept,) = run.recovery.kept
    run.presenter.restore(kept)
    assert run.editor.text == TEXT
    assert run.recovery.kept == [kept]
    assert journal.read(kept.folder.journal).text == TEXT
    free.set()
    monkeypatch.undo()
    assert run.recovery.writer.flush()


def test_a_text_that_was_not_restored_stays(run: Run) -> None:
    run.documents.willing = False
    (kept,) = run.recovery.kept
    run.presenter.restore(kept)
    assert run.recovery.kept == [kept]
    assert kept.folder.path.exists()


def test_saving_clears_the_journal(run: Run, qtbot) -> None:
    run.editor.type("// typed")
    assert run.recovery.writer.flush()
    assert run.kept_here() is None, "a keystroke is not written at once"
    qtbot.waitUntil(lambda: (found := run.kept_here()) is not None and found.text == "// typed")
    assert run.recovery.writer.flush()
    run.editor.set_unmodified()
    assert run.recovery.writer.flush()
    qtbot.waitUntil(lambda: run.kept_here() is None)


def test_all_that_was_left_is_deleted_by_choice(run: Run, qtbot) -> None:
    run.presenter.choose()
    (palette,) = run.window.findChildren(CommandPalette)
    qtbot.keyClicks(palette.line, "delete all")
    qtbot.keyClick(palette.line, Qt.Key.Key_Return)
    assert run.recovery.kept == []


def test_a_closed_writer_writes_nothing_more_however_long_the_last_file_takes(
    qapp, tmp_path, monkeypatch
):
    monkeypatch.setattr(BackgroundWriter, "flush", lambda _: False)  # its time is over
    writer, path = BackgroundWriter(), tmp_path / "file"
    begun, may_end = threading.Event(), threading.Event()

    def slowly() -> bytes:
        begun.set()
        may_end.wait(30)
        return b"whole"

    writer.write(path, slowly)
    assert begun.wait(30)
    threading.Timer(0.1, may_end.set).start()
    writer.close()
    assert path.read_bytes() == b"whole"
    writer.remove(path)
    writer.close()
    assert path.exists()
