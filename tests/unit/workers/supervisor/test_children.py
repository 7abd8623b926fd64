"""Which child is at work, when a spare is kept, and what is said of one that ended."""

from __future__ import annotations

import logging
import signal
from types import SimpleNamespace

import pytest

from shaderlab.workers.supervisor import children as module
from shaderlab.workers.supervisor.child import Server
from shaderlab.workers.supervisor.children import Children


class Child:
    """In the place of a `ChildProcess`."""

    def __init__(self, pid: int):
        self.pid = pid
        self.is_alive, self.goes = True, True
        self.ready_at: float | None = None
        self.stood_by = False
        self.code: int | None = None
        self.patience: list[float] = []

    def end(self, patience_s: float) -> bool:
        self.patience.append(patience_s)
        self.is_alive = False
        return self.goes

    def exit_code(self, patience_s: float) -> int | None:
        return self.code


class Bench:
    def __init__(self, monkeypatch: pytest.MonkeyPatch):
        self.now = 100.0
        self.made: list[Child] = []
        self.killed: list[int] = []
        self.room = True
        spawning = SimpleNamespace(spawn=self._spawn)
        monkeypatch.setattr(module, "ChildProcess", spawning)
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: self.now))
        monkeypatch.setattr(module, "process_tree", SimpleNamespace(kill=self.killed.append))

    def _spawn(self, server: Server) -> Child:
        self.now += 0.25  # spawning takes its time
        if not self.room:
            raise OSError("no room for another process")
        self.made.append(Child(len(self.made) + 1))
        return self.made[-1]

    def children(self, *, spare: bool = False) -> Children:
        return Children(Server("m:C"), "worker", spare=spare)

    def ready(self, children: Children) -> Children:
        """Its child came up long ago."""
        child = children.alive()
        child.ready_at = self.now
        self.now += 10.0
        return children


@pytest.fixture
def bench(monkeypatch):
    return Bench(monkeypatch)


def test_a_child_is_at_work_until_it_dies(bench):
    children = bench.children()
    first = children.alive()
    assert children.alive() is first
    assert children.pids == {1}
    first.is_alive = False
    second = children.alive()
    assert (second.pid, children.pids) == (2, {2})
    assert first.patience == [module._LAST_BREATH_S]
    assert children.replacements == 0, "nothing was lost"


def test_a_spare_is_added_some_time_after_the_first_sign_of_life(bench):
    children = bench.children(spare=True)
    child = children.alive()
    children.tend()
    assert len(bench.made) == 1
    child.ready_at = bench.now
    bench.now += module._SPARE_AFTER_S
    children.tend()
    assert len(bench.made) == 1, "the start has better things to do"
    bench.now += 0.1
    children.tend()
    children.tend()
    assert children.pids == {1, 2}
    assert not child.stood_by


def test_without_one_asked_for_there_is_no_spare(bench):
    children = bench.ready(bench.children())
    children.tend()
    assert children.pids == {1}


def test_the_spare_takes_the_place_of_a_lost_child_and_another_one_stands_by(bench):
    children = bench.ready(bench.children(spare=True))
    children.tend()
    children.renew()
    assert children.present.pid == 2
    assert children.present.stood_by
    assert children.pids == {2, 3}
    assert children.replacements == 1
    assert children.longest_replacement_s == 0.25, "the new spare's start"


def test_a_spare_that_ended_is_not_used_and_there_is_none_any_more(bench, caplog):
    children = bench.ready(bench.children(spare=True))
    children.tend()
    bench.made[1].is_alive = False
    with caplog.at_level(logging.WARNING):
        children.tend()
    assert "the spare worker ended" in caplog.text
    children.tend()
    assert children.pids == {1}
    assert bench.made[1].patience == [0.0]


def test_a_dead_spare_nobody_noticed_is_replaced_by_a_new_child(bench):
    children = bench.ready(bench.children(spare=True))
    children.tend()
    bench.made[1].is_alive = False
    children.renew()
    assert children.present.pid == 3
    assert not children.present.stood_by


