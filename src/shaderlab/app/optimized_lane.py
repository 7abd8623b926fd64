"""The second trace: of the program after `spirv-opt -O`, which is about what drivers leave of it.

Models of it err less than those of the program as written, but it takes another run of a tool and
another counted frame.  So forecasts of the program as written come first; once the text has rested
and all else is there, these follow.
"""

from __future__ import annotations

import logging
from concurrent.futures import Future
from time import perf_counter
from typing import TYPE_CHECKING

from shaderlab.app.qt import QObject, QTimer, Signal
from shaderlab.app.quarantine import ends_workers
from shaderlab.errors import ShaderlabError

if TYPE_CHECKING:
    from shaderlab.app.session import Session
    from shaderlab.frontend.program import Program
    from shaderlab.spirv.trace import Trace

log = logging.getLogger(__name__)

REST_S = 0.25
"""How long the text must have stood still."""
PATIENCE_S = 0.3
"""The tool is given up so long after the text was changed: the compiler's worker runs it too."""


class OptimizedLane(QObject):
    """Asks for the second trace once per trace, and drops it with the trace it belongs to.

    Where it cannot be had, the forecasts of the program as written stay.
    """

    traced = Signal()
    """`pair` is new."""

    def __init__(self, session: Session):
        super().__init__(session)
        self._session = session
        self._of: Trace | None = None
        """The trace of the program as written that was last asked for."""
        self._pair: tuple[Program, Trace] | None = None
        self._optimizing: Future | None = None
        self._rest = QTimer(self, singleShot=True)
        self._rest.timeout.connect(self._ask)
        self._impatience = QTimer(self, singleShot=True, interval=round(PATIENCE_S * 1000))
        self._impatience.timeout.connect(self._give_up)
        session.state_changed.connect(self._look)
        session.forecasts_changed.connect(self._look)
        session.compiling.state_changed.connect(self._on_compiling)
        session.program_changed.connect(self._on_program)

    def pair(self, trace: Trace) -> tuple[Program, Trace] | None:
        """The optimised program and its trace, where `trace` is that of the program as written."""
        return self._pair if trace is self._of else None

    def drop(self) -> None:
        """The predictor failed with it: do without until the next trace."""
        self._pair = None

    @property
    def pending(self) -> bool:
        """Whether the present forecasts will be followed by others."""
        session = self._session
        served = any(target.optimized for target in session.targets.values())
        return served and bool(session.forecasts) and session.trace is not self._of

    # -- when to ask ------------------------------------------------------------------------

    def _look(self) -> None:
        if not self._rest.isActive() and self._wanted:
            self._rest.start(max(round(self._early_s * 1000), 0))

    @property
    def _wanted(self) -> bool:
        session = self._session
        return self.pending and session.complete and not session.on_device.profiling

    @property
    def _early_s(self) -> float:
        """Seconds the text has yet to rest."""
        return REST_S - (perf_counter() - self._session.compiling.changed_at)

    def _ask(self) -> None:
        if not self._wanted:
            return
        if self._early_s > 0:  # typed on meanwhile
            self._look()
            return
        session = self._session
        trace, program = session.trace, session.on_device.traced_program
        self._of, self._pair = trace, None
        if session.quarantine.reason(program, "optimize"):
            return
        request = self._optimizing = session.optimize(program)

        def done(smaller: Program) -> None:
            self._end(request)
            self._count(trace, smaller)

        def failed(error: ShaderlabError) -> None:
            self._end(request)
            if ends_workers(error):
                session.quarantine.add(program, "optimize", "", str(error))
            log.info("no trace of the optimised program: %s", error)

        session.bridge.watch(request, done, failed)

    def _on_program(self) -> None:
        """What was under way may have been given up for a text that was undone since."""
        if self._pair is None:
            self._of = None

    # -- the two steps ----------------------------------------------------------------------

    def _end(self, request: Future) -> None:
        if request is self._optimizing:
            self._optimizing = None
            self._impatience.stop()

    def _on_compiling(self) -> None:
        """The compiler's worker is wanted for a newer text."""
        if self._optimizing is not None and not self._impatience.isActive():
            self._impatience.start()

    def _give_up(self) -> None:
        if self._optimizing is not None and self._session.compiling.busy:
            self._session.give_up_optimizing(self._optimizing)

    def _count(self, trace: Trace, smaller: Program) -> None:
        def done(counted: Trace) -> None:
            if trace is self._session.trace:
                self._of, self._pair = trace, (smaller, counted)
                self.traced.emit()

        def failed(error: ShaderlabError) -> None:
            log.info("no trace of the optimised program: %s", error)

        if trace is self._session.trace:
            self._session.on_device.trace_sibling(smaller, done, failed)
