"""Traces of the program's other forms: after `spirv-opt -O`, and as a driver's compiler leaves it.

Models of these have a smaller error than those of the program as written, but each takes another
run of a compiler and another counted frame.  So forecasts of the program as written come first;
once the text has rested and all else is there, these follow, form by form.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import TYPE_CHECKING

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.device_jobs import DeviceJobs
from shaderlab.app.session.forecast_jobs import ForecastJobs
from shaderlab.app.session.jobs import Job, JobRunner, Tools
from shaderlab.app.session.progress import Progress
from shaderlab.app.session.quarantine import Task
from shaderlab.app.session.vendor_compilers import VendorCompilers
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.stage import Stage
from shaderlab.gpu.compilers.families import REFERENCE
from shaderlab.prediction.forms import Form

if TYPE_CHECKING:
    from shaderlab.frontend.program import Program
    from shaderlab.prediction.forecast import Forecast
    from shaderlab.prediction.forms import OtherForms
    from shaderlab.spirv.trace import Trace

log = logging.getLogger(__name__)

REST_S = 1.0
"""How long the text must have stood still.  Longer than picture, counts and forecasts of a usual
shader take: who types on as soon as they see them must not wait for this."""
PATIENCE_S = 2.0
"""A compiler that is on a text that was changed meanwhile is given up after so long."""


class FormJobs(QObject):
    """Asks for each form once per trace, and drops all with the trace they belong to.

    Where one is not available, the forecasts that are there stay.
    """

    awaiting = Signal()
    """Another form is on its way, or will not come after all."""

    def __init__(
        self,
        tools: Tools,
        device: DeviceJobs,
        forecasting: ForecastJobs,
        progress: Progress,
        compilers: VendorCompilers,
        parent: QObject,
    ):
        super().__init__(parent)
        self._runner, self._clock, self._crew = JobRunner(tools, self), tools.clock, tools.crew
        self._runner.freed.connect(self._look)
        self._device, self._forecasting = device, forecasting
        self._progress, self._compilers = progress, compilers
        self._of: Trace | None = None
        """The trace of the program as written that `_tried` and `_found` belong to."""
        self._tried: set[Form] = set()
        self._under_way: Form | None = None
        """Asked for and neither found nor failed yet."""
        self._found: dict[Form, tuple[Program, Trace]] = {}
        self._made: tuple[str, dict[Form, Program]] = ("", {})
        """The latest program's digest and its forms: other inputs need no other forms."""
        self._rest = self._clock.alarm(self._ask, self)
        progress.changed.connect(self._look)
        compilers.changed.connect(self._look)
        compilers.changed.connect(self.awaiting)
        device.program_changed.connect(self._on_program)
        forecasting.forms_failed.connect(self._on_forms_failed)

    def of(self, trace: Trace) -> OtherForms:
        """The other forms and their traces, where `trace` is that of the program as written."""
        return dict(self._found) if trace is self._of else {}

    @property
    def pending(self) -> bool:
        """Whether the present forecasts will be followed by others."""
        return bool(self._forecasting.forecasts) and self._next is not None

    def finer(self, forecast: Forecast) -> Form | None:
        """The form on its way that the present forecast of a target will be replaced for; None
        where it stays as it is."""
        if not self._progress.forecasts_are_current:
            return None
        awaited = set(self._left)
        if self._device.counts.trace is self._of:
            awaited |= {self._under_way} - {None}
            awaited |= self._found.keys() if self._forecasting.busy else set()
        target = self._forecasting.targets.get(forecast.target)
        looked_at = target.forms_of() if target is not None else frozenset()
        order = list(Form)
        later = order[order.index(forecast.form) + 1 :]
        return next((form for form in reversed(later) if form in awaited & looked_at), None)

    # -- when to ask ------------------------------------------------------------------------

    @property
    def _left(self) -> set[Form]:
        """Those to ask for yet."""
        tried = self._tried if self._device.counts.trace is self._of else set()
        return self.served - tried

    @property
    def served(self) -> set[Form]:
        """Those that serve any target and are available here; none of a compute shader."""
        program = self._device.program
        if program is not None and program.stage is Stage.COMPUTE:
            return set()
        served = {f for target in self._forecasting.targets.values() for f in target.forms_of()}
        compilers = self._compilers
        if compilers.error is not None or (compilers.targets and not compilers.has(REFERENCE)):
            served.discard(Form.COMPILED)
        return served

    @property
    def _next(self) -> Form | None:
        return next((form for form in Form if form in self._left), None)

    @property
    def _wanted(self) -> bool:
        return (
            self.pending
            and not self._runner.busy
            and self._progress.complete
            and not self._device.profiles.running
        )

    @property
    def _early_s(self) -> float:
        """Seconds the text has yet to rest."""
        return REST_S - (self._clock.now() - self._progress.changed_at)

    def _look(self) -> None:
        if not self._rest.isActive() and self._wanted:
            self._rest.set(self._early_s)

    def _ask(self) -> None:
        form, trace, program = self._next, self._device.counts.trace, self._device.counts.program
        if not self._wanted or form is None or trace is None or program is None:
            return
        if self._early_s > 0:  # typed on meanwhile
            self._look()
            return
        if form is Form.COMPILED and not self._compilers.targets:
            self._compilers.look()  # says when it has
            return
        if trace is not self._of:
            self._of, self._tried, self._found = trace, set(), {}
        self._tried.add(form)
        self._under_way = form
        self.awaiting.emit()
        if self._made[0] != program.digest:
            self._made = (program.digest, {})
        if (made := self._made[1].get(form)) is not None:
            self._count(form, trace, made)
        else:
            self._make(form, program, trace)

    def _on_program(self) -> None:
        """What was under way may have been given up for a text that was undone since."""
        self._tried, self._under_way = set(self._found), None
        program = self._device.program
        self._runner.want(program.digest if program is not None else None)

    def _on_forms_failed(self) -> None:
        """The predictor failed with them: do not use them until the next trace."""
        self._found = {}
        self._tried, self._under_way = set(Form), None

    # -- the two steps ----------------------------------------------------------------------

    def _make(self, form: Form, program: Program, trace: Trace) -> None:
        def done(made: Program) -> None:
            if self._made[0] == program.digest:
                self._made[1][form] = made
            self._count(form, trace, made)

        self.make(
            self._runner, form, program, program.digest, done, lambda e: self._give_up(form, e)
        )

    def make(
        self,
        runner: JobRunner,
        form: Form,
        program: Program,
        of: Hashable,
        done: Callable[[Program], object],
        failed: Callable[[ShaderlabError], object],
    ) -> None:
        """Have a program's form compiled by a job of `runner`, outdated while that wants something
        else than `of`."""
        task, place = (Task.COMPILED, REFERENCE) if form is Form.COMPILED else (Task.OPTIMIZE, "")
        send, abandon = self._compiler_of(form, program)
        job = Job(task, program, place, PATIENCE_S, of=of)
        runner.run(job, send, done, failed, abandon=abandon)

    def _compiler_of(
        self, form: Form, program: Program
    ) -> tuple[Callable[[], Future[Program]], Callable[[Future], object]]:
        """How the form is asked for, and how that is given up."""
        compiled = self._compilers.workers
        if form is Form.COMPILED and compiled is not None:
            return (
                lambda: compiled.program(program, REFERENCE),
                lambda request: compiled.abandon({REFERENCE: request}),
            )
        optimizer = self._crew.background_compiler
        return lambda: optimizer.optimize(program), optimizer.abandon

    def _count(self, form: Form, trace: Trace, made: Program) -> None:
        def done(counted: Trace) -> None:
            self._tried.add(form)
            self._under_way = None
            self._found[form] = (made, counted)
            self._forecasting.use_forms(trace, self._found)

        def failed(error: ShaderlabError) -> None:
            self._give_up(form, error)
            self._look()

        if trace is self._device.counts.trace:
            self._device.counts.ask_form(made, done, failed)
        else:
            self._under_way = None

    def _give_up(self, form: Form, error: ShaderlabError) -> None:
        """The forecasts that are there stay as they are."""
        self._under_way = None
        log.info("no trace of the %s program: %s", form, error)
        self.awaiting.emit()
