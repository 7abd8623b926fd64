"""The rules that hold for every job: refusal, blame, abandonment, and who hears of an answer."""

from concurrent.futures import Future
from pathlib import Path

import pytest

from shaderlab import locations
from shaderlab.app.qt import QObject
from shaderlab.app.session.bridge import Bridge
from shaderlab.app.session.jobs import Job, JobRunner, Tools
from shaderlab.app.session.suspects import Suspects, Task
from shaderlab.app.session.workers import Crew
from shaderlab.errors import (
    Abandoned,
    DeviceLost,
    OutOfMemory,
    Quarantined,
    ShaderTimeout,
    StartFailed,
    UnsupportedShader,
)

from .fakes import FakeClock, FakeDevice, FakeWorkers, program

PLASMA, CLOUDS = program("plasma"), program("clouds")
HUNG = ShaderTimeout("took longer than its limit")


class Place:
    """A runner with one worker, and what those who ask it hear."""

    def __init__(self, quarantine: Suspects | None = None):
        self.owner = QObject()
        self.clock, self.worker = FakeClock(), FakeDevice()
        self.quarantine = quarantine or Suspects()
        self.bridge = Bridge(self.owner)
        tools = Tools(self.bridge, self.quarantine, self.clock, Crew(FakeWorkers()))
        self.runner = JobRunner(tools, self.owner)
        self.heard: list[object] = []
        self.freed = 0
        self.runner.freed.connect(self._on_freed)

    def _on_freed(self) -> None:
        self.freed += 1

    def run(self, job: Job, **how) -> None:
        self.runner.run(
            job,
            lambda: self.worker.trace(job.suspect),
            self.heard.append,
            self.heard.append,
            abandon=self.worker.abandon,
            **how,
        )


@pytest.fixture
def place(qapp):
    return Place()


def job(suspect=PLASMA, **more) -> Job:
    return Job(Task.TRACE, suspect, "llvmpipe", 0.6, suspect.digest, **more)


def test_of_several_requests_the_latest_is_what_the_place_is_on(place):
    place.run(job())
    place.run(Job(Task.PROFILE, CLOUDS))
    assert place.runner.task == "profile"


def test_an_answer_is_heard_once_and_frees_the_place(place):
    place.run(job())
    assert (place.runner.task, place.runner.busy) == ("trace", True)
    place.clock.move(0.25)
    assert place.runner.busy_s == 0.25
    place.worker.answer("counts")
    assert place.heard == ["counts"]
    assert (place.runner.task, place.runner.busy, place.runner.busy_s) == ("", False, 0.0)
    assert place.freed == 1


def test_whoever_hears_an_answer_may_ask_for_the_next_thing_at_once(place):
    order = []

    def done(_counts) -> None:
        order.append(("done", place.runner.busy))

    place.runner.freed.connect(lambda: order.append(("freed", place.runner.busy)))
    place.runner.run(job(), lambda: place.worker.trace(PLASMA), done, done)
    place.worker.answer("counts")
    assert order == [("done", False), ("freed", False)]


# -- refusal --------------------------------------------------------------------------------


def test_what_is_in_quarantine_is_refused_and_not_sent(place):
    place.quarantine.add(PLASMA, "trace", "llvmpipe", "plasma hung")
    place.run(job())
    (refusal,) = place.heard
    assert isinstance(refusal, Quarantined)
    assert str(refusal) == "plasma hung"
    assert "choose Play" in refusal.remedy
    assert place.worker.requests == []
    assert (place.freed, place.runner.busy) == (1, False)


@pytest.mark.parametrize(
    ("task", "where"), [(Task.RENDER, "llvmpipe"), (Task.TRACE, "rtx3060"), (Task.TRACE, "")]
)
def test_other_tasks_and_places_are_not_refused(place, task, where):
    place.quarantine.add(PLASMA, "trace", "llvmpipe", "plasma hung")
    place.run(Job(task, PLASMA, where))
    assert place.worker.on == "trace"


