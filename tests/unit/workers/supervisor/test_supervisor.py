"""What a request comes to, and what becomes of the child: by scripted children, on a clock of ours.

Real children that hang, crash and grow are in `tests/integration/workers/supervisor`.
"""

from __future__ import annotations

import logging
import pickle
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from types import SimpleNamespace

import pytest

from shaderlab.errors import (
    Abandoned,
    DeviceLost,
    DeviceStuck,
    InvalidModule,
    OutOfMemory,
    ShaderTimeout,
    StartFailed,
    StuckDuring,
    UnsupportedShader,
)
from shaderlab.system import processors
from shaderlab.workers.supervisor import children as children_module
from shaderlab.workers.supervisor import supervisor as module
from shaderlab.workers.supervisor.child import Begun, Reply, Request, Server
from shaderlab.workers.supervisor.supervisor import Supervisor

LIMIT = 20.0
MIB = 1 << 20


def fine(_: Child, request: Request) -> list[object]:
    return [Begun(), Reply(request.method, None)]


def failing(error: Exception) -> Callable[[Child, Request], list[object]]:
    return lambda _child, _request: [Begun(), Reply(None, error)]


def dying(*said: object) -> Callable[[Child, Request], list[object]]:
    """After it has said this."""

    def die(child: Child, _: Request) -> list[object]:
        child.is_alive = False
        return [*said, EOFError()]

    return die


def silent(_child: Child, _request: Request) -> list[object]:
    return [Begun()]


class Child:
    """In the place of a `ChildProcess`, and its pipe.  Waiting for it takes time on our clock."""

    def __init__(self, bench: Bench, pid: int, start: list[object]):
        self.bench, self.pid, self.pipe = bench, pid, self
        self.says = list(start)
        self.is_alive = True
        self.ready_at: float | None = None
        self.stood_by = self.answered = self.ended = False
        self.code: int | None = None
        self.waits: list[float] = []

    def send_bytes(self, sent: memoryview) -> None:
        request = pickle.loads(sent)
        self.bench.asked.append((self.pid, request.method))
        if not self.is_alive:
            raise BrokenPipeError
        self.says += self.bench.answers.pop(0)(self, request) if self.bench.answers else []

    def poll(self, seconds: float) -> bool:
        if not self.says:
            self.waits.append(seconds)
            self.bench.now += seconds
            self.bench.waited()
        return bool(self.says)

    def recv(self) -> object:
        message = self.says.pop(0)
        if isinstance(message, Exception):
            raise message
        return message

    def end(self, _patience_s: float) -> bool:
        self.is_alive, self.ended = False, True
        return True

    def exit_code(self, _patience_s: float) -> int | None:
        return self.code

    def lost_its_server(self, _patience_s: float) -> bool:
        return False


class Bench:
    def __init__(self, monkeypatch: pytest.MonkeyPatch):
        self.now = 100.0
        self.made: list[Child] = []
        self.asked: list[tuple[int, str]] = []
        self.answers: list[Callable[[Child, Request], list[object]]] = []
        """To the next requests; none is an answer too."""
        self.starts: list[list[object]] = []
        """What the next children say at first; then all come up well."""
        self.killed: list[int] = []
        self.held = 10 * MIB
        self.room = True
        self.waited: Callable[[], None] = lambda: None
        clock = SimpleNamespace(monotonic=lambda: self.now)
        self.kept_waiting: dict[int, float] = {}
        """Seconds each thread of the children has waited for a processor."""
        self.ran: dict[int, float] = {}
        """Seconds each of them has run."""
        tree = SimpleNamespace(
            kill=self._kill,
            resident_bytes=lambda _pid: self.held,
            descendants=lambda pid: (10 * pid,),
        )
        monkeypatch.setattr(processors, "thread_times", self._thread_times)
        monkeypatch.setattr(processors, "usable", lambda: 2)
        for each in (module, children_module):
            monkeypatch.setattr(each, "time", clock)
            monkeypatch.setattr(each, "process_tree", tree)
        monkeypatch.setattr(module, "_IDLE_WATCH_S", 0.01)
        monkeypatch.setattr(
            children_module, "ChildProcess", SimpleNamespace(spawn=lambda _: self._spawn())
        )
        self._open: list[Supervisor] = []

    def _thread_times(self, pids) -> dict[int, processors.Times]:
        return {
            thread: processors.Times(self.ran.get(thread, 0.0), waited)
            for thread, waited in self.kept_waiting.items()
            if 10 in pids
        }

    def _spawn(self) -> Child:
        if not self.room:
            raise OSError("no room for another process")
        start = self.starts.pop(0) if self.starts else [Reply(None, None)]
        self.made.append(Child(self, len(self.made) + 1, start))
        return self.made[-1]

    def _kill(self, pid: int) -> None:
        self.killed.append(pid)
        self.made[pid - 1].is_alive = False
        self.made[pid - 1].says.append(EOFError())

    def supervisor(self, **options) -> Supervisor:
        made = Supervisor(Server("m:C"), name="worker", **{"start_deadline_s": 3.0} | options)
        self._open.append(made)
        return made

    def close(self) -> None:
        for each in self._open:
            each.close()
            thread = each._thread
            assert thread is None or not thread.is_alive(), "closing waits for the thread"


