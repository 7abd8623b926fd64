"""`Job`: one thing a worker is asked to do; `JobRunner`: the jobs under way at one place.

Four rules hold for every job.  Refusal: what ended a worker before is not sent again automatically.
Blame: what ends a worker is remembered (`quarantine`).  Abandonment: an outdated request is given
up once it has taken too long.  Dropped answers: those for a document that was closed, or from a
worker that was replaced, are not passed on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.bridge import Bridge
from shaderlab.app.session.clock import Clock
from shaderlab.app.session.suspects import Suspect, Suspects, Task
from shaderlab.app.session.workers import Crew
from shaderlab.engine.crew import Engine
from shaderlab.engine.quarantine import ends_workers
from shaderlab.errors import Abandoned, Quarantined, ShaderlabError

T = TypeVar("T")

Excuse = Callable[[ShaderlabError], ShaderlabError | None]

_COMPILE_NOW = "Change it, or choose Compile now."
_PLAY = "It is not run again automatically: change it, or choose Play to run it anyway."
_REFUSALS = {
    Task.RENDER: ("", _PLAY),
    Task.TRACE: ("", _PLAY),
    Task.HEAT: ("not counted again automatically: ", _COMPILE_NOW),
}
"""By task: what the message begins with, and the remedy."""


@dataclass(frozen=True, eq=False)
class Job:
    """What is asked, of what, where, and how long it may go on once it is outdated."""

    task: Task
    suspect: Suspect
    """Blamed if it ends the worker."""
    place: str = ""
    """Slug of the device or GPU family; empty where it does not matter."""
    patience_s: float = float("inf")
    """An outdated request is given up so long after it was sent."""
    of: Hashable = None
    """Outdated while `JobRunner.want` asks for something else."""
    first: bool = False
    """The suspect was never used for this here: that it is under way is written down."""
    blamed: bool = True


@dataclass(frozen=True, eq=False)
class _Request:
    job: Job
    future: Future
    sent_at: float
    abandon: Callable[[Future], object] | None
    end: Callable[[], object] | None
    """Called once it came to an answer."""


@dataclass(frozen=True, eq=False)
class Tools:
    """What all jobs of a session share."""

    bridge: Bridge
    quarantine: Suspects
    clock: Clock
    crew: Crew
    loop: asyncio.AbstractEventLoop | None = None
    """What answers questions in a test, which runs it; None: a thread of its own does."""

    @cached_property
    def engine(self) -> Engine:
        """Answers questions; made when the first is asked, which is after the first paint."""
        return Engine(self.crew, kept=self.loop is None, loop=self.loop)


class JobRunner(QObject):
    """Sends jobs to the workers of one place and passes their answers on.

    How many at a time is up to whoever asks.  Belongs to the interface's thread.
    """

    freed = Signal()
    """A job came to its end, and whoever asked for it knows; there is room for the next."""

    def __init__(self, tools: Tools, parent: QObject):
        super().__init__(parent)
        self._bridge, self._quarantine, self._clock = tools.bridge, tools.quarantine, tools.clock
        self._requests: list[_Request] = []
        self._wanted: tuple[Hashable, ...] = ()
        self._document = 0
        """Counts documents: answers for an earlier one are not passed on."""
        self._impatience = self._clock.alarm(self._give_up_outdated, self)
        tools.bridge.closed.connect(self._end_notes)
        self.since = 0.0
        """The clock's time when the latest request was sent."""

    @property
    def busy(self) -> bool:
        return bool(self._requests)

    @property
    def task(self) -> str:
        """What the place is on: a `Task`, or empty."""
        return self._requests[-1].job.task if self._requests else ""

    @property
    def busy_s(self) -> float:
        """Seconds since the latest request was sent; 0 where nothing is under way."""
        return self._clock.now() - self.since if self._requests else 0.0

    def run(
        self,
        job: Job,
        send: Callable[[], Future[T]],
        done: Callable[[T], object],
        failed: Callable[[ShaderlabError], object],
        *,
        abandon: Callable[[Future], object] | None = None,
        excuse: Excuse | None = None,
    ) -> None:
        """Send the job, unless it is in quarantine, and call `done` or `failed` once.

        A job that is refused fails at once with Quarantined.  Neither is called when the job was
        given up, its document closed or its worker replaced.

        `excuse` is asked about an error the suspect would be blamed for.  It returns the error, a
        clearer one, or None to ignore it because the caller will try again.
        """
        if reason := self._quarantine.reason(job.suspect, job.task, job.place):
            start, remedy = _REFUSALS.get(job.task, ("", ""))
            failed(Quarantined(f"{start}{reason}").with_remedy(remedy))
            self.freed.emit()
            return
        self.since = self._clock.now()
        asked = job.suspect, job.task, job.place
        end = self._quarantine.begin(*asked) if job.first else None
        request = _Request(job, send(), self.since, abandon, end)
        self._requests.append(request)
        document = self._document

        def succeed(value: T) -> None:
            if self._ended(request):
                if document == self._document:
                    done(value)
                self.freed.emit()

        def fail(error: ShaderlabError) -> None:
            if self._ended(request):
                judged = self._judged(error, job, excuse)
                if document == self._document and judged is not None:
                    failed(judged)
                self.freed.emit()

        self._bridge.watch(request.future, succeed, fail)

    def want(self, *of: Hashable) -> None:
        """Jobs of anything else are outdated: stopped, unless they end soon."""
        self._wanted = of
        self._give_up_outdated()

    def give_up(self) -> None:
        """Stop what is under way; its answer is not passed on."""
        for request in tuple(self._requests):
            if request.abandon is not None:
                request.abandon(request.future)

    def leave_document(self) -> None:
        """Another document was opened: answers under way are dropped; blame is still recorded."""
        self._document += 1

    def replace_worker(self) -> None:
        """The worker was replaced: answers of the former one are dropped and nothing is blamed."""
        self._end_notes()
        self._requests.clear()
        self._impatience.stop()

    def _end_notes(self) -> None:
        """What is under way is not to blame for what comes now."""
        for request in self._requests:
            if request.end is not None:
                request.end()

    def release(self, suspect: Suspect) -> None:
        """The user wants to see it run, whatever it did."""
        self._quarantine.release(suspect)

    def _ended(self, request: _Request) -> bool:
        """Free its place; False where its worker was replaced meanwhile."""
        if request not in self._requests:
            return False
        self._requests.remove(request)
        if request.end is not None:
            request.end()
        return True

    def _judged(
        self, error: ShaderlabError, job: Job, excuse: Excuse | None
    ) -> ShaderlabError | None:
        """What to pass on; a suspect to blame is remembered."""
        if isinstance(error, Abandoned):
            return None
        if not (job.blamed and ends_workers(error)):
            return error
        judged = excuse(error) if excuse is not None else error
        if judged is not None:
            self._quarantine.add(job.suspect, job.task, job.place, str(judged))
        return judged

    def _give_up_outdated(self) -> None:
        now, waits = self._clock.now(), []
        for request in tuple(self._requests):
            if request.abandon is None or request.job.of in self._wanted:
                continue
            left = request.sent_at + request.job.patience_s - now
            if left > 0:
                waits.append(left)
            else:
                request.abandon(request.future)
        finite = min(waits, default=float("inf"))
        if finite < float("inf"):
            self._impatience.set(finite)
        else:
            self._impatience.stop()
