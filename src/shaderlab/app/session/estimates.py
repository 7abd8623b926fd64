"""Forecasts of a program that cannot be run: no device, or it hangs, or it is quarantined."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.device_jobs import DeviceJobs
from shaderlab.app.session.draw_settings import DrawSettings
from shaderlab.app.session.jobs import Tools
from shaderlab.app.session.progress import Progress
from shaderlab.app.session.views import View
from shaderlab.engine import questions
from shaderlab.engine.questions import uncounted
from shaderlab.errors import NoVulkan, ShaderlabError
from shaderlab.scene.draw import Draw

if TYPE_CHECKING:
    from shaderlab.frontend.program import Program
    from shaderlab.prediction.forecast import Forecast


class Estimates(QObject):
    """Of the current program while there is no trace of it, nor will be."""

    changed = Signal()

    def __init__(
        self,
        tools: Tools,
        settings: DrawSettings,
        device: DeviceJobs,
        progress: Progress,
        parent: QObject,
    ):
        super().__init__(parent)
        self._settings, self._device = settings, device
        self._view = View(tools, questions.estimates, self)
        self._view.changed.connect(self._on_estimates)
        self._no_device: ShaderlabError | None = None
        self._asked: tuple[Program | None, str] = (None, "")
        self.program: Program | None = None
        """What they are of."""
        self.reason = ""
        """Why there is no trace; empty without `forecasts`."""
        # Program and errors change one after the other: only what is left of both counts.
        self._soon = tools.clock.alarm(self._look, self)
        progress.changed.connect(lambda: self._soon.set(0.0))

    @property
    def forecasts(self) -> tuple[Forecast, ...]:
        """Empty while the current program has a trace, or may still get one."""
        return self._view.answer or ()

    @property
    def error(self) -> ShaderlabError | None:
        """Why there are no forecasts without a trace either."""
        return self._view.error

    def set_no_device(self, reason: str) -> None:
        """Why nothing can be run at all; empty while that is not known to be so."""
        self._no_device = NoVulkan(reason) if reason else None
        self._soon.set(0.0)

    def _on_estimates(self) -> None:
        self.program, self.reason = self._asked if self.forecasts else (None, "")
        self.changed.emit()

    def _why(self) -> ShaderlabError | None:
        device = self._device
        if device.counts.current and device.counts.trace is not None:
            return None
        fault = device.counts.error or device.pictures.error
        return fault or (self._no_device if device.info is None else None)

    def _look(self) -> None:
        program, why = self._device.program, self._why()
        if program is None or why is None:
            had = bool(self.forecasts)
            self._asked = None, ""
            self._view.drop()
            if had:
                self._on_estimates()
            return
        self._asked = program, str(why)
        of = program.digest, self._settings.version, str(why)
        self._view.want(of, self._draw(program), uncounted(why))

    def _draw(self, program: Program) -> Draw:
        edited = self._settings.counted(program)
        try:
            return self._settings.passes.draw(edited)
        except (ShaderlabError, KeyError):  # another pass has never compiled
            return edited
