"""Values of one pixel: what the variables of a line hold in the pixel the user picked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.device_place import NOTHING, DevicePlace
from shaderlab.app.session.draw_settings import Variant
from shaderlab.app.session.picture_jobs import PictureJobs
from shaderlab.app.session.suspects import Task
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.program import Program
from shaderlab.spirv.trace import SourceLine
from shaderlab.workers.device import DeviceWorker

if TYPE_CHECKING:
    from shaderlab.gpu.pixel_values import PixelValues


class PixelJobs(QObject):
    """Of the picture on screen: asked again when pixel, line, program or inputs are others, and
    while paused when the time is."""

    changed = Signal()
    """`values` or `error` is new, or the pixel is another."""

    def __init__(self, place: DevicePlace, pictures: PictureJobs, parent: QObject):
        super().__init__(parent)
        self._place, self._pictures = place, pictures
        self._line = 1
        self._of: tuple[Variant, float] = (NOTHING, 0.0)
        """Program with inputs, and iTime, that the latest answer is of."""
        self.due, self._seen = False, True
        self.pixel: tuple[int, int] | None = None
        """The one picked; None for none."""
        self.values: PixelValues | None = None
        self.time_s = 0.0
        """iTime of the picture that `values` are of."""
        self.error: ShaderlabError | None = None
        pictures.arrived.connect(self._on_picture)

    def clear(self) -> None:
        """Another document: its picture has other pixels."""
        self.pick(None)

    def pick(self, pixel: tuple[int, int] | None) -> None:
        """Show this pixel's values from now on; None for no pixel's."""
        self.pixel, self.values, self.error = pixel, None, None
        self._ask()
        self.changed.emit()

    def follow(self, line: int) -> None:
        """Show the values of this line of the document."""
        if line != self._line:
            self._line = line
            self._ask()

    def see(self, seen: bool) -> None:
        """Whether the values are visible; others are not computed."""
        self._seen = seen
        self._ask()

    def _ask(self) -> None:
        self.due = self.pixel is not None and self._seen
        if self.due:
            self._place.ask()

    def _on_picture(self) -> None:
        place, pictures = self._place, self._pictures
        frame = pictures.frame
        if frame is None or self.pixel is None or self.due or not pictures.current:
            return
        moment = (place.variant, frame.draw.inputs.uniforms.time_s)
        moved = moment != self._of and not pictures.playback.playing
        if moved or place.variant != self._of[0]:
            self._ask()

    def send(self, worker: DeviceWorker, program: Program) -> None:
        """Read the pixel.  Only while `due`."""
        place, shown = self._place, self._pictures.frame
        self.due = False
        settings, pixel = place.settings, self.pixel
        picked = pixel
        if shown is None or pixel is None:
            return
        uniforms = shown.draw.inputs.uniforms
        frame = settings.frame(settings.draw(program, shown.draw.size, uniforms))
        # A heat map's or another pass's picture may have a size of its own.
        width, height = frame.named(settings.passes.edited).size
        pixel = (min(pixel[0], width - 1), min(pixel[1], height - 1))
        line, self._of = SourceLine("", self._line), (place.variant, uniforms.time_s)

        def done(values: PixelValues) -> None:
            place.interrupted.emit()
            if picked == self.pixel:  # else another was picked meanwhile
                self.values, self.error, self.time_s = values, None, uniforms.time_s
                self.changed.emit()

        def failed(error: ShaderlabError) -> None:
            place.interrupted.emit()
            if picked == self.pixel:
                self.values, self.error = None, error
                self.changed.emit()

        place.runner.run(
            replace(place.job(Task.PIXEL, program, first=True), of=program.digest),
            lambda: worker.pixel(frame, settings.passes.edited, line, pixel),
            done,
            failed,
            abandon=worker.abandon,
        )
        place.state_changed.emit()
