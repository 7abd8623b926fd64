"""Traces of the program's other forms: after `spirv-opt -O`, and as a driver's compiler leaves it.

Models of these err less than those of the program as written, but each takes another run of a
compiler and another counted frame.  So forecasts of the program as written come first; once the
text has rested and all else is there, these follow, form by form.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

from shaderlab.app.qt import QObject, QTimer, Signal
from shaderlab.app.session.quarantine import ends_workers
from shaderlab.errors import ShaderlabError
from shaderlab.gpu.radv.compiled_program import FAMILY
from shaderlab.prediction.forms import Form
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.supervisor.limits import Limits

if TYPE_CHECKING:
    from shaderlab.app.session.session import Session
    from shaderlab.frontend.program import Program
    from shaderlab.prediction.forms import Siblings
    from shaderlab.spirv.trace import Trace

log = logging.getLogger(__name__)

REST_S = 1.0
"""How long the text must have stood still.  Longer than picture, counts and forecasts of a usual
shader take: who types on as soon as they see them must not wait for this."""
PATIENCE_S = 2.0
"""A compiler is given up so long after the text was changed."""

_BLAME = {Form.OPTIMIZED: ("optimize", ""), Form.COMPILED: ("amd", FAMILY)}
"""By form: task and place under which a program that ended its compiler is remembered."""


@dataclass(frozen=True)
class _Making:
    """A form of a program that a compiler is at."""

    program: Program
    request: Future
    abandon: Callable[[], object]


class SiblingLane(QObject):
    """Asks for each form once per trace, and drops all with the trace they belong to.

    Where one cannot be had, the forecasts that are there stay.
    """

    traced = Signal()
    """`siblings` has another form."""

    def __init__(self, session: Session):
        super().__init__(session)
        self._session = session
        self._of: Trace | None = None
        """The trace of the program as written that `_tried` and `_found` belong to."""
        self._tried: set[Form] = set()
        self._found: dict[Form, tuple[Program, Trace]] = {}
        self._limits: Limits | None = None
        self._compiler: CompilerWorker | None = None
        """Of its own, which yields to everything else: the text's must not wait for it."""
        self._making: _Making | None = None
        self._rest = QTimer(self, singleShot=True)
        self._rest.timeout.connect(self._ask)
        self._impatience = QTimer(self, singleShot=True, interval=round(PATIENCE_S * 1000))
        self._impatience.timeout.connect(self._give_up)
        session.state_changed.connect(self._look)
        session.forecasts_changed.connect(self._look)
        session.program_changed.connect(self._on_program)
        session.compilers.changed.connect(self._look)

    def siblings(self, trace: Trace) -> Siblings:
        """The other forms and their traces, where `trace` is that of the program as written."""
        return dict(self._found) if trace is self._of else {}

    def drop(self) -> None:
        """The predictor failed with them: do without until the next trace."""
        self._found = {}
        self._tried = set(Form)

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
        return bool(self._session.forecasts) and self._next is not None

    # -- when to ask ------------------------------------------------------------------------

    @property
    def _next(self) -> Form | None:
        """The form to ask for next, of those that serve any target and may be had here."""
        tried = self._tried if self._session.trace is self._of else set()
        served = {form for each in self._session.targets.values() for form in each.forms_of()}
        compilers = self._session.compilers
        if compilers.error is not None or (compilers.targets and not compilers.has(FAMILY)):
            served.discard(Form.COMPILED)
        return next((form for form in Form if form in served - tried), None)

    def _look(self) -> None:
        if not self._rest.isActive() and self._wanted:
            self._rest.start(max(round(self._early_s * 1000), 0))

    @property
    def _wanted(self) -> bool:
        session = self._session
        return (
            self.pending
            and self._making is None
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
        session, form = self._session, self._next
        if form is Form.COMPILED and not session.compilers.targets:
            session.compilers.look()  # says when it has
            return
        trace, program = session.trace, session.on_device.traced_program
        if trace is not self._of:
            self._of, self._tried, self._found = trace, set(), {}
        self._tried.add(form)
        if session.quarantine.reason(program, *_BLAME[form]):
            self._look()
        else:
            self._make(form, program, trace)

    def _on_program(self) -> None:
        """What was under way may have been given up for a text that was undone since."""
        self._tried = set(self._found)
        if self._outdated and not self._impatience.isActive():
            self._impatience.start()

    # -- the two steps ----------------------------------------------------------------------

    def _make(self, form: Form, program: Program, trace: Trace) -> None:
        session = self._session
        self._making = making = self._send(form, program)

        def end() -> None:
            if making is self._making:
                self._making = None
                self._impatience.stop()

        def done(made: Program) -> None:
            end()
            self._count(form, trace, made)

        def failed(error: ShaderlabError) -> None:
            end()
            if ends_workers(error):
                task, place = _BLAME[form]
                session.quarantine.add(program, task, place, str(error))
            log.info("no trace of the %s program: %s", form, error)
            self._look()

        session.bridge.watch(making.request, done, failed)

    def _send(self, form: Form, program: Program) -> _Making:
        if form is Form.COMPILED:
            workers = self._session.compilers.workers
            request = workers.program(program, FAMILY)
            return _Making(program, request, lambda: workers.abandon({FAMILY: request}))
        if self._compiler is None:
            self._compiler = CompilerWorker(self._limits, low_priority=True)
        compiler = self._compiler
        request = compiler.optimize(program)
        return _Making(program, request, lambda: compiler.abandon(request))

    @property
    def _outdated(self) -> bool:
        program, making = self._session.program, self._making
        return making is not None and (program is None or program.digest != making.program.digest)

    def _give_up(self) -> None:
        if self._outdated:
            self._making.abandon()

    def _count(self, form: Form, trace: Trace, made: Program) -> None:
        def done(counted: Trace) -> None:
            if trace is self._session.trace:
                self._tried.add(form)
                self._found[form] = (made, counted)
                self.traced.emit()

        def failed(error: ShaderlabError) -> None:
            log.info("no trace of the %s program: %s", form, error)
            self._look()

        if trace is self._session.trace:
            self._session.on_device.trace_sibling(made, done, failed)
