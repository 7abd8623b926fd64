"""Forecasts of a program that cannot be run: no device, or it hangs, or it is quarantined."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shaderlab.app.qt import QObject, QTimer, Signal
from shaderlab.app.session.quarantine import ends_workers
from shaderlab.errors import ShaderlabError

if TYPE_CHECKING:
    from shaderlab.app.session.session import Session
    from shaderlab.frontend.program import Program
    from shaderlab.prediction.forecast import Forecast


class UntracedLane(QObject):
    """Asks for them once per program while there is no trace of it, and drops them when there is.

    The session's forecasts, which rest on a trace, are none of its business.
    """

    changed = Signal()

    def __init__(self, session: Session):
        super().__init__(session)
        self._session = session
        self.forecasts: tuple[Forecast, ...] = ()
        """Empty while the program in force has a trace, or may still get one."""
        self.reason = ""
        """Why there is no trace; empty with `forecasts`."""
        self.error: ShaderlabError | None = None
        """Why there are no forecasts without a trace either."""
        self.program: Program | None = None
        """What they are of."""
        self._no_device = ""
        self._asked: tuple[str, str] = ("", "")
        # Program and errors change one after the other: only what is left of both counts.
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._look)
        session.state_changed.connect(self._soon.start)
        session.trace_changed.connect(self._soon.start)
        session.device_changed.connect(self._soon.start)

    def set_no_device(self, reason: str) -> None:
        """Why nothing can be run at all; empty while that is not known to be so."""
        self._no_device = reason
        self._soon.start()

    def _look(self) -> None:
        program, reason = self._session.program, self._why()
        if program is None or not reason:
            self._asked, self.error = ("", ""), None
            self._keep((), "", None)
        elif self._asked != (program.digest, reason):
            self._asked = (program.digest, reason)
            self._ask(program, reason)

    def _why(self) -> str:
        device = self._session.on_device
        if device.counted and device.trace is not None:
            return ""
        error = device.trace_error or device.render_error
        if error is not None:
            return str(error)
        return self._no_device if self._session.device is None else ""

    def _ask(self, program: Program, reason: str) -> None:
        asked, session = self._asked, self._session
        if session.quarantine.reason(program, "predict"):
            self._keep((), "", None)
            return

        def done(forecasts: tuple[Forecast, ...]) -> None:
            if asked == self._asked:
                self._keep(forecasts, reason, program)

        def failed(error: ShaderlabError) -> None:
            if ends_workers(error):
                session.quarantine.add(program, "predict", "", str(error))
            if asked == self._asked:
                self.error = error
                self._keep((), "", None)
                self.changed.emit()

        session.bridge.watch(session.predict_static(program), done, failed)

    def _keep(self, forecasts: tuple[Forecast, ...], reason: str, program: Program | None) -> None:
        if (forecasts, reason) != (self.forecasts, self.reason):
            self.forecasts, self.reason, self.program = forecasts, reason, program
            self.changed.emit()