@pytest.fixture
def bench(monkeypatch) -> Iterator[Bench]:
    made = Bench(monkeypatch)
    yield made
    made.close()


def ask(supervisor: Supervisor, method: str = "greet", **how) -> Future:
    how = {"deadline_s": 2.0, "doing": f"asking to {method}"} | how
    return supervisor.submit(Request(method, (), {}), **how)


def answered(bench: Bench, supervisor: Supervisor, *answers, **how):
    """What one more request comes to."""
    bench.answers += answers
    return ask(supervisor, **how).result(LIMIT)


def refused(bench: Bench, supervisor: Supervisor, kind: type, *answers, **how):
    bench.answers += answers
    error = ask(supervisor, **{"remedy": "Ask less."} | how).exception(LIMIT)
    assert type(error) is kind
    return error


def test_nothing_is_started_before_it_is_needed_and_then_once(bench):
    supervisor = bench.supervisor()
    assert (supervisor.pid, supervisor.pids, bench.made) == (None, set(), [])
    assert answered(bench, supervisor, fine) == "greet"
    assert answered(bench, supervisor, fine) == "greet"
    supervisor.start()
    assert (supervisor.pid, supervisor.pids) == (1, {1})
    assert bench.asked == [(1, "greet"), (1, "greet")]
    assert (supervisor.replacements, supervisor.longest_replacement_s) == (0, 0.0)
    assert bench.made[0].answered
    assert bench.made[0].ready_at == 100.0


def test_it_can_be_started_before_anyone_asks(bench):
    supervisor = bench.supervisor()
    supervisor.start()
    assert answered(bench, supervisor, fine) == "greet"
    assert len(bench.made) == 1
    assert supervisor._thread is not None
    assert supervisor._thread.daemon, "it keeps no program from its end"
    assert supervisor._thread.name == "worker"


def test_one_that_is_closed_starts_nothing(bench):
    supervisor = bench.supervisor()
    supervisor.close()
    supervisor.start()
    assert supervisor._thread is None
    error = refused(bench, supervisor, DeviceLost)
    assert str(error) == "asking to greet: the worker is shut down"


def test_a_request_that_takes_too_long_costs_the_child(bench, caplog):
    supervisor = bench.supervisor()
    with caplog.at_level(logging.WARNING):
        error = refused(bench, supervisor, ShaderTimeout, silent)
    assert str(error).startswith(
        "asking to greet took longer than its limit of 2 s and was stopped"
    )
    assert error.remedy == "Ask less."
    assert error.__traceback__ is None, "it would hold the job, which holds it"
    assert "starting a new worker" in caplog.text
    assert 102.0 <= bench.now <= 102.0 + module._WATCH_S
    assert max(bench.made[0].waits) == module._WATCH_S, "its memory is looked at meanwhile"
    assert bench.made[0].ended
    assert supervisor.replacements == 1
    assert answered(bench, supervisor, fine) == "greet"
    assert supervisor.pid == 2


def test_the_last_wait_is_no_longer_than_what_is_left(bench):
    refused(bench, bench.supervisor(), ShaderTimeout, silent, deadline_s=module._WATCH_S / 4)
    assert bench.made[0].waits == [pytest.approx(module._WATCH_S / 4)]


