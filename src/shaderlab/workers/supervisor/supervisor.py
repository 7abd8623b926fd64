"""The parent's side: one child, its requests in order, limits for each, replacement on failure.

A child that misses a deadline or outgrows its memory is killed with all it started, one that dies
is buried; either way the request that met it answers with an error that names the cause, another
child takes its place at once, and the requests behind it go on.  Where coming up takes long, a
spare child that has done so already stands by.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from multiprocessing.reduction import ForkingPickler
from typing import Any

from shaderlab.errors import (
    Abandoned,
    DeviceLost,
    OutOfMemory,
    ShaderlabError,
    ShaderTimeout,
    StartFailed,
)
from shaderlab.workers.supervisor import process_tree
from shaderlab.workers.supervisor.child import Begun, Reply, Request
from shaderlab.workers.supervisor.child_process import ChildProcess

log = logging.getLogger(__name__)

_WATCH_S = 0.1
"""While a request runs, the child's memory and life are looked at this often."""
_IDLE_WATCH_S = 1.0
_PICKLE_TRIES = 10
_LAST_BREATH_S = 0.2
"""A killed child that is not gone by then (it gives back much memory, or hangs in the kernel with a
wedged GPU) is not waited for: its successor starts, and it is looked after now and then."""
_EXIT_CODE_S = 0.5
"""What a child that closed its pipe died of is waited for so long: its successor waits too."""
_LAST_WAIT_S = 2.0
_SPARE_AFTER_S = 2.0
"""From a child's first sign of life to its first spare: the start has better things to do."""


@dataclass(frozen=True)
class _Job:
    request: Request
    deadline_s: float
    doing: str
    """For messages: 'rendering plasma.frag'."""
    remedy: str
    """What the user can do when it goes over a limit."""
    future: Future = field(default_factory=Future)


class _TooLate(Exception):
    """The deadline passed without an answer."""


class _TooLarge(Exception):
    """The child holds more memory than it may; its argument: how much, bytes."""