def test_where_there_is_no_room_for_a_spare_there_is_none_yet(bench):
    children = bench.ready(bench.children(spare=True))
    bench.room = False
    children.tend()
    assert children.pids == {1}
    bench.room = True
    children.tend()
    assert children.pids == {1, 2}


def test_a_spare_that_is_dropped_comes_back_later(bench):
    children = bench.ready(bench.children(spare=True))
    children.tend()
    children.drop_spare()
    assert children.pids == {1}
    children.tend()
    assert children.pids == {1, 3}


@pytest.mark.parametrize("ready", [True, False])
def test_a_child_that_was_well_and_died_is_replaced(bench, ready):
    children = bench.children()
    child = children.alive()
    child.ready_at = bench.now if ready else None
    children.replace_if_dead()
    assert children.present is child
    child.is_alive = False
    children.replace_if_dead()
    assert (children.present is not child) is ready
    assert children.replacements == int(ready)


def test_the_longest_replacement_is_kept(bench):
    children = bench.children()
    children.renew()
    children.longest_replacement_s = 3.0
    children.renew()
    assert (children.longest_replacement_s, children.replacements) == (3.0, 2)


def test_one_that_cannot_be_started_is_tried_again_with_the_next_request(bench, caplog):
    children = bench.children()
    bench.room = False
    with caplog.at_level(logging.WARNING):
        children.renew()
    assert "the worker cannot be started: no room" in caplog.text
    assert children.epitaph() == "the worker cannot be started"
    with pytest.raises(OSError, match="no room"):
        children.alive()
    bench.room = True
    assert children.alive().pid == 1


def test_what_does_not_go_at_once_is_looked_after_until_it_is_gone(bench):
    children = bench.children()
    hanging = children.alive()
    hanging.goes = False
    children.renew()
    children.tend()
    assert hanging.patience == [module._LAST_BREATH_S, 0.0]
    hanging.goes = True
    children.tend()
    children.tend()
    assert len(hanging.patience) == 3


def test_closing_kills_the_child_at_work_and_nothing_takes_its_place(bench):
    children = bench.ready(bench.children(spare=True))
    children.close()
    assert bench.killed == [1]
    assert children.epitaph() == "the worker was shut down"
    bench.made[0].is_alive = False
    children.replace_if_dead()
    children.tend()
    assert children.alive() is None
    assert len(bench.made) == 1
    children.close()
    assert bench.killed == [1], "there is none at work"


def test_the_end_takes_all_of_them(bench):
    children = bench.ready(bench.children(spare=True))
    children.tend()
    bench.made[0].goes = False
    children.end()
    assert [child.is_alive for child in bench.made] == [False, False]
    assert bench.made[0].patience == [module._LAST_BREATH_S, module._LAST_WAIT_S]
    assert bench.made[1].patience == [module._LAST_WAIT_S]
    assert children.pids == set()


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (-signal.SIGSEGV, "the worker crashed (SIGSEGV)"),
        (
            -signal.SIGBUS,
            "the worker crashed (SIGBUS): shared memory (/dev/shm) or the disk is probably full",
        ),
        (-250, "the worker crashed (signal 250)"),
        (0, "the worker ended unexpectedly (exit code 0)"),
        (3, "the worker ended unexpectedly (exit code 3)"),
        (None, "the worker ended unexpectedly"),
    ],
)
def test_what_a_child_died_of_is_said(bench, code, said):
    children = bench.children()
    children.alive().code = code
    assert children.epitaph() == said
    assert ("df -h" in children.remedy) == (code == -signal.SIGBUS)
    assert children.has_crashed == (code is not None and code < 0)


def test_a_child_that_somebody_killed_has_not_crashed(bench):
    children = bench.children()
    children.alive().code = -signal.SIGKILL
    assert not children.has_crashed
