"""Whatever is asked, edited, given up, crashed and restarted: what is shown is what is true now."""

from __future__ import annotations

import asyncio
import hashlib
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from shaderlab.engine.graph import Asking, Graph, Ticket, Urgency, question
from shaderlab.engine.quarantine import Quarantine
from shaderlab.engine.store import Store
from shaderlab.errors import Abandoned, DeviceLost, ShaderlabError, UnsupportedShader

PATIENCE_S = 2.0
TURNS = 60
"""Of the loop, in which everything has happened that can without an answer or a clock."""


class Loop(asyncio.SelectorEventLoop):
    """Runs when it is told to, by a clock that is set."""

    now = 0.0

    def time(self) -> float:
        return self.now

    def settle(self) -> None:
        for _ in range(TURNS):
            self.call_soon(self.stop)
            self.run_forever()

    def wait(self, seconds: float) -> None:
        self.settle()
        self.now += seconds
        self.settle()


@dataclass
class Worker:
    """Answers when the test lets it, as a child does: one request at a time, by futures."""

    requests: list[tuple[Future, Callable[[], object]]] = field(default_factory=list)
    dying: list[Future] = field(default_factory=list)
    """Requests that were given up, while their child is being killed."""
    abandoned: int = 0

    def request(self, work: Callable[[], object]) -> Future:
        future: Future = Future()
        future.set_running_or_notify_cancel()
        self.requests.append((future, work))
        return future

    def abandon(self, request: Future) -> bool:
        """Its child is killed, which takes a while."""
        self.requests = [each for each in self.requests if each[0] is not request]
        self.dying.append(request)
        self.abandoned += 1
        return True

    def answer(self) -> None:
        while self.dying:
            self.dying.pop().set_exception(Abandoned("given up"))
        if not self.requests:
            return
        future, work = self.requests.pop(0)
        try:
            future.set_result(work())
        except ShaderlabError as error:
            future.set_exception(error)

    def crash(self) -> None:
        self.requests.pop(0)[0].set_exception(DeviceLost("the child died"))


@dataclass
class Crew:
    """A compiler, a device and a predictor, and the folder that the compiler reads."""

    folder: Path
    compiler: Worker = field(default_factory=Worker)
    device: Worker = field(default_factory=Worker)
    predictor: Worker = field(default_factory=Worker)

    @property
    def workers(self) -> tuple[Worker, ...]:
        return self.compiler, self.device, self.predictor

    @property
    def busy(self) -> list[Worker]:
        return [each for each in self.workers if each.requests or each.dying]


# -- a front end, a counter and a predictor that can be computed by hand ---------------------------


def text_of(folder: Path, name: str) -> str:
    path = folder / name
    return path.read_text() if path.is_file() else ""


def compiled(folder: Path, name: str) -> str:
    """The text with what it includes; every other line may name a file."""
    text = text_of(folder, name)
    if "bad" in text:
        raise UnsupportedShader(f"{name} is bad")
    return "+".join([text, *(text_of(folder, each) for each in text.split() if "." in each)])


def read_by(folder: Path, name: str) -> dict[str, str]:
    names = [name, *(each for each in text_of(folder, name).split() if "." in each)]
    contents = {str(folder / n): text_of(folder, n) for n in names}
    return {
        path: hashlib.sha256(text.encode()).hexdigest() if Path(path).is_file() else ""
        for path, text in contents.items()
    }


@question(patience_s=PATIENCE_S, kept=str)
async def program(q: Asking[Crew], name: str) -> str:
    folder = q.crew.folder

    def load() -> tuple[str, UnsupportedShader | None, dict[str, str]]:
        read = read_by(folder, name)
        try:
            return compiled(folder, name), None, read
        except UnsupportedShader as error:
            return "", error, read

    def request(its: Worker) -> Future:
        loaded = load()  # at once: the files may have changed by the time of the answer
        return its.request(lambda: loaded)

    made, error, read = await q.on(q.crew.compiler, request)
    q.follows_from(read)
    if error is not None:
        raise error
    return made


