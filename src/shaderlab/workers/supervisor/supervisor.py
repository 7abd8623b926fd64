"""The parent's side: one child, its requests in order, limits for each, replacement on failure.

A child that misses a deadline or exceeds its memory limit is killed with all its descendants, one
that died is cleaned up; either way its request fails with an error that names the cause, another
child takes its place, and the requests behind it continue.  Where coming up takes long, a spare
child that has done so already stands by.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
import time
from concurrent import futures
from concurrent.futures import Future
from dataclasses import dataclass, field
from math import inf
from multiprocessing.reduction import ForkingPickler
from typing import Any, Protocol, TypeVar

from shaderlab.errors import (
    Abandoned,
    DeviceLost,
    OutOfMemory,
    ShaderlabError,
    ShaderTimeout,
    StartFailed,
    StuckDuring,
)
from shaderlab.system import process_tree, processors
from shaderlab.workers.supervisor.child import Begun, DriverCompiles, Reply, Request, Server
from shaderlab.workers.supervisor.child_process import ChildProcess, ForkServerEnded
from shaderlab.workers.supervisor.children import Children

log = logging.getLogger(__name__)

_M = TypeVar("_M", Begun, Reply)

_LESS_CODE = (
    "Give the driver less to compile: shorter loops of a constant length, which it may unroll, and "
    "fewer calls of large functions, which it inlines."
)
_WATCH_S = 0.1
"""While a request runs, the child's memory and life are looked at this often."""
_IDLE_WATCH_S = 1.0
_CLOSING_S = 5.0
_PICKLE_TRIES = 10


class Device(Protocol):
    """What requests may hang on, in whichever process (`workers.answering`)."""

    def require(self) -> None:
        """Raises DeviceStuck while it answers nothing."""
        ...

    def begin(self, future: Future, doing: str) -> None:
        """A request is in flight from now on."""
        ...

    def end(self, future: Future, *, answered: bool) -> None:
        """It came to its end.  Without an answer, the device may still be on it."""
        ...

    def stuck_during(self, doing: str) -> StuckDuring | None:
        """What to say of a request in flight; None while the device answers."""
        ...

    def try_it(self) -> Future[bool]:
        """Whether the device still answers, which is tried now."""
        ...


@dataclass(frozen=True)
class _Job:
    request: Request
    deadline_s: float
    doing: str
    """For messages: 'rendering plasma.frag'."""
    remedy: str
    """What the user can do when it goes over a limit."""
    on_device: bool = True
    future: Future = field(default_factory=Future)


class _TooLate(Exception):
    """The deadline passed without an answer."""

    def __init__(self, *, in_driver: bool):
        """`in_driver`: that of the driver's compiler."""
        self.in_driver = in_driver


class _TooLarge(Exception):
    """The child holds more memory than it may."""

    def __init__(self, held: int, limit: int):
        """Bytes."""
        self.held = f"{held / (1 << 20):.0f} MiB"
        self.limit = f"{limit / (1 << 20):.0f} MiB"


class _Allowed:
    """The time a child has left, from now on."""

    def __init__(self, pid: int, deadline_s: float, patient: bool):
        """`patient`: without the time in which it, or what it started, waited for a processor.

        It has had its time all the same once its threads ran for as long as all processors had
        until the deadline: one thread may wait while the others do its work.
        """
        self._pid, self._patient = pid, patient
        self._deadline_s = deadline_s
        self._end = time.monotonic() + deadline_s
        self._threads = self._thread_times()
        self._added = 0.0

    def left_s(self) -> float:
        """Seconds; none or fewer once the deadline has passed."""
        left = self._end - time.monotonic()
        if left > 0 or not self._patient:
            return left
        threads = self._thread_times()
        waited = processors.longest_wait(self._threads, threads)
        unused = self._deadline_s - processors.ran(self._threads, threads) / processors.usable()
        self._end += max(min(waited - self._added, unused), 0.0)
        self._added = max(waited, self._added)
        return self._end - time.monotonic()

    def _thread_times(self) -> dict[int, processors.Times]:
        if not self._patient:
            return {}
        return processors.thread_times((self._pid, *process_tree.descendants(self._pid)))