def test_a_refusal_says_what_is_not_done_again(place):
    place.quarantine.add(PLASMA, Task.HEAT, "", "plasma hung")
    place.run(Job(Task.HEAT, PLASMA))
    (error,) = place.heard
    assert str(error) == "not counted again automatically: plasma hung"
    assert error.remedy == "Change it, or choose Compile now."


def test_the_user_may_have_it_run_all_the_same(place):
    place.run(job())
    place.worker.fail(HUNG)
    place.runner.release(PLASMA)
    place.run(job())
    place.worker.answer("counts")
    assert place.heard == [HUNG, "counts"]


# -- blame ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "blamed"),
    [
        (HUNG, True),
        (OutOfMemory("grew"), True),
        (DeviceLost("ended by SIGSEGV"), True),
        (StartFailed("no driver"), False),
        (UnsupportedShader("no doubles"), False),
    ],
)
def test_a_program_is_remembered_for_ending_a_worker_and_only_for_that(place, error, blamed):
    place.run(job())
    place.worker.fail(error)
    assert place.heard == [error]
    expected = str(error) if blamed else ""
    assert place.quarantine.reason(PLASMA, "trace", "llvmpipe") == expected
    assert place.quarantine.reason(PLASMA, "render", "llvmpipe") == ""
    assert place.quarantine.reason(CLOUDS, "trace", "llvmpipe") == ""


def test_a_job_that_blames_nobody_is_heard_and_not_remembered(place):
    place.run(job(blamed=False))
    place.worker.fail(HUNG)
    assert place.heard == [HUNG]
    assert place.quarantine.reason(PLASMA, "trace", "llvmpipe") == ""


def test_an_excused_error_is_neither_heard_nor_remembered(place):
    place.run(job(), excuse=lambda error: None)
    place.worker.fail(HUNG)
    assert place.heard == []
    assert place.quarantine.reason(PLASMA, "trace", "llvmpipe") == ""
    assert place.freed == 1


def test_an_explained_error_is_remembered_as_explained(place):
    both = ShaderTimeout("took too long, and smaller as well")
    place.run(job(), excuse=lambda error: both)
    place.worker.fail(HUNG)
    assert place.heard == [both]
    assert place.quarantine.reason(PLASMA, "trace", "llvmpipe") == str(both)


def test_only_what_ends_workers_is_to_be_excused(place):
    place.run(job(), excuse=lambda error: None)
    refused = UnsupportedShader("no doubles")
    place.worker.fail(refused)
    assert place.heard == [refused]


# -- abandonment ----------------------------------------------------------------------------


def test_an_outdated_request_is_given_up_once_its_patience_is_over(place):
    place.runner.want(PLASMA.digest)
    place.run(job())
    place.clock.move(0.5)
    place.runner.want(CLOUDS.digest)
    place.clock.move(0.09)
    assert not place.worker.given_up
    place.clock.move(0.02)
    assert [request.of for request in place.worker.given_up] == [PLASMA]
    assert place.heard == []
    assert place.quarantine.reason(PLASMA, "trace", "llvmpipe") == ""
    assert (place.freed, place.runner.busy) == (1, False)


def test_one_that_took_long_already_is_given_up_at_once(place):
    place.runner.want(PLASMA.digest)
    place.run(job())
    place.clock.move(5.0)
    assert not place.worker.given_up, "it is wanted"
    place.runner.want(CLOUDS.digest)
    assert place.worker.given_up


def test_one_that_ends_within_the_patience_is_heard(place):
    place.runner.want(PLASMA.digest)
    place.run(job())
    place.runner.want(CLOUDS.digest)
    place.clock.move(0.5)
    place.worker.answer("counts")
    place.clock.move(5.0)
    assert place.heard == ["counts"]
    assert not place.worker.given_up


def test_one_that_is_wanted_again_goes_on(place):
    place.runner.want(PLASMA.digest)
    place.run(job())
    place.runner.want(CLOUDS.digest)
    place.clock.move(0.3)
    place.runner.want(PLASMA.digest)
    place.clock.move(5.0)
    assert not place.worker.given_up


def test_without_a_patience_nothing_is_given_up(place):
    place.run(Job(Task.PROFILE, PLASMA, blamed=False))
    place.runner.want(CLOUDS.digest)
    place.clock.move(1e6)
    assert not place.worker.given_up


