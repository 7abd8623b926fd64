"""Forecasts of a program that cannot be run: no device, or it hangs, or it is quarantined."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.device_jobs import DeviceJobs
from shaderlab.app.session.forecast_jobs import ForecastJobs
from shaderlab.app.session.jobs import Job, JobRunner, Tools
from shaderlab.app.session.progress import Progress
from shaderlab.app.session.quarantine import Task
from shaderlab.errors import (
    DeviceLost,
    Quarantined,
    ShaderlabError,
    ShaderTimeout,
    StartFailed,
)

if TYPE_CHECKING:
    from shaderlab.frontend.program import Program
    from shaderlab.prediction.forecast import Forecast


class UntracedJobs(QObject):
    """Asks for them once per program while there is no trace of it, and drops them when there is.

    Forecasts that rest on a trace are `ForecastJobs`' business.
    """

    changed = Signal()

    def __init__(
        self,
        tools: Tools,
        device: DeviceJobs,
        forecasting: ForecastJobs,
        progress: Progress,
        parent: QObject,
    ):
        super().__init__(parent)
        self._runner, self._device = JobRunner(tools, self), device
        self._forecasting = forecasting
        self.forecasts: tuple[Forecast, ...] = ()
        """Empty while the current program has a trace, or may still get one."""
        self.reason = ""
        """Why there is no trace; empty with `forecasts`."""
        self.error: ShaderlabError | None = None
        """Why there are no forecasts without a trace either."""
        self.program: Program | None = None
        """What they are of."""
        self._no_device = ""
        self._asked: tuple[str, str] = ("", "")
        # Program and errors change one after the other: only what is left of both counts.
        self._soon = tools.clock.alarm(self._look, self)
        progress.changed.connect(self._look_soon)

    def set_no_device(self, reason: str) -> None:
        """Why nothing can be run at all; empty while that is not known to be so."""
        self._no_device = reason
        self._look_soon()

    def _look_soon(self) -> None:
        self._soon.set(0.0)

    def _look(self) -> None:
        program, reason = self._device.program, self._why()
        if program is None or not reason:
            self._asked, self.error = ("", ""), None
            self._keep((), "", None)
        elif self._asked != (program.digest, reason):
            self._asked = (program.digest, reason)
            self._ask(program, reason)

    @property
    def _fault(self) -> ShaderlabError | None:
        return self._device.counts.error or self._device.pictures.error

    @property
    def _unfinished(self) -> bool:
        """Whether the program was run and did not come to its end, here or before."""
        fault = self._fault
        ended = isinstance(fault, (ShaderTimeout, DeviceLost, Quarantined))
        return ended and not isinstance(fault, StartFailed)

    def _why(self) -> str:
        device, error = self._device, self._fault
        if device.counts.current and device.counts.trace is not None:
            return ""
        if error is not None:
            return str(error)
        return self._no_device if device.info is None else ""

    def _ask(self, program: Program, reason: str) -> None:
        asked, unfinished = self._asked, reason if self._unfinished else ""

        def done(forecasts: tuple[Forecast, ...]) -> None:
            if asked == self._asked:
                self._keep(forecasts, reason, program)

        def failed(error: ShaderlabError) -> None:
            if asked == self._asked:
                self.error = None if isinstance(error, Quarantined) else error
                self._keep((), "", None)
                self.changed.emit()

        self._runner.run(
            Job(Task.PREDICT, program),
            lambda: self._forecasting.predict_static(program, unfinished),
            done,
            failed,
        )

    def _keep(self, forecasts: tuple[Forecast, ...], reason: str, program: Program | None) -> None:
        if (forecasts, reason) != (self.forecasts, self.reason):
            self.forecasts, self.reason, self.program = forecasts, reason, program
            self.changed.emit()
