"""One study at a time, in a thread."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import pytest

from shaderlab.app.panels.studies.study_run import StudyRun
from shaderlab.app.qt import QObject
from shaderlab.app.session.bridge import Bridge
from shaderlab.errors import InternalError, WrongUse


@pytest.fixture
def run(qapp):
    parent = QObject()
    yield StudyRun(SimpleNamespace(bridge=Bridge(parent)), parent)  # pyright: ignore[reportArgumentType]
    parent.deleteLater()


def test_the_answer_arrives_in_the_interface_s_thread(run, qtbot):
    found, said = [], []
    run.advanced.connect(said.append)

    def study(report, stopped):
        report("half")
        return threading.current_thread().name, stopped()

    run.start(
        study, lambda answer: found.append((answer, threading.current_thread())), found.append
    )
    assert run.running
    qtbot.waitUntil(lambda: bool(found))
    (((name, stopped), thread),) = found
    assert (name, stopped) == ("study", False)
    assert thread is threading.main_thread()
    assert said == ["half"]
    assert not run.running


@pytest.mark.parametrize(
    ("raised", "kind"), [(WrongUse("no"), WrongUse), (ZeroDivisionError("0"), InternalError)]
)
def test_what_it_raises_is_handed_over(run, qtbot, raised, kind):
    failed = []

    def study(report, stopped):
        raise raised

    run.start(study, failed.append, failed.append)
    qtbot.waitUntil(lambda: bool(failed))
    assert type(failed[0]) is kind
    assert not run.running


def test_a_study_is_asked_to_stop(run, qtbot):
    found = []
    ready = threading.Event()

    def study(report, stopped):
        ready.wait(10)
        return stopped()

    run.start(study, found.append, found.append)
    run.stop()
    assert run.stopping
    ready.set()
    qtbot.waitUntil(lambda: bool(found))
    assert found == [True]


def test_a_study_is_stopped_when_the_session_closes(run, qtbot):
    stopped = threading.Event()

    def study(_report, asked):
        while not asked():
            threading.Event().wait(0.01)
        stopped.set()

    run.start(study, lambda _: None, lambda _: None)
    run._session.bridge.close()
    assert stopped.wait(20)
