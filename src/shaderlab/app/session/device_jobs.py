"""The device's work: one request at a time, the most wanted first.

A changed program is drawn once at once, then counted, then (if asked) profiled, then its other
forms are counted; what time is left goes to the frames of the preview.  Where a second child draws
the first picture (`first_pictures`), the program is counted meanwhile.
"""

from __future__ import annotations

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.compared_pictures import ComparedPictures
from shaderlab.app.session.counts import Counts
from shaderlab.app.session.device_place import DevicePlace
from shaderlab.app.session.draw_settings import DrawSettings, Variant
from shaderlab.app.session.first_pictures import FirstPictures
from shaderlab.app.session.jobs import Tools
from shaderlab.app.session.picture_jobs import PictureJobs
from shaderlab.app.session.pixel_jobs import PixelJobs
from shaderlab.app.session.profile_jobs import ProfileJobs
from shaderlab.app.session.suspects import Task
from shaderlab.errors import DeviceStuck
from shaderlab.frontend.program import Program
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.workers.device import DeviceWorker


class DeviceJobs(QObject):
    """Draws, counts and profiles one program at a time on one device."""

    program_changed = Signal()
    device_changed = Signal()
    state_changed = Signal()

    def __init__(self, tools: Tools, settings: DrawSettings, parent: QObject):
        super().__init__(parent)
        self._settings = settings
        self._tools = tools
        self._awaited: DeviceWorker | None = None
        """Whose device answers nothing, and is waited for."""
        self._place = place = DevicePlace(tools, settings, self)
        self.counts = Counts(tools, place, self)
        self.pictures = PictureJobs(place, self.counts, self)
        self.first = FirstPictures(tools, place, self.pictures, self)
        self.first.ended.connect(self._on_freed)
        self.profiles = ProfileJobs(place, self)
        self.compared = ComparedPictures(place, self)
        self.pixels = PixelJobs(place, self.pictures, self)
        settings.changed.connect(self._on_settings)
        settings.rested.connect(self.pump)
        place.state_changed.connect(self.state_changed)
        place.wanted.connect(self.pump)
        place.runner.freed.connect(self._on_freed)

    # -- what to work with ------------------------------------------------------------------

    @property
    def worker(self) -> DeviceWorker | None:
        return self._place.worker

    @property
    def info(self) -> DeviceInfo | None:
        return self._place.info

    @property
    def program(self) -> Program | None:
        """The current program; None before a document's first."""
        return self._place.program

    @property
    def variant(self) -> Variant:
        """The current program as it is to be drawn now."""
        return self._place.variant

    @property
    def in_passes(self) -> bool:
        """Whether the program is one pass of several of a frame."""
        return bool(self._settings.passes.edited)

    @property
    def task(self) -> str:
        """What the device is on: "", "render", "heat", "trace", "pixel" or "profile"."""
        return self._place.runner.task or (Task.TRACE if self.counts.waiting else "")

    @property
    def busy_s(self) -> float:
        """Seconds the device has been on its present request; 0 where it is free."""
        return self._place.runner.busy_s or self.counts.busy_s

    @property
    def stuck(self) -> str:
        """Why nothing is drawn by any program's fault, and what to do; empty while it answers."""
        answering = self.worker.answering if self.worker is not None else None
        return f"{answering.words}. {answering.remedy}" if answering and answering.stuck else ""

    def use(self, worker: DeviceWorker, first: DeviceWorker | None = None) -> None:
        """Work on this device from now on; the former one's workers are closed.

        `first`: another of the device's, which has a program's first picture sooner.
        """
        place = self._place
        self.first.use(first)
        if place.worker is not None:
            place.worker.close(wait=False)  # a driver may take its time to let go
        place.worker = worker
        self._tools.crew.use_device(worker)
        worker.start()
        place.runner.replace_worker()
        self.pictures.forget()
        self.counts.again()
        self.profiles.clear()
        self.device_changed.emit()
        self.profiles.changed.emit()
        self.pump()

    def clear(self) -> None:
        """Another document: nothing of the former one stays."""
        self._place.runner.leave_document()
        self._place.program = None
        for part in (self.pictures, self.counts, self.profiles, self.pixels):
            part.clear()
        self.compared.clear()
        self.first.clear()
        self._place.runner.want(None)
        self.program_changed.emit()
        self.pictures.arrived.emit()
        self.counts.changed.emit()
        self.profiles.changed.emit()

    def set_program(self, program: Program) -> None:
        """The program to draw and count from now on."""
        is_new = not self._place.is_wanted(program)
        self._place.program = program
        if is_new:
            self._forgive()
            self.pictures.playback.resume()
        self._want()
        self.first.begin(program)
        self.program_changed.emit()
        self.pump()

    def _on_settings(self) -> None:
        """Inputs or geometry changed: what failed with the former ones may work with these."""
        self._forgive()
        self.pictures.playback.resume()
        self._want()
        self.state_changed.emit()
        self.pump()

    def _forgive(self) -> None:
        """Forget errors, so that what failed is tried again."""
        self.pictures.forgive()
        self.counts.leave()

    def _want(self) -> None:
        """Pictures of any values are wanted, counts only of those that are set."""
        if self.program is not None:
            self._place.runner.want(self.program.digest, self.variant)

    def again(self) -> None:
        """Draw and count the program once more, faults of the last time forgotten."""
        if self.program is not None:
            self._place.runner.release(self.program)
            self._place.runner.release(self._settings.suspect(self.program))
        self.pictures.again()
        self.counts.again()
        self.pump()

    def toggle_play(self) -> None:
        """Play or pause; playing after a fault tries the shader once more."""
        pictures = self.pictures
        if pictures.playback.playing:
            pictures.playback.pause()
        else:
            pictures.playback.play()
            if pictures.error is not None:
                self.again()
        pictures.rate.clear()
        self._place.ask()

    def close(self) -> None:
        self.pictures.stop()
        if self.worker is not None:
            self.worker.close()

    # -- what to do next --------------------------------------------------------------------

    def pump(self) -> None:
        """Send the device its next request, if it is free and there is one."""
        worker, program = self.worker, self.program
        if worker is None or program is None or self._place.runner.busy:
            return
        if self._settings.waiting:
            return
        pictures, counts, profiles = self.pictures, self.counts, self.profiles
        pictures.stop()
        if self.first.drawing:
            if counts.due and not counts.prepared:
                counts.prepare(worker, program)
        elif pictures.due:
            pictures.send(worker, program)
        elif counts.due and pictures.error is None:
            counts.ask(program)
        elif counts.waiting:
            return
        elif self.pixels.due:
            self.pixels.send(worker, program)
        elif profiles.running:
            profiles.send(worker, program)
        elif self.compared.due and pictures.error is None:
            self.compared.send(worker)
        else:
            pictures.send_next(worker, program)

    def _on_freed(self) -> None:
        self.await_answer()
        self.state_changed.emit()
        self.pump()

    # -- a device that answers nothing ------------------------------------------------------

    def await_answer(self) -> None:
        """Where the device is stuck, go on once it answers."""
        worker = self.worker
        if worker is not None and worker is not self._awaited and worker.answering.stuck:
            self._awaited = worker
            again = worker.answering.again()
            self._tools.bridge.watch(again, lambda _: self._on_answer(worker), lambda _error: None)

    def _on_answer(self, worker: DeviceWorker) -> None:
        """Go on where the device got stuck; what was in flight then is in quarantine."""
        self._awaited = None
        if worker is not self.worker:
            return
        if isinstance(self.pictures.error, DeviceStuck):
            self.pictures.again()
        if isinstance(self.counts.error, DeviceStuck):
            self.counts.again(released=False)
        self.state_changed.emit()
        self.pump()