@question(patience_s=PATIENCE_S, kept=str)
async def form(q: Asking[Crew], written: str) -> str:
    return await q.on(q.crew.compiler, lambda its: its.request(written.upper))


@question(patience_s=PATIENCE_S, kept=int, dangerous=lambda *_: False)
async def trace(q: Asking[Crew], made: str, size: int) -> int:
    return await q.on(q.crew.device, lambda its: its.request(lambda: len(made) * size))


@question(patience_s=PATIENCE_S)
async def forecast(q: Asking[Crew], name: str, size: int) -> str:
    made = await q(program, name)
    counted, other = await q.each(q(trace, made, size), q(form, made))
    again = await q(trace, other, size)
    return await q.on(
        q.crew.predictor, lambda its: its.request(lambda: f"{made}: {counted} {other}: {again}")
    )


def fresh(folder: Path, name: str, size: int) -> str:
    try:
        made = compiled(folder, name)
    except UnsupportedShader as error:
        return str(error)
    return f"{made}: {len(made) * size} {made.upper()}: {len(made) * size}"


@dataclass(eq=False)
class Wait:
    """A ticket, and what it may be answered with."""

    ticket: Ticket
    name: str
    size: int
    true: set[str]
    """What a fresh computation gave at some time since it was asked."""


NAMES = st.sampled_from(["a", "b"])
TEXTS = st.sampled_from(["1", "22", "1 x.inc", "1 y.inc x.inc", "bad", "3 z.inc"])


class Whatever(RuleBasedStateMachine):
    """Random sequences of what users, files, children and machines do."""

    waits = Bundle("waits")

    def __init__(self) -> None:
        super().__init__()
        self.home = tempfile.TemporaryDirectory()
        self.folder = Path(self.home.name, "texts")
        self.folder.mkdir()
        self.open: list[Wait] = []
        self.crashed = False
        self.start()

    def start(self) -> None:
        self.loop, self.crew = Loop(), Crew(self.folder)
        home = Path(self.home.name)
        store, quarantine = Store(home / "answers"), Quarantine(home / "ended")
        self.graph = Graph(self.crew, store, quarantine, loop=self.loop)

    def stop(self) -> None:
        ended = self.loop.create_task(self.graph.end())
        self.loop.settle()
        for each in self.crew.workers:
            each.answer()
        self.loop.settle()
        assert ended.done()
        self.loop.close()

    @rule(name=st.sampled_from(["a", "b", "x.inc", "y.inc", "z.inc"]), text=TEXTS)
    def edit(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)
        for each in self.open:
            each.true.add(fresh(self.folder, each.name, each.size))

    @rule(name=st.sampled_from(["x.inc", "y.inc"]))
    def remove(self, name: str) -> None:
        (self.folder / name).unlink(missing_ok=True)
        for each in self.open:
            each.true.add(fresh(self.folder, each.name, each.size))

    @rule(target=waits, name=NAMES, size=st.integers(1, 2), urgency=st.sampled_from(Urgency))
    def ask(self, name: str, size: int, urgency: Urgency) -> Wait:
        ticket = self.graph.ask(forecast, name, size, urgency=urgency)
        wait = Wait(ticket, name, size, {fresh(self.folder, name, size)})
        self.open.append(wait)
        self.loop.settle()
        return wait

    @rule(wait=consumes(waits))
    def close(self, wait: Wait) -> None:
        wait.ticket.close()
        self.open = [each for each in self.open if each is not wait]
        self.loop.settle()

    @rule(number=st.integers(0, 2))
    def answer(self, number: int) -> None:
        if busy := self.crew.busy:
            busy[number % len(busy)].answer()
        self.loop.settle()

    @rule()
    def answer_all(self) -> None:
        while busy := self.crew.busy:
            busy[0].answer()
            self.loop.settle()

    @rule(number=st.integers(0, 2))
    def crash(self, number: int) -> None:
        worker = self.crew.workers[number]
        if worker.requests:
            self.crashed = True
            worker.crash()
        self.loop.settle()

    @rule(seconds=st.sampled_from([PATIENCE_S / 2, 1.1 * PATIENCE_S]))
    def wait(self, seconds: float) -> None:
        self.loop.wait(seconds)

    @rule()
    def restart(self) -> None:
        """Another process, with what this one kept."""
        self.stop()
        for each in self.open:
            each.ticket.close()
        self.open.clear()
        self.start()

    @rule(number=st.integers(0, 20), at=st.integers(0, 60))
    def damage(self, number: int, at: int) -> None:
        kept = sorted(Path(self.home.name, "answers").iterdir())
        if number < len(kept):
            data = kept[number].read_bytes()
            kept[number].write_bytes(data[:at] + b"?" + data[at + 1 :])

    @invariant()
    def what_is_answered_was_true_since_it_was_asked(self) -> None:
        for each in self.open:
            if each.ticket.future.done():
                assert said(each.ticket.future) in {*each.true, *self.failures}
        self.open = [each for each in self.open if not each.ticket.future.done()]

    @invariant()
    def what_is_known_is_true_now(self) -> None:
        for name in ("a", "b"):
            for size in (1, 2):
                known = self.graph.known(forecast, name, size)
                if known is not None:
                    shown = str(known.error) if known.error else known.answer
                    assert shown in {fresh(self.folder, name, size), *self.failures}

    @invariant()
    def a_worker_has_one_request_at_a_time(self) -> None:
        assert all(len(each.requests) + len(each.dying) <= 1 for each in self.crew.workers)

    @property
    def failures(self) -> set[str]:
        return {"the child died"} if self.crashed else set()

    def teardown(self) -> None:
        for each in self.open:
            each.ticket.close()
        for _ in range(4):  # a question gives up those it asked, each after its patience
            self.loop.wait(1.1 * PATIENCE_S)
        assert not any(each.requests for each in self.crew.workers), "nobody waits for these"
        self.stop()
        self.home.cleanup()