class Supervisor:
    """A child process running `server` (`module:Class`), fed from any thread, answering by futures.

    Nothing is spawned before `start` or the first request.  Futures of requests not yet sent can
    be cancelled.
    """

    def __init__(
        self,
        server: str,
        arguments: tuple[Any, ...] = (),
        *,
        name: str,
        start_deadline_s: float,
        memory_bytes: int | None = None,
        spare: bool = False,
    ):
        """With `spare`, a second child that came up stands by to replace the first."""
        self._server = server
        self._arguments = arguments
        self._name = name
        self._start_deadline_s = start_deadline_s
        self.memory_bytes = memory_bytes
        """Resident memory the child and what it starts may hold; None for no limit."""
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._child: ChildProcess | None = None
        self._keeps_spare = spare
        self._spare: ChildProcess | None = None
        self._dying: list[ChildProcess] = []
        """Killed, and not gone yet."""
        self._running: _Job | None = None
        self._given_up = False
        self._closed = False
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self.replacements = 0
        """Children killed or found dead so far."""
        self.longest_replacement_s = 0.0
        """Most seconds from finding a child lost to another one in its place."""
        self.on_replaced: Callable[[], None] = lambda: None
        """Called in the supervising thread when a child is gone, before its request answers."""

    @property
    def pid(self) -> int | None:
        """Process id of the present child."""
        child = self._child
        return child.pid if child is not None else None

    @property
    def pids(self) -> set[int]:
        """Process ids of the present child and its spare."""
        return {child.pid for child in (self._child, self._spare) if child is not None}

    def start(self) -> None:
        """Bring the child up without waiting for it."""
        with self._lock:
            if self._thread is None and not self._closed:
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()

    def submit(
        self, method: str, *arguments: Any, deadline_s: float, doing: str, remedy: str = ""
    ) -> Future:
        """Queue `method(*arguments)`; the future's exception is always a ShaderlabError.

        ShaderTimeout after `deadline_s` of the child's work on it, OutOfMemory when the child grew
        past `memory_bytes`, DeviceLost when it died, Abandoned after `abandon`; the first two say
        `remedy`.
        """
        job = _Job(Request(method, arguments), deadline_s, doing, remedy)
        self.start()
        with self._lock:
            if not self._closed:
                self._jobs.put(job)
                return job.future
        job.future.set_exception(self._shut_down(job))
        return job.future

    def abandon(self, future: Future) -> bool:
        """Kill the child if it works on this request; whether it did.  The rest goes on."""
        with self._lock:
            job = self._running
            if job is None or job.future is not future or self._child is None:
                return False
            self._given_up = True
            process_tree.kill(self._child.pid)
            return True

    def close(self, *, wait: bool = True) -> None:
        """Kill the child and fail what is still queued; with `wait` until that is done.

        Idempotent.
        """
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._jobs.put(None)
            child = self._child
            if child is not None and child.is_alive:
                process_tree.kill(child.pid)
        if wait and self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=5)

    # -- the supervising thread -------------------------------------------------------------

    def _run(self) -> None:
        self._try_to_spawn()
        while (job := self._next()) is not None:
            if not job.future.set_running_or_notify_cancel():
                continue
            if self._closed:
                job.future.set_exception(self._shut_down(job))
                continue
            try:
                result = self._perform(job)
            except ShaderlabError as error:
                # Its traceback would hold the job, which holds the future, which holds it.
                job.future.set_exception(error.with_traceback(None))
            except Exception as error:
                log.exception("%s", job.doing)
                self._bury()
                job.future.set_exception(DeviceLost(f"{job.doing}: {error}"))
            else:
                job.future.set_result(result)
                self._shrink()
        self._bury()
        for child in filter(None, (self._spare, *self._dying)):
            child.end(_LAST_WAIT_S)
        self._spare, self._dying = None, []

    def _next(self) -> _Job | None:
        """The next job; meanwhile a child that was well and died while idle is replaced."""
        while True:
            self._tend()
            try:
                return self._jobs.get(timeout=_IDLE_WATCH_S)
            except queue.Empty:
                if self._ready and not self._closed and not self._child.is_alive:
                    log.warning("%s; starting a new one", self._epitaph())
                    self._renew()

    @property
    def _ready(self) -> bool:
        return self._child is not None and self._child.ready_at is not None

    def _tend(self) -> None:
        """See to those beside the child at work: the dying and the spare."""
        self._dying = [child for child in self._dying if not child.end(0.0)]
        if self._spare is not None:
            if not self._spare.is_alive:
                log.warning("the spare %s ended; there will be none", self._name)
                self._keeps_spare = False
                self._drop_spare()
        elif (
            self._keeps_spare
            and not self._closed
            and self._ready
            and time.monotonic() - self._child.ready_at > _SPARE_AFTER_S
        ):
            self._add_spare()

    def _add_spare(self) -> None:
        with contextlib.suppress(OSError):  # no room for another process: there is none, then
            self._spare = ChildProcess.spawn(self._server, self._arguments)

    def _drop_spare(self) -> None:
        spare, self._spare = self._spare, None
        if spare is not None and not spare.end(0.0):
            self._dying.append(spare)

    def _shut_down(self, job: _Job) -> DeviceLost:
        return DeviceLost(f"{job.doing}: the {self._name} is shut down")

    def _perform(self, job: _Job) -> Any:
        try:
            if not self._hand_over(job):
                self._renew()  # died of something else, just before
                self._hand_over(job)
            reply = self._receive(job.deadline_s)
        except (EOFError, OSError):
            raise self._replace(job, self._death_of(job)) from None
        except _TooLate:
            message = (
                f"{job.doing} took longer than its limit of {job.deadline_s:.3g} s and was stopped"
            )
            raise self._replace(job, ShaderTimeout(message).with_remedy(job.remedy)) from None
        except _TooLarge as excess:
            message = (
                f"{job.doing} took {_mebibytes(excess.args[0])} of memory, over its limit of "
                f"{_mebibytes(self.memory_bytes)}, and was stopped"
            )
            raise self._replace(job, OutOfMemory(message).with_remedy(job.remedy)) from None
        finally:
            with self._lock:
                self._running = None
        if isinstance(reply.error, DeviceLost):
            untried = self._child.stood_by and not self._child.answered
            self._drop_spare()  # on the same device
            self._replace(job, reply.error)
            if untried:  # lost with the child before it, not by this request
                return self._perform(job)
        elif self._child is not None:
            self._child.answered = True
        if reply.error is not None:
            if isinstance(reply.error, ShaderTimeout | OutOfMemory) and not reply.error.remedy:
                reply.error.remedy = job.remedy
            raise reply.error
        return reply.result

    def _hand_over(self, job: _Job) -> bool:
        """Have a child that is well begin on the job; False where it died before it could."""
        if self._child is None or not self._child.is_alive:
            self._bury()
            self._spawn()
        if not self._ready:
            self._await_ready(job)
        with self._lock:
            self._running, self._given_up = job, False
        try:
            self._child.pipe.send_bytes(_pickled(job.request))
            return isinstance(self._receive(job.deadline_s), Begun)
        except (EOFError, OSError):
            return self._closed or self._given_up  # what follows says so

    def _await_ready(self, job: _Job) -> None:
        try:
            reply = self._receive(self._start_deadline_s)
        except (EOFError, OSError):
            epitaph = self._epitaph()
            self._bury()
            raise StartFailed(f"{job.doing}: while starting, {epitaph}") from None
        except _TooLate:
            self._bury()
            raise StartFailed(
                f"{job.doing}: the {self._name} did not start within {self._start_deadline_s:g} s"
            ) from None
        except _TooLarge as excess:
            self._bury()
            raise StartFailed(
                f"{job.doing}: the {self._name} took {_mebibytes(excess.args[0])} of memory while "
                f"starting, over its limit of {_mebibytes(self.memory_bytes)}"
            ) from None
        if reply.error is not None:
            self._bury()
            raise reply.error
        self._child.ready_at = time.monotonic()

    def _receive(self, deadline_s: float) -> Begun | Reply:
        """What the child says next.

        Raises _TooLate, _TooLarge, EOFError when the child is gone or the supervisor closed.
        """
        end = time.monotonic() + deadline_s
        while not self._closed:
            left = end - time.monotonic()
            if left <= 0:
                raise _TooLate
            if self._child.pipe.poll(min(left, _WATCH_S)):
                return self._child.pipe.recv()
            self._weigh()
            self._tend()
        raise EOFError

    def _weigh(self) -> None:
        if self.memory_bytes is not None:
            held = process_tree.resident_bytes(self._child.pid)
            if held > self.memory_bytes:
                raise _TooLarge(held)

    def _shrink(self) -> None:
        """A child that answered but kept more than it may starts afresh."""
        try:
            self._weigh()
        except _TooLarge as excess:
            log.info("the %s kept %s; restarting it", self._name, _mebibytes(excess.args[0]))
            self._renew()

    def _death_of(self, job: _Job) -> ShaderlabError:
        if self._given_up and not self._closed:
            return Abandoned(f"{job.doing} was given up for something newer")
        return DeviceLost(f"{job.doing}: {self._epitaph()}").with_remedy(
            "" if self._closed else job.remedy
        )

    def _epitaph(self) -> str:
        if self._closed:
            return f"the {self._name} was shut down"
        if self._child is None:
            return f"the {self._name} cannot be started"
        code = self._child.exit_code(_EXIT_CODE_S)
        if code is not None and code < 0:
            return f"the {self._name} was ended by {_signal_name(-code)}"
        told = "" if code is None else f" (exit code {code})"
        return f"the {self._name} ended unexpectedly{told}"

    def _replace(self, job: _Job, error: ShaderlabError) -> ShaderlabError:
        if not self._closed and not isinstance(error, Abandoned):
            log.warning("%s; starting a new %s", error, self._name)
        self._renew()
        return error

    def _renew(self) -> None:
        found_at = time.monotonic()
        self._bury()
        self.replacements += 1
        self.on_replaced()
        self._try_to_spawn()
        took_s = time.monotonic() - found_at
        self.longest_replacement_s = max(self.longest_replacement_s, took_s)

    def _try_to_spawn(self) -> None:
        """Where there is no child afterwards, the next request tries again and answers for it."""
        try:
            self._spawn()
        except Exception as error:
            log.warning("the %s cannot be started: %s", self._name, error)

    def _spawn(self) -> None:
        """Put a child in place: the spare, or a new one.  Raises OSError."""
        if self._closed:
            return
        child, adopted = self._spare, self._spare is not None and self._spare.is_alive
        if adopted:
            self._spare, child.stood_by = None, True
        else:
            self._drop_spare()
            child = ChildProcess.spawn(self._server, self._arguments)
        with self._lock:
            self._child = child
        if self._closed:  # meanwhile
            self._bury()
        elif adopted:
            self._add_spare()  # at once: where one child was lost, another often is

    def _bury(self) -> None:
        with self._lock:  # and no longer: `submit` and `abandon` must not wait for a death
            child, self._child = self._child, None
        if child is not None and not child.end(_LAST_BREATH_S):
            self._dying.append(child)


def _pickled(request: Request) -> memoryview:
    """As `Connection.send` does, but again if another thread came between.

    Programs and traces cache what is asked of them, so they may grow while they are pickled.
    """
    for _ in range(_PICKLE_TRIES - 1):
        with contextlib.suppress(RuntimeError):
            return ForkingPickler.dumps(request)
    return ForkingPickler.dumps(request)


def _signal_name(number: int) -> str:
    known = {s.value: s.name for s in signal.Signals}
    return known.get(number, f"signal {number}")


def _mebibytes(nbytes: int) -> str:
    return f"{nbytes / (1 << 20):.0f} MiB"
