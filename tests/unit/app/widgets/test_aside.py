"""Work in a thread, answered in the interface's."""

from __future__ import annotations

import threading

import pytest

from shaderlab.app.qt import QObject
from shaderlab.app.widgets.aside import Aside


@pytest.fixture
def owner(qapp):
    return QObject()


def test_the_answer_comes_in_the_interfaces_thread(owner, qtbot):
    aside, found = Aside(owner), []
    aside.run(
        lambda: threading.current_thread().name,
        lambda name: found.append((name, threading.current_thread())),
    )
    assert aside.busy
    qtbot.waitUntil(lambda: bool(found))
    assert found == [("work aside", threading.main_thread())]
    assert not aside.busy


def test_of_what_is_asked_for_meanwhile_only_the_newest_is_done(owner, qtbot):
    aside, gate, begun, found = Aside(owner), threading.Event(), [], []

    def work(number: int) -> int:
        begun.append(number)
        assert gate.wait(20)
        return number

    for number in (1, 2, 3):
        aside.run(lambda number=number: work(number), found.append)
    gate.set()
    qtbot.waitUntil(lambda: bool(found))
    assert found == [3]
    assert begun == [1, 3]


def test_what_nobody_wants_any_more_is_not_answered(owner, qtbot):
    aside, gate, found = Aside(owner), threading.Event(), []
    aside.run(lambda: gate.wait(20), found.append)
    aside.drop()
    gate.set()
    qtbot.waitUntil(lambda: not aside.busy)
    assert found == []


def test_a_thread_may_end_after_its_owner_is_deleted(qapp, qtbot):
    for _ in range(50):
        owner, gate, found = QObject(), threading.Event(), []
        aside = Aside(owner)
        aside.run(lambda gate=gate: gate.wait(20), found.append)
        gate.set()
        owner.deleteLater()
        del owner
        qtbot.waitUntil(lambda aside=aside: not aside.busy)