def test_a_deadline_may_leave_out_the_time_in_which_others_had_the_processors(bench):
    bench.kept_waiting = {1: 500.0, 2: 0.0}

    def crowd() -> None:  # three quarters of its time one thread waits; the other sleeps
        bench.kept_waiting = {1: 500.0 + 0.75 * (bench.now - 100.0), 2: 0.0, 3: 0.1}

    bench.waited = crowd
    refused(bench, bench.supervisor(patient=True), ShaderTimeout, silent, deadline_s=2.0)
    assert bench.now == pytest.approx(100.0 + 2.0 / 0.25, abs=2 * module._WATCH_S)


def test_a_child_whose_other_threads_did_the_work_gets_no_more_time(bench):
    bench.kept_waiting, bench.ran = {1: 0.0, 2: 0.0}, {1: 7.0, 2: 70.0}

    def starve_one() -> None:  # one thread hardly runs, the other always: 4 s are two processors'
        bench.kept_waiting[1] = 0.9 * (bench.now - 100.0)
        bench.ran = {1: 7.0 + 0.1 * (bench.now - 100.0), 2: 70.0 + (bench.now - 100.0)}

    bench.waited = starve_one
    refused(bench, bench.supervisor(patient=True), ShaderTimeout, silent, deadline_s=2.0)
    assert bench.now == pytest.approx(100.0 + 4.0 / 1.1, abs=2 * module._WATCH_S)


def test_a_child_that_waits_for_no_processor_has_its_deadline_alone(bench):
    bench.kept_waiting = {1: 500.0}
    refused(bench, bench.supervisor(patient=True), ShaderTimeout, silent, deadline_s=2.0)
    assert bench.now == pytest.approx(102.0, abs=2 * module._WATCH_S)


def test_a_deadline_that_somebody_waits_for_is_of_the_clock(bench):
    bench.waited = lambda: bench.kept_waiting.update({1: bench.now})
    refused(bench, bench.supervisor(), ShaderTimeout, silent, deadline_s=2.0)
    assert bench.now == pytest.approx(102.0, abs=2 * module._WATCH_S)


def test_what_begins_late_has_its_whole_time_from_then(bench):
    def late() -> None:
        child = bench.made[0]
        if bench.now > 101.4 and not bench.asked[1:] and not begun:
            begun.append(bench.now)
            child.says.append(Begun())
        if begun and bench.now > begun[0] + 1.8 and not child.says:
            child.says.append(Reply("at last", None))

    begun: list[float] = []
    bench.waited = late
    assert answered(bench, bench.supervisor(), lambda *_: []) == "at last"


@pytest.mark.parametrize(("held", "kept"), [(300, True), (301, False)])
def test_a_child_may_hold_its_limit_and_no_more(bench, held, kept):
    supervisor = bench.supervisor(memory_bytes=300 * MIB)
    bench.held = held * MIB
    if kept:
        refused(bench, supervisor, ShaderTimeout, silent)
        return
    error = refused(bench, supervisor, OutOfMemory, silent)
    assert str(error).startswith(
        "asking to greet took 301 MiB of memory, over its limit of 300 MiB, and was stopped"
    )
    assert error.remedy == "Ask less."
    assert supervisor.replacements == 1


def test_without_a_limit_a_child_may_hold_anything(bench):
    bench.held = 1 << 50
    supervisor = bench.supervisor()
    assert answered(bench, supervisor, fine) == "greet"
    refused(bench, supervisor, ShaderTimeout, silent)
    assert supervisor.replacements == 1


def test_a_child_that_keeps_too_much_after_its_answer_is_replaced(bench):
    supervisor = bench.supervisor(memory_bytes=300 * MIB)
    bench.held = 301 * MIB
    assert answered(bench, supervisor, fine) == "greet"
    assert answered(bench, supervisor, fine) == "greet"
    assert bench.made[0].ended
    assert bench.asked == [(1, "greet"), (2, "greet")]


def test_one_that_failed_and_keeps_much_is_weighed_with_its_next_answer(bench):
    supervisor = bench.supervisor(memory_bytes=300 * MIB)
    bench.held = 301 * MIB
    refused(bench, supervisor, InvalidModule, failing(InvalidModule("no module")))
    refused(bench, supervisor, InvalidModule, failing(InvalidModule("no module")))
    assert bench.asked == [(1, "greet"), (1, "greet")]


