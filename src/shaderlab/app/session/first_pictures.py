"""The first picture of a changed program, drawn by a second child while the first one counts.

A software driver spends most of the time to a first picture on optimising code.  A child that skips
most of that (`drivers.compile_quickly`) has the picture sooner, and the device can compile the
counting program meanwhile.  If anything goes wrong here, the device itself draws the picture and
reports the error.
"""

from __future__ import annotations

from dataclasses import replace

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.device_place import DevicePlace
from shaderlab.app.session.jobs import JobRunner, Tools
from shaderlab.app.session.picture_jobs import PictureJobs
from shaderlab.app.session.suspects import Task
from shaderlab.engine.quarantine import ends_workers
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.program import Program
from shaderlab.workers.device import DeviceWorker, RenderedFrame

DEADLINE_S = 2.0
"""A picture that takes longer is the device's to draw, with the limit that the user chose."""


class FirstPictures(QObject):
    """One at a time, of the program that is current when it is asked for."""

    ended = Signal()
    """A picture came, or will not come."""

    def __init__(self, tools: Tools, place: DevicePlace, pictures: PictureJobs, parent: QObject):
        super().__init__(parent)
        self._place, self._pictures, self._clock = place, pictures, tools.clock
        self._runner = JobRunner(tools, self)
        self._runner.freed.connect(self.ended)
        self.worker: DeviceWorker | None = None
        self._digest = ""
        """Of the program drawn last."""

    def use(self, worker: DeviceWorker | None) -> None:
        """Draw with this one from now on, the former one is closed; None: nothing is drawn here."""
        if self.worker is not None:
            self.worker.close(wait=False)
        self.worker = worker
        self._runner.replace_worker()
        if worker is not None:
            worker.start()

    def clear(self) -> None:
        """Another document."""
        self._runner.leave_document()
        self._runner.want(None)

    @property
    def drawing(self) -> bool:
        """Whether the current program's picture is on its way."""
        program = self._place.program
        return self._runner.busy and program is not None and program.digest == self._digest

    def begin(self, program: Program) -> None:
        """Draw the current program, if that is worth it and no former one is still being drawn."""
        place, pictures, worker = self._place, self._pictures, self.worker
        self._runner.want(program.digest)
        if worker is None or self._runner.busy or not pictures.may_be_drawn_elsewhere:
            return
        self._digest = program.digest
        frame, variant, before = pictures.next_frame(program), place.variant, pictures.frame

        def show(picture: RenderedFrame) -> None:
            if place.is_wanted(program) or pictures.frame is before:
                pictures.show_first(variant, picture, self._clock.now() - self._runner.since)

        def leave(error: ShaderlabError) -> None:
            if ends_workers(error) and place.is_wanted(program):
                place.runner.give_up()  # its counts would meet the same fate, after a longer wait

        self._runner.run(
            replace(place.job(Task.RENDER, program), blamed=False),
            lambda: worker.render(frame, DEADLINE_S, pictures.shown),
            show,
            leave,
            abandon=worker.abandon,
        )
