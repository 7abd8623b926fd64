"""Questions answered once: remembered by content, shared, dropped when nobody waits any more.

A question is an async function of frozen values.  Its answer, or its error, is remembered under the
function and the digest of its arguments, so "is this current?" is a look-up, and an answer to
earlier arguments cannot be taken for one to the present ones.  Whoever waits holds a ticket; once
the last is closed, the work is given up after the question's patience.  A worker answers one
request at a time, the most urgent next.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import OrderedDict, defaultdict, deque
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import Future
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Generic, Protocol, TypeVar, cast

from shaderlab.engine.keys import key_of, key_of_code
from shaderlab.engine.quarantine import Quarantine, ends_workers
from shaderlab.engine.store import Known, Store
from shaderlab.errors import Abandoned, DeviceStuck, NoVulkan, ShaderlabError, StartFailed

log = logging.getLogger(__name__)

MOST_REMEMBERED = 4096
MOST_EVENTS = 500
_CLOSING_S = 5.0
_WRITTEN_AFTER_S = 0.1
_TRIES = 3
_PASSING = (Abandoned, StartFailed, DeviceStuck, NoVulkan)
"""Errors that say nothing of the arguments: the next who asks has it tried again."""

C = TypeVar("C")
T = TypeVar("T")
W = TypeVar("W")


class Worker(Protocol):
    """What is asked by futures, one request at a time."""

    def abandon(self, request: Future) -> bool:
        """Give up a request that is under way."""
        ...


class Urgency(IntEnum):
    """Why somebody waits."""

    BACKGROUND = 0
    REFINEMENT = 1
    SHOWN = 2
    TYPED = 3


@dataclass(frozen=True, eq=False)
class Question(Generic[T]):
    """An async function, and how its answers are treated."""

    ask: Callable[..., Coroutine[Any, Any, T]]
    """Takes an `Asking`, then the arguments."""
    patience_s: float
    """How long a worker is left at what nobody waits for any more."""
    kept: Any
    """Type of the answers that a store keeps; None: they end with the process."""
    remembered: bool
    """False of measurements: another time brings another answer."""
    dangerous: Callable[..., bool] | None
    """Of what runs the user's code where that may end the worker: whether it may take this process,
    or the machine, with it.  None of all else."""
    follows_from: Callable[..., tuple[object, ...]] | None
    """What of the arguments the answer follows from; None: from all."""
    follows_from_crew: bool
    """Whether it also follows from the device that is in use, or from the models."""
    most: int
    """How many answers are remembered; then those used longest ago go."""

    @property
    def name(self) -> str:
        return self.ask.__name__

    def base(self, given: tuple[object, ...]) -> tuple[object, ...]:
        """What the answer follows from."""
        return given if self.follows_from is None else self.follows_from(*given)


def question(
    *,
    patience_s: float = 2.0,
    kept: Any = None,
    remembered: bool = True,
    dangerous: Callable[..., bool] | None = None,
    follows_from: Callable[..., tuple[object, ...]] | None = None,
    follows_from_crew: bool = True,
    most: int = MOST_REMEMBERED,
) -> Callable[[Callable[..., Coroutine[Any, Any, T]]], Question[T]]:
    """Make a question of an async function; the fields of `Question` say how."""

    def made(ask: Callable[..., Coroutine[Any, Any, T]]) -> Question[T]:
        crew = follows_from_crew and kept is None  # what is kept says all that it follows from
        return Question(ask, patience_s, kept, remembered, dangerous, follows_from, crew, most)

    return made


@dataclass(frozen=True)
class Event:
    """Something that became of a question."""

    at: float
    """Seconds since the epoch."""
    what: str
    """`asked`, `answered`, `recalled`, `failed`, `given up`, `quarantined`."""
    question: str
    key: str
    """The first digits."""
    seconds: float = 0.0
    """Since it was asked."""

    def __str__(self) -> str:
        when = time.strftime("%H:%M:%S", time.localtime(self.at))
        return f"{when} {self.what} {self.question} {self.key} {self.seconds:.3f} s"


@dataclass(eq=False)
class _Node:
    """A question with its arguments that is being answered."""

    asked: Question
    given: tuple[object, ...]
    key: str | None
    since: float
    holders: set[Ticket | _Node] = field(default_factory=set)
    """Who waits: tickets, and the work on other questions."""
    task: asyncio.Task[Known] | None = None
    at_work_since: float | None = None
    """By the loop's clock; None while no worker is at it."""
    read: dict[str, str] = field(default_factory=dict)

    @property
    def urgency(self) -> Urgency:
        return max((each.urgency for each in self.holders), default=Urgency.BACKGROUND)


