"""Counts: how often each block of the current program ran, of its other forms and other passes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.device_place import NOTHING, DevicePlace
from shaderlab.app.session.quarantine import Task
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.program import Program
from shaderlab.scene.draw import Draw, Frame
from shaderlab.workers.device import DeviceWorker

if TYPE_CHECKING:
    from shaderlab.spirv.trace import Trace


class CountJobs(QObject):
    """The current program once per version; after it whatever else is asked for."""

    changed = Signal()
    """`trace` or `error` is new."""

    def __init__(self, place: DevicePlace, parent: QObject):
        super().__init__(parent)
        self._place = place
        self._asked: deque[_Asked] = deque()
        self.hold = False
        """A newer text is being compiled: counts would be wasted."""
        self.trace: Trace | None = None
        self.error: ShaderlabError | None = None
        self.draw: Draw | None = None
        """What `trace`, or `error`, is of."""
        self.frame: Frame | None = None
        """The frame it was counted in."""
        self._under_way: _Asked | None = None
        self.vertex: Trace | None = None
        """Of the draw's own vertex stage, where it has one that the device can count."""
        self.variant = self._prepared = NOTHING
        self.took_s = 0.0
        """Seconds the latest trace's request took."""

    def clear(self) -> None:
        """Another document: nothing of the former one stays."""
        self.trace = self.draw = self.frame = self.vertex = None
        self.forget()

    def forget(self) -> None:
        """Another device: what is known of the program must be counted again."""
        self._asked.clear()
        self.again()

    def again(self) -> None:
        self.variant, self.error = NOTHING, None

    def drop_asked(self) -> None:
        """Another program or other values: nobody waits for what belongs to the former ones."""
        self._asked.clear()

    @property
    def program(self) -> Program | None:
        """What was counted."""
        return self.draw.program if self.draw is not None else None

    @property
    def current(self) -> bool:
        """Whether the counts are of the current program with its present values."""
        return self._place.program is not None and self.variant == self._place.variant

    @property
    def due(self) -> bool:
        """Whether the current program is still to be counted, and can be."""
        is_moving = self._place.settings.moving
        return not (self.current or self.hold or is_moving) and self.error is None

    @property
    def more_due(self) -> bool:
        """Whether something else was asked for and may be counted now."""
        return bool(self._asked) and not self.hold and self.current

    @property
    def prepared(self) -> bool:
        """Whether the driver was asked to compile the current program to be counted."""
        return self._prepared == self._place.variant

    def prepare(self, worker: DeviceWorker, program: Program) -> None:
        """Have the driver compile it; what goes wrong does so again where it is counted."""
        place, (frame, _) = self._place, self._frame(program)
        self._prepared = place.variant
        place.runner.run(
            place.job(Task.TRACE, program, first=True),
            lambda: worker.prepare_trace(frame.shown),
            lambda _: None,
            lambda _error: None,
            abandon=worker.abandon,
        )
        place.state_changed.emit()

    def send(self, worker: DeviceWorker, program: Program) -> None:
        """Count the current program."""
        place = self._place
        frame, name = self._frame(program)
        draw, variant = frame.named(name), place.variant
        self._under_way = None

        def finish(
            trace: Trace | None, error: ShaderlabError | None, vertex: Trace | None = None
        ) -> None:
            self.trace, self.error, self.vertex = trace, error, vertex
            self.draw, self.frame, self.variant = draw, frame, variant
            self.took_s = place.clock.now() - place.runner.since
            place.interrupted.emit()
            self.changed.emit()

        def counted(trace: Trace) -> None:
            if draw.vertex is None:
                finish(trace, None)
                return
            place.runner.run(
                place.job(Task.TRACE, program, first=True),
                lambda: worker.trace_vertex(frame, name or frame.passes[-1].name),
                lambda vertex: finish(trace, None, vertex),
                lambda _error: finish(trace, None),  # forecasts say that it is not counted
                abandon=worker.abandon,
            )

        place.runner.run(
            place.job(Task.TRACE, program, first=True),
            lambda: _trace(worker, frame, name),
            counted,
            lambda error: finish(None, error),
            abandon=worker.abandon,
        )
        place.state_changed.emit()

    def ask_form(
        self,
        form: Program,
        done: Callable[[Trace], object],
        failed: Callable[[ShaderlabError], object],
    ) -> None:
        """Count the same frame with another form of the current program, as `ask` does."""
        frame, name = self._frame(form)
        self.ask(frame, name, done, failed)

    def ask(
        self,
        frame: Frame,
        name: str,
        done: Callable[[Trace], object],
        failed: Callable[[ShaderlabError], object],
    ) -> None:
        """Count one pass of a frame, once there is time; an empty name: the only one.

        Not called if the current program or what it is given changes first.  `failed` gets
        Quarantined where counting the pass ended a worker before.
        """
        self._asked.append(_Asked(frame, name, done, failed))
        self._place.wanted.emit()

    def awaits(self, done: Callable[[Trace], object]) -> bool:
        """Whether this, given to `ask`, may still be called."""
        left = [*self._asked]
        if self._under_way is not None and self._place.runner.busy:
            left.append(self._under_way)
        return any(each.done is done for each in left)

    def send_more(self, worker: DeviceWorker, program: Program) -> None:
        """Count the next pass or form that was asked for.  Only while `more_due`."""
        place, asked = self._place, self._asked.popleft()
        self._under_way = asked

        def done(trace: Trace) -> None:
            self._under_way = None
            place.interrupted.emit()
            asked.done(trace)

        def failed(error: ShaderlabError) -> None:
            self._under_way = None
            place.interrupted.emit()
            asked.failed(error)

        form = asked.frame.named(asked.name).program
        place.runner.run(
            place.job(Task.TRACE, program, first=True, form=form),
            lambda: _trace(worker, asked.frame, asked.name),
            done,
            failed,
            abandon=worker.abandon,
        )
        place.state_changed.emit()

    def _frame(self, program: Program) -> tuple[Frame, str]:
        """The frame to count with the program, and the pass that it is; empty: the only one."""
        passes = self._place.settings.passes
        return passes.frame(self._place.settings.counted(program)), passes.edited


def _trace(worker: DeviceWorker, frame: Frame, name: str) -> Future[Trace]:
    """Have one pass counted; without a name, the only draw of the frame."""
    return worker.trace_pass(frame, name) if name else worker.trace(frame.shown)


@dataclass(frozen=True, eq=False)
class _Asked:
    """A pass to count, and who waits for its trace."""

    frame: Frame
    name: str
    done: Callable[[Trace], object]
    failed: Callable[[ShaderlabError], object]