def said(future: Future) -> str:
    error = future.exception()
    return str(error) if error is not None else future.result()


TestWhatever = Whatever.TestCase
TestWhatever.settings = settings(max_examples=60, stateful_step_count=40)


# -- one by one ---------------------------------------------------------------------------------


@dataclass
class Bench:
    loop: Loop
    crew: Crew
    graph: Graph[Crew]

    def ask(self, *asked: object, urgency: Urgency = Urgency.SHOWN) -> Ticket:
        ticket = self.graph.ask(*asked, urgency=urgency)  # type: ignore[arg-type]
        self.loop.settle()
        return ticket

    def answer(self, worker: Worker) -> None:
        worker.answer()
        self.loop.settle()


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    loop, crew = Loop(), Crew(tmp_path)
    graph = Graph(crew, None, Quarantine(tmp_path / "ended"), loop=loop)
    yield Bench(loop, crew, graph)
    ended = loop.create_task(graph.end())
    while not ended.done():
        for worker in crew.workers:
            worker.answer()
        loop.settle()
    loop.close()


def test_two_who_ask_the_same_share_the_work(bench: Bench) -> None:
    one, other = bench.ask(trace, "abc", 2), bench.ask(trace, "abc", 2)
    bench.answer(bench.crew.device)
    assert (one.future.result(), other.future.result()) == (6, 6)
    assert not bench.crew.device.requests
    assert bench.ask(trace, "abc", 2).future.result() == 6


def test_the_most_urgent_is_next(bench: Bench) -> None:
    bench.ask(trace, "first", 1)
    late = bench.ask(trace, "late", 1, urgency=Urgency.BACKGROUND)
    soon = bench.ask(trace, "soon", 1, urgency=Urgency.TYPED)
    bench.answer(bench.crew.device)
    bench.answer(bench.crew.device)
    assert soon.future.done()
    assert not late.future.done()


