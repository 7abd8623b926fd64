"""How the predicted time follows iTime: the frame counted and predicted at several moments."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.counted_run import CountedRun
from shaderlab.app.session.device_jobs import DeviceJobs
from shaderlab.app.session.device_place import NOTHING
from shaderlab.app.session.draw_settings import DrawSettings
from shaderlab.app.session.jobs import Tools
from shaderlab.app.session.views import View
from shaderlab.engine import questions
from shaderlab.engine.graph import Urgency
from shaderlab.errors import NoVulkan, ShaderlabError

if TYPE_CHECKING:
    from shaderlab.prediction.forecast import Forecast

COARSE = 17
"""Moments from 0 to the end, evenly spaced; then the gaps beside the worst are halved."""
_ROUNDS = 2
_REST_S = 0.1
"""Between two traces the preview has its turn."""


class TimeCurve(QObject):
    """One curve at a time, of the program as written.

    It takes the device's spare time, and ends where the program, its inputs or the frame changes.
    """

    changed = Signal()

    def __init__(self, tools: Tools, drawing: DrawSettings, device: DeviceJobs, parent: QObject):
        super().__init__(parent)
        self._drawing, self._device = drawing, device
        self._view = View(tools, questions.traced_forecasts, self, Urgency.BACKGROUND)
        self._view.changed.connect(self._take)
        self._next = tools.clock.alarm(self._count, self)
        self._due: list[float] = []
        self._rounds = 0
        self._target = ""
        self.running = False
        self.moments: dict[float, tuple[Forecast, ...]] = {}
        """Forecasts by iTime, seconds."""
        self.end_s = 0.0
        self.run: CountedRun | None = None
        """Its size is that of all moments."""
        self._of = NOTHING
        """Program and inputs."""
        self.error: ShaderlabError | None = None
        """Why the curve is not complete."""
        device.program_changed.connect(self._on_change)
        device.device_changed.connect(self.stop)
        drawing.changed.connect(self._on_change)

    def ask(self, end_s: float, target: str) -> None:
        """From time 0 to `end_s`; the worst moment is looked for on this target."""
        if self._device.program is None:
            return
        if self._device.info is None:
            self.error = NoVulkan("no device, so nothing is counted")
            self.changed.emit()
            return
        self._view.drop()
        self.running, self.error, self.moments = True, None, {}
        self.end_s, self._target, self._rounds = end_s, target, _ROUNDS
        self._of, self.run = self._given, self._drawing.run
        self._due = [end_s * n / (COARSE - 1) for n in range(COARSE)]
        self.changed.emit()
        self._next.set(0.0)

    def stop(self) -> None:
        """No more moments; those that are there stay."""
        if self.running:
            self.running = False
            self._next.stop()
            self._view.leave()
            self.changed.emit()

    @property
    def current(self) -> bool:
        """Whether the moments are of the program and frame as they are now, its time apart."""
        run = self.run
        return run is not None and run.size == self._drawing.run.size and self._of == self._given

    @property
    def _given(self) -> tuple[str, int]:
        return self._device.variant[0], self._drawing.given_version

    @property
    def progress(self) -> tuple[int, int]:
        """Moments done, and known to be wanted."""
        return len(self.moments), len(self.moments) + len(self._due)

    def _count(self) -> None:
        program, run = self._device.program, self.run
        if program is None or run is None:
            return
        moment = CountedRun(run.size, self._due[0])
        edited = self._drawing.passes.edited
        frame = self._drawing.frame(self._drawing.draw(program, moment.size, moment.uniforms))
        self._view.want(moment.time_s, frame, edited or frame.passes[-1].name)

    def _take(self) -> None:
        time_s = self._due[0]
        if self._view.answer is None:
            self.error = self._view.error
            self.stop()
            return
        self.moments[time_s] = self._view.answer
        self._due = [each for each in self._due if each != time_s]
        if not self._due and self._rounds:
            self._rounds -= 1
            self._due = beside_worst(self.times_of(self._target))
        self.running = bool(self._due)
        if self.running:
            self._next.set(_REST_S)
        self.changed.emit()

    def times_of(self, target: str) -> dict[float, float]:
        """Predicted seconds by iTime, ascending; of moments that have none, nothing."""
        found = {}
        for time_s in sorted(self.moments):
            seconds = [f.time_s for f in self.moments[time_s] if f.target == target]
            if seconds and seconds[0] is not None:
                found[time_s] = seconds[0]
        return found

    def _on_change(self) -> None:
        """Another time or picture size is no other curve."""
        if not self.current:
            self.stop()
        if self._device.program is None:  # another document
            self.run, self.moments, self.error = None, {}, None
        self.changed.emit()


def beside_worst(seconds: dict[float, float]) -> list[float]:
    """The middles of the gaps beside the largest value, whose keys ascend."""
    times = list(seconds)
    if len(times) < 2:
        return []
    at = times.index(max(times, key=seconds.__getitem__))
    near = times[max(at - 1, 0) : at + 2]
    return [(before + after) / 2 for before, after in pairwise(near)]