@pytest.mark.parametrize(
    ("code", "remedy"), [(-6, "Undo it."), (-9, "Ask less."), (3, "Ask less.")]
)
def test_less_of_it_is_no_advice_after_a_crash(bench, code, remedy):
    def crash(child: Child, request: Request) -> list[object]:
        found = dying(Begun())(child, request)
        child.code = code
        return found

    error = refused(bench, bench.supervisor(crash_remedy="Undo it."), DeviceLost, crash)
    assert error.remedy == remedy


@pytest.mark.parametrize("said", [[Begun()], [Begun(), OSError("the pipe broke")]])
def test_a_child_that_dies_over_a_request_is_named_and_replaced(bench, said):
    supervisor = bench.supervisor()
    bench.starts = [[Reply(None, None)]]
    error = refused(bench, supervisor, DeviceLost, dying(*said))
    assert str(error).startswith("asking to greet: the worker ended unexpectedly")
    assert error.remedy == "Ask less."
    assert supervisor.replacements == 1
    assert bench.asked == [(1, "greet")], "the request is to blame and is not tried again"


def test_a_child_that_dies_before_it_begins_is_not_the_requests_fault(bench):
    supervisor = bench.supervisor()
    assert answered(bench, supervisor, dying(), fine) == "greet"
    assert bench.asked == [(1, "greet"), (2, "greet")]
    assert supervisor.replacements == 1


def test_the_second_that_dies_before_it_begins_is(bench):
    supervisor = bench.supervisor()
    error = refused(bench, supervisor, DeviceLost, dying(), dying())
    assert "ended unexpectedly" in str(error)
    assert bench.asked == [(1, "greet"), (2, "greet")]
    assert supervisor.replacements == 2


def test_a_dead_child_is_followed_by_another_before_the_next_request(bench):
    supervisor = bench.supervisor()
    answered(bench, supervisor, fine)
    bench.made[0].is_alive = False
    assert answered(bench, supervisor, fine) == "greet"
    assert bench.asked[-1] == (2, "greet")


def test_an_idle_child_that_dies_is_replaced_and_the_next_request_finds_it(bench):
    supervisor = bench.supervisor()
    answered(bench, supervisor, fine)
    bench.made[0].is_alive = False
    until(lambda: len(bench.made) == 2)
    assert supervisor.replacements == 1


def until(condition: Callable[[], bool]) -> None:
    moment = threading.Event()
    for _ in range(2000):
        if condition():
            return
        moment.wait(0.01)
    raise AssertionError("it does not come")


def test_a_child_is_ended_after_its_idle_time_and_not_before(bench):
    supervisor = bench.supervisor(idle_s=50.0)
    answered(bench, supervisor, fine)
    looked = looks(supervisor)
    bench.now += 50.0
    looked.clear()
    until(lambda: len(looked) > 3)
    assert supervisor.pid == 1
    bench.now += 0.1
    until(lambda: supervisor.pid is None)
    assert bench.made[0].ended
    assert answered(bench, supervisor, fine) == "greet"
    assert supervisor.pid == 2
    assert supervisor.replacements == 0, "nothing was lost"


def looks(supervisor: Supervisor) -> list[int]:
    """Grows whenever an idle child is looked at."""
    seen: list[int] = []
    replace = supervisor._children.replace_if_dead

    def noted() -> None:
        seen.append(1)
        replace()

    supervisor._children.replace_if_dead = noted
    return seen


def test_without_an_idle_time_a_child_stays(bench):
    supervisor = bench.supervisor()
    answered(bench, supervisor, fine)
    looked = looks(supervisor)
    bench.now += 1e6
    until(lambda: len(looked) > 3)
    assert supervisor.pid == 1


def test_what_fails_in_the_child_keeps_it(bench):
    supervisor = bench.supervisor()
    error = refused(bench, supervisor, InvalidModule, failing(InvalidModule("no module")))
    assert error.remedy == "", "less of it would not help"
    assert answered(bench, supervisor, fine) == "greet"
    assert bench.made[0].answered
    assert (len(bench.made), supervisor.replacements) == (1, 0)