def test_an_inner_question_is_as_urgent_as_its_most_urgent_asker(bench: Bench) -> None:
    (bench.crew.folder / "a").write_text("1")
    bench.ask(trace, "first", 1)
    bench.ask(trace, "other", 1, urgency=Urgency.REFINEMENT)
    bench.ask(forecast, "a", 1, urgency=Urgency.BACKGROUND)
    bench.answer(bench.crew.compiler)
    bench.ask(forecast, "a", 1, urgency=Urgency.TYPED)
    bench.answer(bench.crew.device)
    (_, work), *_ = bench.crew.device.requests
    assert work() == 1, "the forecast's, not the other trace"


def test_work_goes_on_for_its_patience_and_is_then_given_up(bench: Bench) -> None:
    bench.ask(trace, "abc", 2).close()
    bench.loop.wait(PATIENCE_S / 2)
    assert bench.crew.device.requests
    again = bench.ask(trace, "abc", 2)
    bench.loop.wait(2 * PATIENCE_S)
    assert bench.crew.device.requests, "somebody waits again"
    again.close()
    bench.loop.wait(1.1 * PATIENCE_S)
    assert bench.crew.device.abandoned == 1
    bench.answer(bench.crew.device)
    with pytest.raises(CancelledError):
        again.future.result()
    assert [each.what for each in bench.graph.events][-1] == "given up"


def test_who_asks_after_it_was_given_up_gets_an_answer(bench: Bench) -> None:
    bench.ask(trace, "abc", 2).close()
    bench.loop.wait(1.1 * PATIENCE_S)
    again = bench.ask(trace, "abc", 2)
    bench.answer(bench.crew.device)
    bench.answer(bench.crew.device)
    assert again.future.result() == 6


def test_what_ended_a_worker_is_not_run_again(bench: Bench) -> None:
    first = bench.ask(trace, "abc", 2)
    bench.crew.device.crash()
    bench.loop.settle()
    assert isinstance(first.future.exception(), DeviceLost)
    other = Graph(bench.crew, None, Quarantine(bench.crew.folder / "ended"), loop=bench.loop)
    again = other.ask(trace, "abc", 2)
    bench.loop.settle()
    assert isinstance(again.future.exception(), DeviceLost)
    assert not bench.crew.device.requests
    asked = Quarantine(bench.crew.folder / "ended", consulted=False)
    third = Graph(bench.crew, None, asked, loop=bench.loop).ask(trace, "abc", 2)
    bench.loop.settle()
    bench.answer(bench.crew.device)
    assert third.future.result() == 6
    released = Quarantine(bench.crew.folder / "ended")
    fourth = Graph(bench.crew, None, released, loop=bench.loop).ask(trace, "abc", 2)
    bench.loop.settle()
    bench.answer(bench.crew.device)
    assert fourth.future.result() == 6
    bench.ask(trace, "abcd", 2)
    bench.crew.device.crash()
    bench.loop.settle()
    bench.graph.release(trace, "abcd", 2)
    fifth = bench.ask(trace, "abcd", 2)
    bench.answer(bench.crew.device)
    assert fifth.future.result() == 8


def test_a_compiler_that_died_is_asked_again(bench: Bench) -> None:
    ticket = bench.ask(form, "abc")
    bench.crew.compiler.crash()
    bench.loop.settle()
    assert isinstance(ticket.future.exception(), DeviceLost)
    again = bench.ask(form, "abc")
    bench.answer(bench.crew.compiler)
    assert again.future.result() == "ABC"


def test_closing_ends_its_thread(tmp_path: Path) -> None:
    before = threading.enumerate()
    graph = Graph(Crew(tmp_path))
    assert threading.enumerate() != before
    graph.close()
    graph.close()
    assert threading.enumerate() == before


def test_a_fault_of_ours_reaches_who_asked(bench: Bench) -> None:
    @question()
    async def wrong(_q: Asking[Crew]) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        bench.ask(wrong).future.result()
