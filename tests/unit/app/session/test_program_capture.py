"""A program under RenderDoc: one at a time, and what is told of its end."""

from __future__ import annotations

import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from shaderlab.app.qt import QObject
from shaderlab.app.session import program_capture
from shaderlab.app.session.bridge import Bridge
from shaderlab.app.session.program_capture import ProgramCapture
from shaderlab.errors import Abandoned, ShaderlabError, WrongUse


class Run:
    """In the place of a program that runs until the test ends it."""

    made: list[Run]

    def __init__(self, launch, folder: Path):
        self.launch, self.folder = launch, folder
        self.taken = self.stopped = 0
        self.over = threading.Event()
        self.error: ShaderlabError | None = None
        Run.made.append(self)

    def capture(self) -> Path:
        assert self.over.wait(20)
        if self.error is not None:
            raise self.error
        return self.folder / "frame.rdc"

    def take(self) -> None:
        self.taken += 1
        self.over.set()

    def stop(self) -> None:
        self.stopped += 1
        self.error = Abandoned("stopped")
        self.over.set()


@pytest.fixture
def runs(monkeypatch, tmp_path) -> list[Run]:
    Run.made = []
    monkeypatch.setattr(program_capture, "Run", Run)
    monkeypatch.setattr(program_capture.locations, "user_data", lambda: tmp_path)
    return Run.made


@pytest.fixture
def capture(qapp, runs):
    owner = QObject()
    made = ProgramCapture(Bridge(owner), owner)
    made.told = []
    made.captured.connect(made.told.append)
    made.failed.connect(made.told.append)
    made.changed.connect(lambda: made.told.append(made.running))
    yield made
    made.close()


def launch(command: str) -> SimpleNamespace:
    return SimpleNamespace(command=(command, "--fast"))


def test_a_frame_is_taken_and_told(capture, runs, qtbot, tmp_path):
    capture.take()
    capture.stop()
    assert capture.told == [], "nothing runs"
    capture.start(launch("/games/tunnel.x86"))
    capture.start(launch("/games/other"))
    (run,) = runs
    assert capture.running
    assert run.folder.parent == tmp_path / "captures"
    assert run.folder.name.startswith("tunnel-2")
    with qtbot.waitSignal(capture.captured):
        capture.take()
    assert capture.told == [True, False, run.folder / "frame.rdc"]
    assert (run.taken, run.stopped) == (1, 0)
    capture.start(launch("x" * 50))
    assert runs[1].folder.name.startswith("x" * 40 + "-")


def test_a_program_whose_name_says_nothing_has_one(capture, runs):
    capture.start(launch("/"))
    assert runs[0].folder.name.startswith("program-")


def test_one_that_is_stopped_is_no_failure(capture, runs, qtbot):
    capture.start(launch("game"))
    with qtbot.waitSignal(capture.changed):
        capture.stop()
    assert not capture.running
    assert capture.told == [True, False]


def test_what_fails_is_told(capture, runs, qtbot):
    capture.start(launch("game"))
    runs[0].error = error = WrongUse("no such program")
    with qtbot.waitSignal(capture.failed):
        runs[0].over.set()
    assert capture.told == [True, False, error]


def test_closing_stops_it(capture, runs):
    capture.start(launch("game"))
    capture.close()
    assert runs[0].stopped == 1
    with pytest.raises(RuntimeError):
        capture._pool.submit(int)