class Graph(Generic[C]):
    """Answers questions with a crew of workers, in a loop of its own.

    All public methods may be called from any thread.
    """

    def __init__(
        self,
        crew: C,
        store: Store | None = None,
        quarantine: Quarantine | None = None,
        *,
        loop: asyncio.AbstractEventLoop | None = None,
        origin: str = "",
    ):
        """`origin`: of the program that answers; what another one kept is not recalled.

        `loop`: one that the caller runs; None: a new one, run in a thread of its own.
        """
        self.crew, self._store, self._quarantine = crew, store, quarantine
        self._origin = origin
        self._nodes: dict[str, _Node] = {}
        self._memory: defaultdict[Question, OrderedDict[str, Known]] = defaultdict(OrderedDict)
        self._unwritten: dict[str, Known] = {}
        self._tasks: set[asyncio.Task] = set()
        self._busy: set[int] = set()
        self._waiting: dict[int, list[tuple[_Node, asyncio.Future[None]]]] = {}
        self.events: deque[Event] = deque(maxlen=MOST_EVENTS)
        """What happened last, the latest at the end."""
        self._thread: threading.Thread | None = None
        self._loop = loop or asyncio.new_event_loop()
        if loop is None:
            self._thread = threading.Thread(target=self._run, name="questions", daemon=True)
            self._thread.start()

    # -- from any thread ----------------------------------------------------------------------

    def ask(
        self, asked: Question[T], *given: object, urgency: Urgency = Urgency.SHOWN
    ) -> Ticket[T]:
        """Have it answered; close the ticket when the answer is not wanted any more."""
        ticket = Ticket[T](self._leave_soon, urgency)
        self._loop.call_soon_threadsafe(self._enter, asked, given, ticket)
        return ticket

    def answer(self, asked: Question[T], *given: object) -> T:
        """The answer, waited for.  Raises what the question does."""
        ticket = self.ask(asked, *given)
        try:
            return ticket.future.result()
        finally:
            ticket.close()

    def known(self, asked: Question, *given: object) -> Known | None:
        """What is remembered in this process and still follows from the files it was read from."""
        key = self._key(asked, given)
        known = self._memory[asked].get(key) if key else None
        return known if known is not None and known.is_valid else None

    def release(self, asked: Question, *given: object) -> None:
        """The user wants to see it run, whatever became of it."""
        suspect = key_of_code(asked.name, asked.base(given))
        if suspect and self._quarantine is not None:
            self._quarantine.release(suspect)
        key = self._key(asked, given)
        known = self._memory[asked].get(key) if key else None
        if key and known is not None and known.error is not None:
            self._memory[asked].pop(key, None)

    def close(self) -> None:
        """Give up all work and wait until it has ended.  Idempotent."""
        if self._thread is None or not self._thread.is_alive():
            return
        ended = asyncio.run_coroutine_threadsafe(self.end(), self._loop)
        with suppress(TimeoutError):
            ended.result(_CLOSING_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_CLOSING_S)
        if self._store is not None:
            self._store.evict()

    async def end(self) -> None:
        """Give up all work, for whoever runs the loop."""
        for each in self._tasks:
            each.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        self._write()

    # -- in the loop ----------------------------------------------------------------------------

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            self._loop.close()

    def _key(self, asked: Question, given: tuple[object, ...]) -> str | None:
        if not asked.remembered:
            return None
        return key_of(asked.name, (self._origin, *self._around(asked), *asked.base(given)))

    def _around(self, asked: Question) -> tuple[object, ...]:  # noqa: ARG002
        """What of the crew an answer follows from beside what it was given."""
        return ()

    def _enter(self, asked: Question, given: tuple[object, ...], ticket: Ticket) -> None:
        if ticket.closed:
            ticket.close()
            return
        node = ticket.node = self._join(asked, given, ticket)
        assert node.task is not None
        node.task.add_done_callback(ticket.settle)

    def _join(self, asked: Question, given: tuple[object, ...], holder: Ticket | _Node) -> _Node:
        """The work on an answer, with one more who waits for it."""
        key = self._key(asked, given)
        node = self._nodes.get(key) if key else None
        if node is None:
            node = _Node(asked, given, key, time.monotonic())
            node.task = self._loop.create_task(self._work(node))
            self._tasks.add(node.task)
            node.task.add_done_callback(self._tasks.discard)
            if key:
                self._nodes[key] = node
        node.holders.add(holder)
        return node

    def _leave_soon(self, ticket: Ticket) -> None:
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(lambda: ticket.node and self.leave(ticket.node, ticket))

    def leave(self, node: _Node, holder: Ticket | _Node) -> None:
        """Somebody does not wait any more."""
        node.holders.discard(holder)
        if not node.holders and node.task and not node.task.done():
            since = node.at_work_since
            spent_s = self._loop.time() - since if since is not None else float("inf")
            self._loop.call_later(max(node.asked.patience_s - spent_s, 0.0), self._give_up, node)

    def _give_up(self, node: _Node) -> None:
        if node.holders or node.task is None or node.task.done():
            return
        self._forget(node)
        self._note("given up", node)
        node.task.cancel()

    def _forget(self, node: _Node) -> None:
        """Who asks from now on has it answered anew."""
        if node.key and self._nodes.get(node.key) is node:
            del self._nodes[node.key]

    def _note(self, what: str, node: _Node) -> None:
        seconds = time.monotonic() - node.since
        event = Event(time.time(), what, node.asked.name, (node.key or "")[:8], seconds)
        self.events.append(event)

    async def _work(self, node: _Node) -> Known:
        """What becomes of it; its errors are in the answer."""
        try:
            known = self._recalled(node)
            if known is not None:
                self._note("recalled", node)
                return known
            known = await self._asked(node)
            for _ in range(_TRIES):
                if known.is_valid:
                    break
                node.read.clear()  # a file was changed after it had been read
                known = await self._asked(node)
            self._note("failed" if known.error else "answered", node)
            self._remember(node, known)
            return known
        finally:
            self._forget(node)

    def _recalled(self, node: _Node) -> Known | None:
        if not node.key:
            return None
        memory = self._memory[node.asked]
        known = memory.get(node.key)
        if known is not None and known.is_valid:
            memory.move_to_end(node.key)
            return known
        if self._store is None or node.asked.kept is None:
            return None
        known = self._store.read(node.key, node.asked.kept)
        if known is not None:
            memory[node.key] = known
        return known

    async def _asked(self, node: _Node) -> Known:
        self._note("asked", node)
        asked, run = node.asked, nullcontext()
        if asked.dangerous and self._quarantine is not None:
            suspect = key_of_code(asked.name, asked.base(node.given))
            if suspect and (error := self._quarantine.reason(suspect)) is not None:
                self._note("quarantined", node)
                return Known(error=error)
            if suspect:
                run = self._quarantine.running(suspect, noted=asked.dangerous(*node.given))
        try:
            with run:
                answer = await asked.ask(Asking(self, node), *node.given)
                return Known(answer, None, dict(node.read))
        except ShaderlabError as error:
            return Known(None, error.with_traceback(None), dict(node.read))

    def _remember(self, node: _Node, known: Known) -> None:
        error = known.error
        passing = error is not None and (
            isinstance(error, _PASSING) or (ends_workers(error) and not node.asked.dangerous)
        )
        if not node.key or passing:
            return
        memory = self._memory[node.asked]
        memory[node.key] = known
        while len(memory) > node.asked.most:
            memory.popitem(last=False)
        if self._store is not None and node.asked.kept is not None and known.is_lasting:
            if not self._unwritten:
                self._loop.call_later(_WRITTEN_AFTER_S, self._write)
            self._unwritten[node.key] = known

    def _write(self) -> None:
        """Store what was answered, which those who wait for it need not wait for as well."""
        while self._store is not None and self._unwritten:
            key, known = self._unwritten.popitem()
            self._store.write(key, known)

    @asynccontextmanager
    async def turn(self, worker: object, node: _Node) -> AsyncIterator[None]:
        """Have a worker to itself; of those who wait the most urgent comes next."""
        place = id(worker)
        if place in self._busy:
            turn = self._loop.create_future()
            waiting = self._waiting.setdefault(place, [])
            waiting.append((node, turn))
            try:
                await turn
            except asyncio.CancelledError:
                if not turn.cancelled():  # it was given the turn at the same time
                    self._pass_on(place)
                raise
        self._busy.add(place)
        node.at_work_since = self._loop.time()
        try:
            yield
        finally:
            node.at_work_since = None
            self._pass_on(place)

    def _pass_on(self, place: int) -> None:
        waiting = self._waiting.get(place, [])
        waiting[:] = [each for each in waiting if not each[1].done()]  # else it was given up
        if not waiting:
            self._busy.discard(place)
            return
        following = max(waiting, key=lambda each: each[0].urgency)
        waiting.remove(following)
        following[1].set_result(None)


