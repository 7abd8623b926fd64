"""A device's one place for a request: what is in it, for how long, and how it comes out again."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from time import perf_counter

from shaderlab.app.qt import QObject, QTimer, Signal
from shaderlab.app.session.bridge import Bridge
from shaderlab.app.session.quarantine import Quarantine, ends_workers
from shaderlab.errors import Abandoned, ShaderlabError
from shaderlab.frontend.program import Program
from shaderlab.workers.device import DeviceWorker

PATIENCE_S = 0.6
"""A request for a program that was changed meanwhile is given up after so long."""
_GIVEN_UP = frozenset(("render", "heat", "trace"))
"""Tasks that are of no use once their program is no longer wanted."""
_BLAMED = _GIVEN_UP
"""Tasks whose program is to blame for a worker's end, and is remembered for it."""


class RequestSlot(QObject):
    """Holds one request at a time; answers for a former document or device are dropped."""

    freed = Signal()
    """A request came to its end and was told of; there is room for the next."""

    def __init__(self, bridge: Bridge, quarantine: Quarantine, parent: QObject):
        super().__init__(parent)
        self._bridge = bridge
        self._quarantine = quarantine
        self.worker: DeviceWorker | None = None
        self.task = ""
        """What the device is on: "", "render", "heat", "trace" or "profile"."""
        self.since = 0.0
        """`perf_counter` when the latest request was sent."""
        self._request: Future | None = None
        self._of: Program | None = None
        self._wanted: Program | None = None
        self._ticket = 0
        self._impatience = QTimer(self, singleShot=True)
        self._impatience.timeout.connect(self._give_up_outdated)

    def use(self, worker: DeviceWorker) -> None:
        """Send requests here from now on; the former worker is closed."""
        if self.worker is not None:
            self.worker.close(wait=False)  # a driver may take its time to let go
        self.worker = worker
        worker.start()
        self.drop()
        self.task = ""

    def drop(self) -> None:
        """Tell nobody of what is under way."""
        self._ticket += 1

    def want(self, program: Program | None) -> None:
        """A request for any other program is given up, if it does not end soon by itself."""
        self._wanted = program
        self._give_up_outdated()

    def close(self) -> None:
        self._impatience.stop()
        if self.worker is not None:
            self.worker.close()

    @property
    def place(self) -> str:
        """Slug of the device."""
        return self.worker.info.slug

    @property
    def busy_s(self) -> float:
        """Seconds the device has been on its present request; 0 where it is free."""
        return perf_counter() - self.since if self.task else 0.0

    def send(
        self,
        task: str,
        program: Program,
        request: Future,
        done: Callable,
        failed: Callable[[ShaderlabError], None],
        *,
        first: bool = False,
        of: Program | None = None,
        excuse: Callable[[ShaderlabError], ShaderlabError | None] | None = None,
    ) -> None:
        """Hold `request` until it is answered, then call `done` or `failed`.

        `first`: the program was never run for this, so the file of what is under way names it.
        `of`: whose sibling `program` is; once that is outdated the request is too.
        `excuse`: asked about an error the program is to blame for; gives that or a clearer one, or
        None where nobody is to be told as it will be tried again.
        """
        if first:
            self._quarantine.begin(program, task, self.place)
        self._impatience.stop()
        self.task = task
        self.since = perf_counter()
        self._request, self._of = request, of or program
        worker, ticket = self.worker, self._ticket

        def answered() -> bool:
            """Whether the slot is still the request's own; it is free then."""
            if worker is not self.worker:
                return False
            self.task, self._request = "", None
            self._quarantine.end()
            return True

        def succeed(value: object) -> None:
            if answered():
                if ticket == self._ticket:
                    done(value)
                self.freed.emit()

        def fail(error: ShaderlabError) -> None:
            if answered():
                told = self._judged(error, task, program, excuse)
                if ticket == self._ticket and told is not None:
                    failed(told)
                self.freed.emit()

        self._bridge.watch(request, succeed, fail)

    def _judged(
        self, error: ShaderlabError, task: str, program: Program, excuse: Callable | None
    ) -> ShaderlabError | None:
        """What to tell; a program to blame is remembered, even where its document was left."""
        if isinstance(error, Abandoned):
            return None
        if task in _BLAMED and ends_workers(error):
            told = excuse(error) if excuse is not None else error
            if told is not None:
                self._quarantine.add(program, task, self.place, str(told))
            return told
        return error

    def _give_up_outdated(self) -> None:
        """What the device is on is no longer wanted: wait a little, then give it up."""
        if self.task not in _GIVEN_UP or self._request is None:
            return
        wanted = self._wanted
        if wanted is not None and wanted.digest == self._of.digest:
            return
        left = PATIENCE_S - self.busy_s
        if left > 0:
            self._impatience.start(round(left * 1000) + 1)
        else:
            self.worker.abandon(self._request)
