"""The compiler's messages, in the strip below the editor."""

from __future__ import annotations

from shaderlab import units
from shaderlab.app.panels.problems.panel import Problems
from shaderlab.app.qt import QObject
from shaderlab.app.session.session import Session
from shaderlab.app.widgets.throttle import Throttle
from shaderlab.frontend.program import Dialect


class ProblemsPresenter(QObject):
    """Connects the session to the list of problems."""

    def __init__(self, session: Session, panel: Problems, refresh: Throttle):
        super().__init__(panel)
        self._session, self._panel = session, panel
        refresh.passed.connect(self._refresh)

    def _refresh(self) -> None:
        program, diagnostics = self._session.program, self._session.diagnostics
        if program is None:
            good = "" if diagnostics else "Compiling…"
            self._panel.show_state(diagnostics, good, working=not diagnostics)
            return
        words = units.grouped(len(program.spirv) // 4)
        good = f"Compiled: {words} SPIR-V words"
        if program.dialect is Dialect.SPIRV:
            good = f"Valid: {words} SPIR-V words"
        self._panel.show_state(diagnostics, good)