class Asking(Generic[C]):
    """What the work on a question may do: ask others, and have workers do something."""

    def __init__(self, graph: Graph[C], node: _Node):
        self._graph, self._node = graph, node
        self.crew = graph.crew

    async def __call__(self, asked: Question[T], *given: object) -> T:
        """The answer to another question.  Raises what that does."""
        node = self._graph._join(asked, given, self._node)
        assert node.task is not None
        try:
            known = await asyncio.shield(node.task)
        finally:
            self._graph.leave(node, self._node)
        self._node.read.update(known.read or {})
        if known.error is not None:
            raise known.error.with_traceback(None)
        return known.answer

    async def on(
        self,
        worker: W,
        send: Callable[[W], Future[T]],
        abandon: Callable[[Future[T]], object] | None = None,
    ) -> T:
        """A request of a worker; given up, by `abandon` or the worker's own, with the question."""
        async with self._graph.turn(worker, self._node):
            request = send(worker)
            answer = asyncio.wrap_future(request)
            try:
                return await asyncio.shield(answer)
            except asyncio.CancelledError:
                if not request.cancel():
                    (abandon or cast(Worker, worker).abandon)(request)
                while not answer.done():  # the worker is not free before
                    with suppress(asyncio.CancelledError):
                        await asyncio.wait([answer])
                if not answer.cancelled():
                    answer.exception()  # looked at, or the loop complains
                raise

    async def each(self, *parts: Coroutine[Any, Any, Any]) -> list[Any]:
        """What all of these come to, at the same time; where one fails, the others are dropped."""
        tasks = [asyncio.ensure_future(part) for part in parts]
        try:
            return await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()

    async def apart(self, work: Callable[[], T]) -> T:
        """What blocks and is not a worker's, in a thread."""
        return await asyncio.to_thread(work)

    def follows_from(self, read: dict[str, str]) -> None:
        """The answer holds as long as these files have these digests (`keys.file_digest`)."""
        self._node.read.update(read)


class Ticket(Generic[T]):
    """Somebody's interest in an answer."""

    def __init__(self, leave: Callable[[Ticket], None], urgency: Urgency):
        self.urgency = urgency
        self.future: Future[T] = Future()
        """Of the answer; cancelled once the ticket is closed without one."""
        self.node: _Node | None = None
        self.closed = False
        self._leave = leave

    def settle(self, task: asyncio.Task[Known]) -> None:
        """The work has ended."""
        if not self.future.set_running_or_notify_cancel():
            return
        if task.cancelled():
            self.future.set_exception(Abandoned("nobody waits for the answer any more"))
        elif (fault := task.exception()) is not None:
            self.future.set_exception(fault)
        elif (error := task.result().error) is not None:
            self.future.set_exception(error)
        else:
            self.future.set_result(task.result().answer)

    def let_go(self) -> None:
        """The answer is not needed any more, and taken if it comes all the same.  Idempotent."""
        if not self.closed:
            self.closed = True
            self._leave(self)

    def close(self) -> None:
        """The answer is not wanted any more.  Idempotent."""
        self.future.cancel()
        self.let_go()