@pytest.mark.parametrize("kind", [ShaderTimeout, OutOfMemory])
@pytest.mark.parametrize(("own", "said"), [("", "Ask less."), ("Wait.", "Wait.")])
def test_a_limit_found_by_the_child_says_what_to_do(bench, kind, own, said):
    failure = failing(kind("too much").with_remedy(own))
    assert refused(bench, bench.supervisor(), kind, failure).remedy == said


def test_a_lost_device_costs_the_child_and_the_request_is_to_blame(bench):
    supervisor = bench.supervisor()
    refused(bench, supervisor, DeviceLost, failing(DeviceLost("the device was lost")))
    assert bench.asked == [(1, "greet")]
    assert supervisor.replacements == 1
    assert not bench.made[0].answered


def with_spare(bench: Bench) -> Supervisor:
    supervisor = bench.supervisor(spare=True)
    answered(bench, supervisor, fine)
    bench.now += children_module._SPARE_AFTER_S + 1
    until(lambda: supervisor.pids == {1, 2})
    return supervisor


def test_a_spare_that_lost_its_device_with_the_child_before_it_is_replaced_unblamed(bench):
    supervisor = with_spare(bench)
    refused(bench, supervisor, ShaderTimeout, silent)
    assert supervisor.pids == {2, 3}
    bench.answers += [failing(DeviceLost("the device was lost")), fine]
    assert ask(supervisor).result(LIMIT) == "greet"
    assert bench.made[1].ended
    assert bench.made[2].ended, "the spare was on the same device"
    assert bench.asked[-2:] == [(2, "greet"), (4, "greet")]


def test_a_spare_that_has_answered_is_to_blame_like_any_child(bench):
    supervisor = with_spare(bench)
    refused(bench, supervisor, ShaderTimeout, silent)
    assert answered(bench, supervisor, fine) == "greet"
    refused(bench, supervisor, DeviceLost, failing(DeviceLost("the device was lost")))
    assert [pid for pid, _ in bench.asked] == [1, 1, 2, 2]


def test_a_request_that_cannot_be_sent_fails_alone(bench):
    supervisor = bench.supervisor()
    request = Request("greet", (threading.Lock(),), {})
    failed = supervisor.submit(request, deadline_s=1.0, doing="asking").exception(LIMIT)
    assert type(failed) is DeviceLost
    assert str(failed).startswith("asking: cannot pickle")
    assert bench.made[0].ended, "nobody knows what it was sent"
    assert answered(bench, supervisor, fine) == "greet"


# -- starting


@pytest.mark.parametrize(
    ("start", "kind", "said"),
    [
        ([EOFError()], StartFailed, "asking to greet: while starting, the worker ended unexpect"),
        (
            [OSError()],
            StartFailed,
            "asking to greet: while starting, the worker ended unexpectedly",
        ),
        ([], StartFailed, "asking to greet: the worker did not start within 3 s"),
        ([Reply(None, UnsupportedShader("no device"))], UnsupportedShader, "no device"),
    ],
)
def test_a_child_that_does_not_come_up_answers_its_request_and_is_ended(bench, start, kind, said):
    bench.starts = [start]
    supervisor = bench.supervisor()
    error = refused(bench, supervisor, kind)
    assert str(error).startswith(said)
    assert bench.made[0].ended
    assert supervisor.pid is None
    assert bench.asked == []
    assert answered(bench, supervisor, fine) == "greet"
    assert supervisor.pid == 2


def test_a_child_too_large_before_it_is_up_is_named(bench):
    bench.starts = [[]]
    bench.held = 301 * MIB
    supervisor = bench.supervisor(memory_bytes=300 * MIB)
    error = refused(bench, supervisor, StartFailed)
    assert "the worker took 301 MiB of memory while starting, over its limit of 300" in str(error)
    assert bench.made[0].ended


def test_where_there_is_no_room_for_a_child_the_request_says_so(bench):
    bench.room = False
    supervisor = bench.supervisor()
    error = refused(bench, supervisor, StartFailed)
    assert str(error) == "asking to greet: the worker cannot be started"
    assert error.remedy == "", "less of it would not help"
    bench.room = True
    assert answered(bench, supervisor, fine) == "greet"


