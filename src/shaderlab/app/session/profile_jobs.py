"""Profiles: how long the current program, or its frame, takes on the device, when asked for."""

from __future__ import annotations

from concurrent.futures import Future
from typing import TYPE_CHECKING

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.device_place import NOTHING, DevicePlace
from shaderlab.app.session.draw_settings import Variant
from shaderlab.app.session.jobs import Job
from shaderlab.app.session.profile_run import TOGETHER, FrameProfile, ProfileRun
from shaderlab.app.session.suspects import Task
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.program import Program
from shaderlab.scene.draw import CANONICAL_SIZE, Draw
from shaderlab.workers.device import DeviceWorker

if TYPE_CHECKING:
    from shaderlab.gpu.measurement import Measurement


class ProfileJobs(QObject):
    """One profile at a time: of one size or several, or of each pass of the frame."""

    changed = Signal()
    """`measurement` or `error` is new."""

    def __init__(self, place: DevicePlace, parent: QObject):
        super().__init__(parent)
        self._place = place
        self._run: ProfileRun | None = None
        self.clear()

    def clear(self) -> None:
        """What was asked for and measured belongs to a former document or device."""
        self._run = None
        self.measurement: Measurement | None = None
        self.draw: Draw | None = None
        """What was measured."""
        self.variant: Variant = NOTHING
        self.asked: tuple[int, int] | None = None
        """Trials, draws per trial that were wanted for it."""
        self.by_size: tuple[Measurement, ...] = ()
        """Of the measured program at several sizes; empty where only one was asked for."""
        self.frame: FrameProfile | None = None
        """Of all passes of the frame that `draw` is one of."""
        self.error: ShaderlabError | None = None
        """Why something was not measured: of a frame's other passes, beside `measurement`."""

    @property
    def program(self) -> Program | None:
        """What was measured."""
        return self.draw.program if self.draw is not None else None

    @property
    def running(self) -> bool:
        """Whether one is under way or asked for."""
        return self._run is not None

    def ask(
        self,
        trials: int,
        draws: int,
        sizes: tuple[tuple[int, int], ...] = (CANONICAL_SIZE,),
        *,
        alone: bool = False,
    ) -> None:
        """Profile the current program, at each size, as soon as the device is free.

        Of a frame of several passes each is profiled at one size, then all together; not with
        `alone`.
        """
        if self._run is None:
            self._run = ProfileRun(trials, draws, sizes, alone=alone)
            self._place.ask()

    def send(self, worker: DeviceWorker, program: Program) -> None:
        """Measure the next size or pass.  Only while `running`."""
        run = self._run
        assert run is not None
        place = self._place
        passes, variant = place.settings.passes, place.variant
        self.error = None
        if place.settings.problem is not None:
            self._run, self.error = None, place.settings.problem
            self.changed.emit()
            return
        edited = place.settings.draw(program)
        (name, _), draw = run.next(edited, passes.edited, passes.names)
        canonical, frame = passes.draw(edited), passes.frame(draw)

        def ask() -> Future[Measurement]:
            if name is TOGETHER:
                return worker.profile_frame(frame, run.trials, run.draws)
            if name:
                return worker.profile_pass(frame, name, run.trials, run.draws)
            return worker.profile(draw, run.trials, run.draws)

        def done(measurement: Measurement) -> None:
            if run.add(measurement):
                finish(None)

        def finish(error: ShaderlabError | None) -> None:
            self._run = None
            if error is None and len(run.sizes) > 1:
                self.by_size = run.by_size
            elif self.variant != variant:
                self.by_size = ()
            self.frame = run.frame(frame.draws_per_frame)
            self.measurement, self.error = run.canonical, error
            self.draw, self.variant = canonical, variant
            self.asked = run.trials, run.draws
            place.interrupted.emit()
            self.changed.emit()

        place.runner.run(  # never stopped, and never quarantined: the user asked for it
            Job(Task.PROFILE, place.settings.suspect(program), blamed=False),
            ask,
            done,
            finish,
        )
        place.state_changed.emit()