class Supervisor:
    """A child process running a server, fed from any thread, answering by futures.

    Nothing is spawned before `start` or the first request.  Futures of requests not yet sent can
    be cancelled.
    """

    def __init__(
        self,
        server: Server,
        *,
        name: str,
        start_deadline_s: float,
        compile_deadline_s: float = inf,
        memory_bytes: int | None = None,
        spare: bool = False,
        idle_s: float | None = None,
        patient: bool = False,
        crash_remedy: str = "",
        device: Device | None = None,
    ):
        """With `spare`, a second child that came up stands by to replace the first.

        `compile_deadline_s`: for each time that the driver compiles for a request, which does not
        count towards the request's own deadline.
        `idle_s`: a child without a request for so long is ended; the next request starts another.
        `patient`: deadlines leave out the time in which the child waited for a processor, so that
        none is missed because the machine is busy.  Nobody may be waiting for the answers then.
        `crash_remedy`: what the user can do about a child that a fault of its own code ended, where
        a request's own remedy, which is about limits, would not help.
        `device`: what the requests run on.  After a deadline, a death or a lost device it is tried
        in a process of its own, before anything is blamed.
        """
        self._device = device
        self._name = name
        self._idle_s = idle_s
        self._patient = patient
        self._crash_remedy = crash_remedy
        self._start_deadline_s = start_deadline_s
        self.compile_deadline_s = compile_deadline_s
        self.memory_bytes = memory_bytes
        """Resident memory the child and what it starts may hold; None for no limit."""
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._children = Children(server, name, spare=spare)
        self._running: _Job | None = None
        self._given_up = False
        self._closed = False
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    @property
    def pid(self) -> int | None:
        """Process id of the present child."""
        child = self._children.present
        return child.pid if child is not None else None

    @property
    def pids(self) -> set[int]:
        """Process ids of the present child and its spare."""
        return self._children.pids

    @property
    def replacements(self) -> int:
        """Children killed or found dead so far."""
        return self._children.replacements

    @property
    def longest_replacement_s(self) -> float:
        """Most seconds from finding a child lost to another one in its place."""
        return self._children.longest_replacement_s

    def start(self) -> None:
        """Bring the child up without waiting for it."""
        with self._lock:
            if self._thread is None and not self._closed:
                thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                thread.start()  # what was not started is not waited for on closing
                self._thread = thread

    def submit(
        self,
        request: Request,
        *,
        deadline_s: float,
        doing: str,
        remedy: str = "",
        on_device: bool = True,
    ) -> Future:
        """Queue a request; the future's exception is always a ShaderlabError.

        ShaderTimeout after `deadline_s` of the child's work on it, OutOfMemory when the child grew
        past `memory_bytes`, DeviceLost when it died, Abandoned after `abandon`; the first two say
        `remedy`.  StuckDuring where the device no longer answered meanwhile, DeviceStuck where it
        did not before: the request was not sent.  `on_device`: whether the device does any of it.
        """
        job = _Job(request, deadline_s, doing, remedy, on_device)
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
            job, child = self._running, self._children.present
            if job is None or job.future is not future or child is None:
                return False
            self._given_up = True
            process_tree.kill(child.pid)
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
            self._children.close()
        if wait and self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(_CLOSING_S)

    # -- the supervising thread -------------------------------------------------------------

    def _run(self) -> None:
        self._children.try_to_spawn()
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
                self._children.bury()
                job.future.set_exception(DeviceLost(f"{job.doing}: {error}"))
            else:
                job.future.set_result(result)
                self._shrink()
        self._children.end()

    def _next(self) -> _Job | None:
        """The next job; meanwhile a child that was well and died while idle is replaced."""
        idle_since = time.monotonic()
        while True:
            self._children.tend()
            try:
                return self._jobs.get(timeout=_IDLE_WATCH_S)
            except queue.Empty:
                self._children.replace_if_dead()
            if self._idle_s is not None and time.monotonic() - idle_since > self._idle_s:
                self._children.rest()

    def _shut_down(self, job: _Job) -> DeviceLost:
        return DeviceLost(f"{job.doing}: the {self._name} is shut down")

    def _perform(self, job: _Job) -> Any:
        device = self._device if job.on_device else None
        if device is None:
            return self._perform_with_luck(job)
        device.require()
        device.begin(job.future, job.doing)
        answered = False
        try:
            result = self._perform_with_luck(job)
            answered = True
            return result
        except Abandoned:
            raise
        except ShaderlabError:
            answered = True
            raise
        finally:
            device.end(job.future, answered=answered)

    def _perform_with_luck(self, job: _Job) -> Any:
        """Again where the process that children are forked from ended."""
        try:
            return self._perform_once(job, again=True)
        except ForkServerEnded:
            log.warning("%s: the process that children are forked from ended; again", job.doing)
            self._children.renew()
            return self._perform_once(job, again=False)

    def _perform_once(self, job: _Job, again: bool) -> Any:
        """`again`: raises ForkServerEnded where that is what a child was lost to."""
        try:
            child = self._hand_over(job)
            if child is None:
                self._children.renew()  # died of something else, just before
                child = self._hand_over(job)
            if child is None:
                raise EOFError
            reply = self._receive(child, job.deadline_s, Reply, job)
        except (EOFError, OSError) as error:
            if again and not self._closed and not self._given_up and self._lost_server(error):
                raise ForkServerEnded from None
            raise self._replace(self._death_of(job), job) from None
        except _TooLate as late:
            raise self._replace(self._timeout(job, in_driver=late.in_driver), job) from None
        except _TooLarge as excess:
            message = (
                f"{job.doing} took {excess.held} of memory, over its limit of {excess.limit}, "
                "and was stopped"
            )
            raise self._replace(OutOfMemory(message).with_remedy(job.remedy), job) from None
        finally:
            with self._lock:
                self._running = None
        if isinstance(reply.error, DeviceLost):
            untried = child.stood_by and not child.answered
            self._children.drop_spare()  # on the same device
            error = self._replace(reply.error, job)
            if error is not reply.error:
                raise error
            if untried:  # lost with the child before it, not by this request
                return self._perform_once(job, again)
        else:
            child.answered = True
        if reply.error is not None:
            if isinstance(reply.error, ShaderTimeout | OutOfMemory) and not reply.error.remedy:
                reply.error.remedy = job.remedy
            raise reply.error
        return reply.result

    def _timeout(self, job: _Job, *, in_driver: bool) -> ShaderTimeout:
        """`in_driver`: while the driver compiled."""
        who, limit_s, remedy = job.doing, job.deadline_s, job.remedy
        if in_driver:
            who, limit_s = f"{who}: the driver's compiler", self.compile_deadline_s
            remedy = _LESS_CODE
        message = f"{who} took longer than its limit of {limit_s:.3g} s and was stopped"
        return ShaderTimeout(message).with_remedy(remedy)

    def _lost_server(self, error: Exception) -> bool:
        return isinstance(error, ForkServerEnded) or self._children.lost_their_server

    def _hand_over(self, job: _Job) -> ChildProcess | None:
        """Have a child that is well begin on the job; None where it died before it could."""
        child = self._children.alive()
        if child is None or child.ready_at is None:
            self._await_ready(child, job)
        assert child is not None
        with self._lock:
            self._running, self._given_up = job, False
        try:
            child.pipe.send_bytes(_pickled(job.request))
            self._receive(child, job.deadline_s, Begun, job)
        except (EOFError, OSError):
            return child if self._closed or self._given_up else None  # what follows says so
        return child

    def _await_ready(self, child: ChildProcess | None, job: _Job) -> None:
        """Wait for a child's first sign of life; None for one that was not started any more."""
        try:
            if child is None:
                raise EOFError
            reply = self._receive(child, self._start_deadline_s, Reply, job)
        except (EOFError, OSError):
            if not self._closed and self._children.lost_their_server:
                raise ForkServerEnded from None
            epitaph = self._children.epitaph()
            self._children.bury()
            raise StartFailed(f"{job.doing}: while starting, {epitaph}") from None
        except _TooLate:
            raise self._found_stuck(job) or StartFailed(
                f"{job.doing}: the {self._name} did not start within {self._start_deadline_s:g} s"
            ) from None
        except _TooLarge as excess:
            self._children.bury()
            raise StartFailed(
                f"{job.doing}: the {self._name} took {excess.held} of memory while starting, over "
                f"its limit of {excess.limit}"
            ) from None
        if reply.error is not None:
            self._children.bury()
            raise reply.error
        child.ready_at = time.monotonic()

    def _receive(self, child: ChildProcess, deadline_s: float, kind: type[_M], job: _Job) -> _M:
        """What the child says next.

        Raises _TooLate, _TooLarge, StuckDuring, and EOFError when the child is gone or the
        supervisor closed.
        """
        allowed, kept_s = _Allowed(child.pid, deadline_s, self._patient), None
        while not self._closed:
            left = allowed.left_s()
            if left <= 0:
                raise _TooLate(in_driver=kept_s is not None)
            if child.pipe.poll(min(left, _WATCH_S)):
                message = child.pipe.recv()
                if isinstance(message, DriverCompiles):
                    now_s = self.compile_deadline_s if kept_s is None else kept_s
                    kept_s = left if message.begins else None
                    allowed = _Allowed(child.pid, now_s, self._patient)
                    continue
                assert isinstance(message, kind)
                return message
            self._weigh(child)
            self._children.tend()
            if (error := self._stuck_during(job)) is not None:
                self._children.rest()
                raise error
        raise EOFError

    def _weigh(self, child: ChildProcess) -> None:
        limit = self.memory_bytes
        if limit is not None and (held := process_tree.resident_bytes(child.pid)) > limit:
            raise _TooLarge(held, limit)

    def _shrink(self) -> None:
        """A child that answered but kept more memory than its limit is restarted."""
        child = self._children.present
        if child is None:
            return
        try:
            self._weigh(child)
        except _TooLarge as excess:
            log.info("the %s kept %s; restarting it", self._name, excess.held)
            self._children.renew()

    def _death_of(self, job: _Job) -> ShaderlabError:
        if self._given_up and not self._closed:
            return Abandoned(f"{job.doing} was stopped for a newer request")
        message = f"{job.doing}: {self._children.epitaph()}"
        if self._closed:
            return DeviceLost(message)
        if self._children.present is None:
            return StartFailed(message)  # which is not the request's doing: no remedy
        of_crash = self._crash_remedy if self._children.has_crashed else ""
        return DeviceLost(message).with_remedy(self._children.remedy or of_crash or job.remedy)

    def _replace(self, error: ShaderlabError, job: _Job) -> ShaderlabError:
        """Another child in the place of one that failed with the error; returned is the error, or
        what says that it was the device's.  Then no child is started: it might hang as well."""
        if self._closed or isinstance(error, Abandoned):
            self._children.renew()
            return error
        fatal = isinstance(error, ShaderTimeout | DeviceLost) and not isinstance(error, StartFailed)
        stuck = self._found_stuck(job) if fatal else None
        if stuck is not None:
            log.warning("%s", stuck)
            self._children.rest()
            return stuck
        log.warning("%s; starting a new %s", error, self._name)
        self._children.renew()
        return error

    def _found_stuck(self, job: _Job) -> StuckDuring | None:
        """End the child and try the device, which may be why nothing came of the job."""
        self._children.bury()  # whose end may be all that the device needs
        device = self._device if job.on_device else None
        if device is not None and not device.stuck_during(job.doing):
            trial = device.try_it()
            while not trial.done() and not self._closed:
                futures.wait([trial], timeout=_WATCH_S)
        return self._stuck_during(job)

    def _stuck_during(self, job: _Job) -> StuckDuring | None:
        device = self._device if job.on_device else None
        return device.stuck_during(job.doing) if device is not None else None


def _pickled(request: Request) -> memoryview:
    """As `Connection.send` does, but again if another thread came between.

    Programs and traces cache what is asked of them, so they may grow while they are pickled.
    """
    for _ in range(_PICKLE_TRIES - 1):
        with contextlib.suppress(RuntimeError):
            return ForkingPickler.dumps(request)
    return ForkingPickler.dumps(request)