def test_where_no_child_is_started_any_more_the_request_says_so(bench, monkeypatch):
    supervisor = bench.supervisor()
    monkeypatch.setattr(supervisor._children, "alive", lambda: None)  # closed in between
    error = refused(bench, supervisor, StartFailed)
    assert str(error).startswith("asking to greet: while starting, the worker ")


# -- giving up and closing


def test_a_request_under_way_can_be_given_up_and_no_other(bench):
    supervisor = bench.supervisor()
    outcomes: list[bool] = []

    def give_up() -> None:
        if not outcomes:
            outcomes.append(supervisor.abandon(Future()))
            outcomes.append(supervisor.abandon(first))

    bench.answers.append(silent)
    bench.starts = [[]]

    def first_sign() -> None:  # the request is known before it is sent
        bench.waited = give_up
        bench.made[0].says.append(Reply(None, None))

    hold = threading.Event()
    bench.waited = lambda: hold.wait(LIMIT) and first_sign()
    first = ask(supervisor, remedy="Ask less.")
    hold.set()
    error = first.exception(LIMIT)
    assert type(error) is Abandoned
    assert str(error) == "asking to greet was stopped for a newer request"
    assert outcomes == [False, True]
    assert bench.killed == [1]
    assert supervisor.replacements == 1
    assert not supervisor.abandon(first), "it is over"
    error = refused(bench, supervisor, DeviceLost, dying(Begun()))
    assert "ended unexpectedly" in str(error), "that one was not given up"


def test_a_child_given_up_before_it_began_is_not_tried_again(bench):
    supervisor = bench.supervisor()
    given_up: list[bool] = []

    def give_up() -> None:
        given_up.append(supervisor.abandon(supervisor._running.future))

    bench.waited = give_up
    refused(bench, supervisor, Abandoned, lambda *_: [])
    assert given_up[0]
    assert bench.asked == [(1, "greet")]


def test_closing_ends_the_child_and_fails_what_runs_and_what_waits(bench, caplog):
    supervisor = bench.supervisor()
    waiting: list[Future] = []

    def close() -> None:
        if not waiting:
            waiting.append(ask(supervisor, "wait"))
            supervisor.close()  # by the thread itself, which does not wait for itself
            supervisor.close()

    bench.waited = close
    with caplog.at_level(logging.WARNING):
        error = refused(bench, supervisor, DeviceLost, silent)
    assert str(error) == "asking to greet: the worker was shut down"
    assert error.remedy == "", "there is nothing to do about it"
    assert caplog.text == "", "nothing new is started"
    assert str(waiting[0].exception(LIMIT)) == "asking to wait: the worker is shut down"
    assert bench.killed == [1]
    supervisor._thread.join(LIMIT)
    assert bench.made[0].ended
    assert len(bench.made) == 1


def test_closing_before_it_began_is_no_reason_to_ask_another_child(bench):
    supervisor = bench.supervisor()
    bench.waited = supervisor.close
    error = refused(bench, supervisor, DeviceLost, lambda *_: [])
    assert str(error) == "asking to greet: the worker was shut down"
    assert bench.asked == [(1, "greet")]
    assert supervisor._thread is not None
    supervisor._thread.join(LIMIT)  # it closed itself, so no call of close waited for it


def test_what_is_cancelled_while_it_waits_is_not_asked(bench):
    supervisor = bench.supervisor()
    cancelled: list[bool] = []

    def cancel() -> None:
        if not cancelled:
            cancelled.append(ask(supervisor, "wait").cancel())
            bench.made[0].says.append(Reply("done", None))

    bench.waited = cancel
    assert answered(bench, supervisor, silent) == "done"
    assert cancelled == [True]
    bench.waited = lambda: None
    assert answered(bench, supervisor, fine) == "greet"
    assert [method for _, method in bench.asked] == ["greet", "greet"]


def test_closing_without_waiting_comes_back_while_the_child_works(bench):
    supervisor = bench.supervisor()
    hold, waiting = threading.Event(), threading.Event()

    def stay() -> None:
        waiting.set()
        hold.wait(LIMIT)

    bench.waited = stay
    bench.answers.append(silent)
    busy = ask(supervisor)
    assert waiting.wait(LIMIT)
    supervisor.close(wait=False)
    assert not busy.done()
    assert supervisor._thread.is_alive()
    hold.set()
    assert type(busy.exception(LIMIT)) is DeviceLost
    supervisor._thread.join(LIMIT)
    assert bench.made[0].ended


