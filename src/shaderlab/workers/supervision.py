"""The parent's side: one child, its requests in order, a deadline each, replacement on failure.

A child that misses a deadline is killed, one that dies is buried; either way the request that
met it answers with an error that names the cause, a new child starts at once, and the requests
behind it go on.
"""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import queue
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from shaderlab.errors import DeviceLost, ShaderlabError, ShaderTimeout
from shaderlab.workers.child import Reply, Request, serve

log = logging.getLogger(__name__)

_SPAWN = multiprocessing.get_context("spawn")


@dataclass(frozen=True)
class _Job:
    request: Request
    deadline_s: float
    doing: str
    """For messages: 'rendering plasma.frag'."""
    future: Future = field(default_factory=Future)


class Supervisor:
    """A child process running `server` (`module:Class`), fed from any thread, answering by futures.

    Nothing is spawned before `start` or the first request.  Futures of requests not yet sent can
    be cancelled.
    """

    def __init__(
        self, server: str, arguments: tuple[Any, ...] = (), *, name: str, start_deadline_s: float
    ):
        self._server = server
        self._arguments = arguments
        self._name = name
        self._start_deadline_s = start_deadline_s
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._child: multiprocessing.process.BaseProcess | None = None
        self._pipe: Any = None
        self._ready = False
        self._closed = False
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self.replacements = 0
        """Children killed or found dead so far."""
        self.on_replaced: Callable[[], None] = lambda: None
        """Called in the supervising thread when a child is gone, before its request answers."""

    @property
    def pid(self) -> int | None:
        """Process id of the present child."""
        child = self._child
        return child.pid if child is not None else None

    def start(self) -> None:
        """Bring the child up without waiting for it."""
        with self._lock:
            if self._thread is None and not self._closed:
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()

    def submit(self, method: str, *arguments: Any, deadline_s: float, doing: str) -> Future:
        """Queue `method(*arguments)`; the future's exception is always a ShaderlabError.

        ShaderTimeout after `deadline_s` of the child's work on it, DeviceLost when the child died.
        """
        job = _Job(Request(method, arguments), deadline_s, doing)
        self.start()
        with self._lock:
            if not self._closed:
                self._jobs.put(job)
                return job.future
        job.future.set_exception(self._shut_down(job))
        return job.future

    def close(self) -> None:
        """Kill the child and fail what is still queued.  Idempotent."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._jobs.put(None)
            child = self._child
        if child is not None:
            child.kill()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=5)

    # -- the supervising thread -------------------------------------------------------------

    def _run(self) -> None:
        with contextlib.suppress(OSError):  # the first request tries again and answers for it
            self._spawn()
        while (job := self._jobs.get()) is not None:
            if not job.future.set_running_or_notify_cancel():
                continue
            if self._closed:
                job.future.set_exception(self._shut_down(job))
                continue
            try:
                result = self._perform(job)
            except ShaderlabError as error:
                job.future.set_exception(error)
            except Exception as error:
                log.exception("%s", job.doing)
                self._bury()
                job.future.set_exception(DeviceLost(f"{job.doing}: {error}"))
            else:
                job.future.set_result(result)
        self._bury()

    def _shut_down(self, job: _Job) -> DeviceLost:
        return DeviceLost(f"{job.doing}: the {self._name} is shut down")

    def _perform(self, job: _Job) -> Any:
        if self._child is None or not self._child.is_alive():
            self._bury()
            self._spawn()
        if not self._ready:
            self._await_ready(job)
        try:
            self._pipe.send(job.request)
            reply = self._receive(job.deadline_s)
        except (EOFError, OSError):
            raise self._replace(job, DeviceLost(f"{job.doing}: {self._epitaph()}")) from None
        if reply is None:
            message = (
                f"{job.doing} took longer than its limit of {job.deadline_s:g} s and was stopped"
            )
            raise self._replace(job, ShaderTimeout(message))
        if reply.error is not None:
            if isinstance(reply.error, DeviceLost):
                self._replace(job, reply.error)
            raise reply.error
        return reply.result

    def _await_ready(self, job: _Job) -> None:
        try:
            reply = self._receive(self._start_deadline_s)
        except (EOFError, OSError):
            epitaph = self._epitaph()
            self._bury()
            raise DeviceLost(f"{job.doing}: while starting, {epitaph}") from None
        if reply is None:
            self._bury()
            raise ShaderTimeout(
                f"{job.doing}: the {self._name} did not start within {self._start_deadline_s:g} s"
            )
        if reply.error is not None:
            self._bury()
            raise reply.error
        self._ready = True

    def _receive(self, deadline_s: float) -> Reply | None:
        """The next reply, or None past the deadline."""
        end = time.monotonic() + deadline_s
        while not self._closed:
            left = end - time.monotonic()
            if left <= 0:
                return None
            if self._pipe.poll(min(left, 0.5)):
                return self._pipe.recv()
        raise EOFError

    def _epitaph(self) -> str:
        if self._closed:
            return f"the {self._name} was shut down"
        self._child.join(timeout=1)
        code = self._child.exitcode
        if code is not None and code < 0:
            return f"the {self._name} was ended by {signal.Signals(-code).name}"
        return f"the {self._name} ended unexpectedly (exit code {code})"

    def _replace(self, job: _Job, error: ShaderlabError) -> ShaderlabError:
        if not self._closed:
            log.warning("%s; starting a new %s", error, self._name)
        self._bury()
        self.replacements += 1
        self.on_replaced()
        self._spawn()
        return error

    def _spawn(self) -> None:
        with self._lock:
            if self._closed:
                return
            self._pipe, theirs = _SPAWN.Pipe()
            self._child = _SPAWN.Process(
                target=serve, args=(theirs, self._server, self._arguments), daemon=True
            )
            self._child.start()
            theirs.close()
            self._ready = False

    def _bury(self) -> None:
        with self._lock:
            if self._child is not None:
                self._child.kill()
                self._child.join()
                self._child.close()
                self._pipe.close()
            self._child = None
            self._ready = False
