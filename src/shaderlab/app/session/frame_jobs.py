"""Forecasts of the whole frame: its other passes are counted and predicted, too."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.device_jobs import DeviceJobs
from shaderlab.app.session.device_place import NOTHING
from shaderlab.app.session.draw_settings import DrawSettings
from shaderlab.app.session.forecast_jobs import ForecastJobs
from shaderlab.app.session.form_jobs import FormJobs
from shaderlab.app.session.jobs import Job, JobRunner, Tools
from shaderlab.app.session.progress import Progress
from shaderlab.app.session.quarantine import Task
from shaderlab.errors import DeviceLost, ShaderlabError, ShaderTimeout
from shaderlab.prediction.forecasts.frame_forecast import FrameForecast, frame_forecasts
from shaderlab.prediction.forms import Form
from shaderlab.scene.defaults import decided_among, listed, sentences
from shaderlab.scene.draw import Draw, Frame
from shaderlab.scene.shader_input import ShaderInput
from shaderlab.spirv.analysis.influence import Influence
from shaderlab.workers.compiler import CompilerWorker

if TYPE_CHECKING:
    from shaderlab.frontend.program import Program
    from shaderlab.prediction.forecast import Forecast
    from shaderlab.prediction.forms import OtherForms
    from shaderlab.spirv.trace import Trace

log = logging.getLogger(__name__)

_UNFINISHED = (ShaderTimeout, DeviceLost)
"""What ends a pass before its end: nothing is known of how long it takes."""


@dataclass(frozen=True)
class CountedPass:
    """What is known of one pass."""

    reads: Frame
    """The pass and all that it reads, as they were when it was counted."""
    trace: Trace | None = None
    """None where it could not be counted."""
    forecasts: tuple[Forecast, ...] = ()
    error: ShaderlabError | None = None
    """Why there are no forecasts."""
    assumed: tuple[str, ...] = ()
    """What the forecasts take for granted: a sentence for each default that decides."""
    forms: OtherForms = field(default_factory=dict)
    """Other forms of the program that were counted, too."""
    tried: frozenset[Form] = frozenset()
    """Forms that were asked for, with or without success."""

    @property
    def why_none(self) -> str:
        """Why no target has a time for it; empty where one has."""
        if self.error is not None:
            return str(self.error)
        if any(each.least_s is not None for each in self.forecasts):
            return ""
        return next((w for each in self.forecasts for w in each.warnings), "")


class FrameJobs(QObject):
    """Sums forecasts of all passes.  A pass is counted again where something it reads, directly or
    not, is another; what was counted is kept while documents of the same frame are opened."""

    changed = Signal()
    """`forecasts` or `outdated` is new."""

    def __init__(
        self,
        tools: Tools,
        settings: DrawSettings,
        device: DeviceJobs,
        forecasting: ForecastJobs,
        progress: Progress,
        forms: FormJobs,
        parent: QObject,
    ):
        super().__init__(parent)
        self._forms = forms
        self._runner, self._settings = JobRunner(tools, self), settings
        self._device, self._forecasting, self._progress = device, forecasting, progress
        self._compiler: CompilerWorker | None = None
        self._of = NOTHING
        """The variant that `frame` is of."""
        self.frame: Frame | None = None
        """The canonical one, as the edited pass was counted in it."""
        self._awaited: Callable[[Trace], object] | None = None
        """Takes the trace of the pass that the device was asked to count."""
        self.passes: dict[str, CountedPass] = {}
        """By name; of the edited one the latest forecasts."""
        self.outdated: tuple[str, ...] = ()
        """Passes still to be counted as they are now, in the order they run."""
        self.forecasts: tuple[FrameForecast, ...] = ()
        """Of those targets that every pass has one for; empty where one has none at all."""
        self._runner.freed.connect(self._look)
        progress.changed.connect(self._look)
        forecasting.changed.connect(self._on_forecasts)
        device.device_changed.connect(self._on_device)

    def start(self, compiler: CompilerWorker) -> None:
        self._compiler = compiler

    def clear(self) -> None:
        """Another document, maybe of the same frame."""
        self._runner.leave_document()
        self._of, self.frame, self._awaited = NOTHING, None, None
        self.outdated, self.forecasts = (), ()

    @property
    def problem(self) -> str:
        """Why there is no forecast of the frame, where one of its passes is to blame."""
        if self.frame is not None and not self.forecasts:
            for each in self.frame.passes:
                known = self.passes.get(each.name)
                if known is not None and known.why_none:
                    return f"{each.name} has no forecast: {known.why_none}"
        return ""

    @property
    def complete(self) -> bool:
        """Whether all passes are counted and predicted as they are now."""
        is_current = self._of == self._device.variant and not self.outdated
        return not self._device.in_passes or (is_current and not self._runner.busy)

    # -- which pass is next -----------------------------------------------------------------

    def _look(self) -> None:
        device = self._device
        if not (device.in_passes and self._progress.counts_are_current):
            return
        if self._of != device.variant:
            self._take(device.counts.frame)
        if self._awaited is not None and device.counts.awaits(self._awaited):
            return
        if self.frame is None or self._runner.busy:
            return
        if self.outdated:
            self._count(self.frame, self.outdated[0])
        elif self._may_refine:
            self._refine_next(self.frame)

    def _take(self, frame: Frame | None) -> None:
        """The edited pass was counted in this frame."""
        self._of, self.frame, self._awaited = self._device.variant, frame, None
        self._runner.want(self._of)
        self._find_outdated()

    def _find_outdated(self) -> None:
        frame, edited = self.frame, self._settings.passes.edited
        if frame is None:
            return
        names = [each.name for each in frame.passes if each.name != edited]
        former, self.outdated = self.outdated, tuple(n for n in names if not self._is_known(n))
        if self.outdated != former:
            self._sum()
            self.changed.emit()

    def _is_known(self, name: str) -> bool:
        assert self.frame is not None
        known = self.passes.get(name)
        return known is not None and known.reads == self.frame.reads(name)

    # -- the steps of one pass --------------------------------------------------------------

    def _count(self, frame: Frame, name: str) -> None:
        draw = frame.named(name)

        def failed(error: ShaderlabError) -> None:
            if isinstance(error, _UNFINISHED):
                reason = str(error)
                ask = lambda: self._forecasting.predict_static(  # noqa: E731
                    draw.program, reason, draw.dispatch
                )
                self._predict(frame, name, CountedPass(frame.reads(name)), ask)
            else:
                self._keep(frame, name, CountedPass(frame.reads(name), error=error))

        def counted(trace: Trace) -> None:
            self._analyse(frame, name, trace)

        self._awaited = counted
        self._device.counts.ask(frame, name, counted, failed)

    def _analyse(self, frame: Frame, name: str, trace: Trace) -> None:
        """Find which defaults decide, where there are any that nobody settled."""
        draw, compiler = frame.named(name), self._compiler
        inputs = _inputs_of(draw)
        if compiler is None or not any(each.is_unsettled for each in inputs):
            self._predict_traced(frame, name, trace, ())
            return

        def done(found: Influence) -> None:
            assumed = sentences(decided_among(inputs, found))
            self._predict_traced(frame, name, trace, assumed)

        self._runner.run(
            Job(Task.ANALYSE, draw.program, blamed=False),
            lambda: compiler.influence(draw.program),
            done,
            lambda _: self._predict_traced(frame, name, trace, ()),
        )

    def _predict_traced(
        self, frame: Frame, name: str, trace: Trace, assumed: tuple[str, ...]
    ) -> None:
        draw, counted = frame.named(name), CountedPass(frame.reads(name), trace, assumed=assumed)
        self._predict(frame, name, counted, lambda: self._forecasting.ask(draw, trace, {}, assumed))

    def _predict(
        self,
        frame: Frame,
        name: str,
        counted: CountedPass,
        ask: Callable[[], Future[tuple[Forecast, ...]]],
    ) -> None:
        self._runner.run(
            Job(Task.PREDICT, frame.named(name).program),
            ask,
            lambda found: self._keep(frame, name, replace(counted, forecasts=found)),
            lambda error: self._keep(frame, name, replace(counted, error=error)),
        )

    def _keep(self, frame: Frame, name: str, known: CountedPass) -> None:
        self.passes[name] = known
        if frame is self.frame:
            self._find_outdated()

    # -- better forecasts, once there is time -----------------------------------------------

    @property
    def _may_refine(self) -> bool:
        """Whether the edited pass has all its forms and the device nothing else to do."""
        device = self._device
        is_done = self._progress.complete and not self._forms.pending
        return is_done and not device.profiles.running

    def _refine_next(self, frame: Frame) -> None:
        """Ask for the next form of the next pass that lacks one."""
        served, edited = self._forms.served, self._settings.passes.edited
        for each in frame.passes:
            known = self.passes.get(each.name)
            if each.name == edited or known is None or known.trace is None or known.error:
                continue
            form = next((f for f in Form if f in served - known.tried), None)
            if form is not None:
                self._refine(frame, each.name, known, form)
                return

    def _refine(self, frame: Frame, name: str, known: CountedPass, form: Form) -> None:
        draw, tried = frame.named(name), replace(known, tried=known.tried | {form})
        trace = known.trace
        assert trace is not None

        def failed(error: ShaderlabError) -> None:
            """The forecasts that are there stay as they are."""
            log.info("no trace of %s, %s: %s", name, form, error)
            self.passes[name] = tried
            self._look()

        def made(program: Program) -> None:
            def counted(found: Trace) -> None:
                forms = {**known.forms, form: (program, found)}
                self._runner.run(
                    Job(Task.PREDICT, draw.program, blamed=False),
                    lambda: self._forecasting.ask(draw, trace, forms, known.assumed),
                    lambda new: done(replace(tried, forms=forms, forecasts=new)),
                    failed,
                )

            self._awaited = counted
            self._device.counts.ask(frame.of_program(name, program), name, counted, failed)

        def done(better: CountedPass) -> None:
            self.passes[name] = better
            if frame is self.frame:
                self._sum()
                self.changed.emit()

        self._forms.make(self._runner, form, draw.program, self._of, made, failed)

    # -- the sum ----------------------------------------------------------------------------

    def _sum(self) -> None:
        frame = self.frame
        if frame is None:
            return
        by_pass = {
            each.name: self.passes[each.name].forecasts
            for each in frame.passes
            if each.name in self.passes
        }
        has_all = len(by_pass) == len(frame.passes) and all(by_pass.values())
        found = frame_forecasts(by_pass, frame.draws_per_frame) if has_all else ()
        self.forecasts = found if any(each.least_s is not None for each in found) else ()
        if self.forecasts and not self.outdated:
            self._forecasting.history.add(self._of, self.forecasts)

    def _on_forecasts(self) -> None:
        """Of the edited pass; whoever listens to its forecasts looks at the frame's, too."""
        counts, edited = self._device.counts, self._settings.passes.edited
        if not edited:
            self.forecasts = ()
            return
        if counts.frame is None or counts.trace is None:
            return
        if edited not in {each.name for each in counts.frame.passes}:
            return  # they are still of the document before
        found = self._forecasting.forecasts
        if found:
            self.passes[edited] = CountedPass(counts.frame.reads(edited), counts.trace, found)
        self._sum()

    def _on_device(self) -> None:
        """Counts are those of one device."""
        self.passes = {}
        self.clear()


def _inputs_of(draw: Draw) -> tuple[ShaderInput, ...]:
    try:
        return listed(draw)
    except ShaderlabError:  # the device said what is wrong with it
        return ()