# -- a device that answers nothing ----------------------------------------------------------


class Device:
    """Stuck, or found to be so by a trial, as a test has it."""

    def __init__(self, *, stuck: bool = False, trial: bool | None = True):
        """`trial`: whether it answers one; None for one that takes for ever."""
        self.stuck, self.trial = stuck, trial
        self.in_flight: list[str] = []
        self.ended: list[bool] = []
        self.trials = 0
        self.tried = threading.Event()

    def require(self) -> None:
        if self.stuck:
            raise DeviceStuck("stuck")

    def begin(self, future: Future, doing: str) -> None:
        self.in_flight.append(doing)

    def end(self, future: Future, *, answered: bool) -> None:
        self.ended.append(answered)

    def stuck_during(self, doing: str) -> StuckDuring | None:
        return StuckDuring(f"stuck during {doing}") if self.stuck else None

    def try_it(self) -> Future[bool]:
        self.trials += 1
        future: Future[bool] = Future()
        if self.trial is not None:
            self.stuck = not self.trial
            future.set_result(self.trial)
        self.tried.set()
        return future


def test_a_request_that_hung_with_its_device_is_not_to_blame_and_nothing_is_sent_after_it(bench):
    device = Device(trial=False)
    supervisor = bench.supervisor(device=device)
    assert answered(bench, supervisor, fine) == "greet"
    error = refused(bench, supervisor, StuckDuring, silent)
    assert str(error) == "stuck during asking to greet"
    assert bench.made[0].ended
    refused(bench, supervisor, DeviceStuck)
    assert len(bench.made) == 1, "another child would hang as well"
    assert (device.trials, len(bench.asked)) == (1, 2)
    assert device.in_flight == ["asking to greet"] * 2
    device.stuck = False
    assert answered(bench, supervisor, fine) == "greet"
    assert supervisor.pid == 2


def test_where_the_device_answers_the_request_is_to_blame(bench):
    device = Device()
    supervisor = bench.supervisor(device=device)
    refused(bench, supervisor, ShaderTimeout, silent)
    refused(bench, supervisor, DeviceLost, dying(Begun()))
    refused(bench, supervisor, DeviceLost, failing(DeviceLost("lost")))
    assert answered(bench, supervisor, fine) == "greet"
    assert (device.trials, device.ended) == (3, [True] * 4)


@pytest.mark.parametrize("how", ["died", "reported"])
def test_a_device_may_be_lost_with_the_child_or_by_its_word(bench, how):
    supervisor = bench.supervisor(device=Device(trial=False))
    refused(
        bench,
        supervisor,
        StuckDuring,
        dying(Begun()) if how == "died" else failing(DeviceLost("lost")),
    )


def test_a_device_may_hang_while_it_is_opened(bench):
    bench.starts = [[]]
    supervisor = bench.supervisor(device=Device(trial=False))
    refused(bench, supervisor, StuckDuring)


def test_who_waits_for_a_device_that_others_find_stuck_waits_no_longer(bench):
    device = Device()
    supervisor = bench.supervisor(device=device)
    bench.waited = lambda: setattr(device, "stuck", True)
    refused(bench, supervisor, StuckDuring, silent, deadline_s=1000.0)
    assert bench.now < 110.0
    assert device.trials == 0


def test_what_the_device_has_no_part_in_goes_on_while_it_is_stuck(bench):
    device = Device(stuck=True)
    supervisor = bench.supervisor(device=device)
    assert answered(bench, supervisor, fine, on_device=False) == "greet"
    refused(bench, supervisor, ShaderTimeout, silent, on_device=False)
    assert (device.trials, device.in_flight) == (0, [])


def test_a_trial_is_not_waited_for_by_who_closes(bench):
    device = Device(trial=None)
    supervisor = bench.supervisor(device=device)
    bench.answers.append(silent)
    future = ask(supervisor)
    assert device.tried.wait(LIMIT)
    supervisor.close()
    assert isinstance(future.exception(LIMIT), ShaderTimeout)