def test_each_request_has_a_patience_of_its_own(place):
    place.runner.want(PLASMA.digest)
    place.run(job())
    place.clock.move(0.4)
    place.run(job())
    place.runner.want(CLOUDS.digest)
    place.clock.move(0.3)
    assert len(place.worker.given_up) == 1
    place.clock.move(0.4)
    assert len(place.worker.given_up) == 2
    assert not place.runner.busy


def test_a_request_cancelled_in_its_queue_frees_the_place(place):
    future: Future = Future()
    place.runner.run(job(), lambda: future, place.heard.append, place.heard.append)
    assert future.cancel()
    assert place.heard == []
    assert (place.freed, place.runner.busy) == (1, False)


# -- who hears of it ------------------------------------------------------------------------


def test_answers_for_a_document_that_was_left_are_dropped(place):
    place.run(job())
    place.runner.leave_document()
    assert place.runner.busy, "the worker is still on it"
    place.worker.answer("counts")
    assert place.heard == []
    assert (place.freed, place.runner.busy) == (1, False)
    place.run(job())
    place.worker.answer("new counts")
    assert place.heard == ["new counts"]


def test_a_program_is_to_blame_even_after_its_document_was_left(place):
    place.run(job())
    place.runner.leave_document()
    place.worker.fail(HUNG)
    assert place.heard == []
    assert place.quarantine.reason(PLASMA, "trace", "llvmpipe")


def test_what_a_replaced_worker_was_on_ends_unheard_and_blames_nobody(place):
    place.run(job())
    (former,) = place.worker.open
    place.runner.replace_worker()
    assert not place.runner.busy
    place.run(job(CLOUDS))
    former.fail(DeviceLost("shut down"))
    assert place.heard == []
    assert place.freed == 0
    assert place.quarantine.reason(PLASMA, "trace", "llvmpipe") == ""
    assert place.runner.busy, "the next request is its own"
    place.worker.answer("counts")
    assert place.heard == ["counts"]


# -- what is under way when all ends --------------------------------------------------------


def noted() -> list[Path]:
    return [*(locations.user_data() / "quarantine").glob("*.running")]


@pytest.mark.parametrize("end", ["answer", "fail", "replace", "close"])
def test_a_program_run_for_the_first_time_is_noted_on_disk_until_its_answer(place, end, qtbot):
    place.run(job(first=True))
    qtbot.wait_until(lambda: len(noted()) == 1)
    if end == "answer":
        place.worker.answer("counts")
    elif end == "fail":
        place.worker.fail(UnsupportedShader("no doubles"))
    elif end == "replace":
        place.runner.replace_worker()
    else:
        place.bridge.close()
    qtbot.wait_until(lambda: not noted())


def test_one_that_was_run_before_is_not_noted(place, qtbot):
    place.run(job())
    place.run(job(CLOUDS, first=True))
    qtbot.wait_until(lambda: len(noted()) > 0)
    assert len(noted()) == 1


# -- the bridge -----------------------------------------------------------------------------


def test_a_fault_of_ours_frees_the_place_and_is_reported(place, qtbot):
    place.run(job())
    with qtbot.capture_exceptions() as raised:
        place.worker.open[0].fail(KeyError("what"))
    assert [kind for kind, _, _ in raised] == [KeyError]
    (error,) = place.heard
    assert "KeyError" in str(error)
    assert not place.runner.busy


def test_answers_of_other_threads_arrive_in_this_one(place, qtbot):
    import threading

    request: Future = Future()
    threads = []
    place.runner.run(
        job(), lambda: request, lambda _: threads.append(threading.current_thread()), print
    )
    answering = threading.Thread(target=request.set_result, args=(1,))
    with qtbot.waitSignal(place.runner.freed):
        answering.start()
    answering.join()
    assert threads == [threading.current_thread()]


def test_a_closed_bridge_delivers_nothing(qapp):
    owner, heard = QObject(), []
    bridge, request = Bridge(owner), Future()
    bridge.watch(request, heard.append, heard.append)
    bridge.close()
    request.set_exception(Abandoned("too late"))
    assert heard == []
