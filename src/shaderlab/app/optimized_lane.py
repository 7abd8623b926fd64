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
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.limits import Limits

if TYPE_CHECKING:
    from shaderlab.app.session import Session
    from shaderlab.frontend.program import Program
    from shaderlab.spirv.trace import Trace

log = logging.getLogger(__name__)

REST_S = 1.0
"""How long the text must have stood still.  Longer than picture, counts and forecasts of a usual
shader take: who types on as soon as they see them must not wait for this."""
PATIENCE_S = 2.0
"""The tool is given up so long after the text was changed."""


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
        self._limits: Limits | None = None
        self._compiler: CompilerWorker | None = None
        """Of its own, which yields to everything else: the text's must not wait for it."""
        self._optimizing: Future | None = None
        self._program: Program | None = None
        """What `_optimizing` is about."""
        self._rest = QTimer(self, singleShot=True)
        self._rest.timeout.connect(self._ask)
        self._impatience = QTimer(self, singleShot=True, interval=round(PATIENCE_S * 1000))
        self._impatience.timeout.connect(self._give_up)
        session.state_changed.connect(self._look)
        session.forecasts_changed.connect(self._look)
        session.program_changed.connect(self._on_program)

    def pair(self, trace: Trace) -> tuple[Program, Trace] | None:
        """The optimised program and its trace, where `trace` is that of the program as written."""
        return self._pair if trace is self._of else None

    def drop(self) -> None:
        """The predictor failed with it: do without until the next trace."""
        self._pair = None

    def set_limits(self, limits: Limits) -> None:
        self._limits = limits
        if self._compiler is not None:
            self._compiler.set_limits(limits)

    @property
    def replacements(self) -> int:
        return self._compiler.replacements if self._compiler is not None else 0

    def close(self) -> None:
        if self._compiler is not None:
            self._compiler.close()

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
        return (
            self.pending
            and self._optimizing is None
            and session.complete
            and not session.on_device.profiling
        )

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
        self._program = program
        request = self._optimizing = self._started.optimize(program)

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
        if self._outdated and not self._impatience.isActive():
            self._impatience.start()

    # -- the two steps ----------------------------------------------------------------------

    @property
    def _started(self) -> CompilerWorker:
        if self._compiler is None:
            self._compiler = CompilerWorker(self._limits, low_priority=True)
        return self._compiler

    def _end(self, request: Future) -> None:
        if request is self._optimizing:
            self._optimizing = None
            self._impatience.stop()

    @property
    def _outdated(self) -> bool:
        program = self._session.program
        asked = self._optimizing is not None
        return asked and (program is None or program.digest != self._program.digest)

    def _give_up(self) -> None:
        if self._outdated:
            self._compiler.abandon(self._optimizing)

    def _count(self, trace: Trace, smaller: Program) -> None:
        def done(counted: Trace) -> None:
            if trace is self._session.trace:
                self._of, self._pair = trace, (smaller, counted)
                self.traced.emit()

        def failed(error: ShaderlabError) -> None:
            log.info("no trace of the optimised program: %s", error)

        if trace is self._session.trace:
            self._session.on_device.trace_sibling(smaller, done, failed)
