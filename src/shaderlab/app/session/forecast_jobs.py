"""Forecasts of the latest trace, and again when more is known of its program."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.counted_run import CountedRun
from shaderlab.app.session.decision_jobs import DecisionJobs
from shaderlab.app.session.device_jobs import DeviceJobs
from shaderlab.app.session.draw_settings import Variant
from shaderlab.app.session.jobs import Job, JobRunner, Tools
from shaderlab.app.session.quarantine import Task
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.program import Program
from shaderlab.prediction.forecast import Measured
from shaderlab.prediction.forecasts.time_changes import History
from shaderlab.scene.draw import Draw
from shaderlab.studies.pace import kept, measured_by, pace_of
from shaderlab.workers.background import in_background
from shaderlab.workers.predictor import PredictorWorker

if TYPE_CHECKING:
    from shaderlab.gpu.device_info import DeviceInfo
    from shaderlab.prediction.catalogue.targets import TargetInfo
    from shaderlab.prediction.forecast import Forecast
    from shaderlab.prediction.forms import OtherForms
    from shaderlab.spirv.analysis.dispatch import Dispatch
    from shaderlab.spirv.trace import Trace


def is_of(draw: Draw | None, trace: Trace) -> bool:
    """Whether the draw is of the very frame that was counted: its size, or launch, and time."""
    if draw is None:
        return False
    return (draw.counted_size, draw.inputs.uniforms.time_s) == (trace.size, trace.time_s)


class ForecastJobs(QObject):
    """One request at a time, always for the latest trace."""

    predicted = Signal()
    """An answer for the latest trace is there: `forecasts` or `error`."""
    changed = Signal()
    """`forecasts`, `error` or `targets` is new."""
    forms_failed = Signal()
    """Predicting with the program's other forms failed; forecasts without them stay."""
    model_refused = Signal(str)
    """Which model file was left out, and why; the others work.  Once for each."""
    failed = Signal(object)
    """A ShaderlabError: the targets are not known."""

    def __init__(self, tools: Tools, device: DeviceJobs, decisions: DecisionJobs, parent: QObject):
        super().__init__(parent)
        self._runner, self._device = JobRunner(tools, self), device
        self._decisions = decisions
        self._assumed: tuple[str, ...] = ()
        """What the latest request said of defaults that decide."""
        decisions.changed.connect(self._on_decisions)
        self._runner.freed.connect(self._on_freed)
        self._bridge, self._clock, self._crew = tools.bridge, tools.clock, tools.crew
        self._paces: dict[str, float] = {}
        """By slug of a device (`studies.pace`)."""
        self._pacing: set[str] = set()
        """Devices whose pace was asked for."""
        self._worker: PredictorWorker | None = None
        self._outdated = False
        """Asked for again while a request was under way."""
        self._forms: tuple[Trace | None, OtherForms] = (None, {})
        """The trace of the program as written, and its other forms with theirs."""
        self._refused: set[str] = set()
        self.forecasts: tuple[Forecast, ...] = ()
        self.error: ShaderlabError | None = None
        self.predict_s = 0.0
        """Seconds the latest answer took."""
        self.history = History()
        self.run: CountedRun | None = None
        """The frame that `history` is of."""
        self._targets_failed = False
        """Asked for in vain: asked again with the next forecasts."""
        self.of: Variant | None = None
        """What `forecasts` are of; None where there are none."""
        self.targets: dict[str, TargetInfo] = {}
        device.program_changed.connect(self._on_program)
        device.profiles.changed.connect(self._on_profiled)
        device.counts.changed.connect(self._on_traced)

    def start(self, worker: PredictorWorker) -> None:
        self._worker = worker
        self._ask_for_targets()

    def clear(self) -> None:
        """Another document."""
        self._runner.leave_document()
        self.forecasts, self.error, self.of = (), None, None
        self._forms = (None, {})
        self.history.clear()

    def read_targets(self) -> None:
        """Ask for the targets again: one was calibrated or removed."""
        self._ask_for_targets()
        self.predict()

    def use_forms(self, trace: Trace, forms: OtherForms) -> None:
        """Predict again with these other forms of the program that `trace` is of."""
        self._forms = (trace, dict(forms))
        self.predict()

    @property
    def busy(self) -> bool:
        return self._runner.busy

    def predict(self) -> None:
        """Ask for forecasts of the latest trace, now or as soon as the predictor is free."""
        worker, trace = self._worker, self._device.counts.trace
        draw, variant = self._device.counts.draw, self._device.counts.variant
        if worker is None or trace is None or draw is None:
            return
        if self._targets_failed:
            self._ask_for_targets()
        if self.busy:
            self._outdated = True
            return
        forms = self._forms[1] if self._forms[0] is trace else {}
        self._assumed, measured = self._decisions.sentences, self._measured(trace)
        vertex = self._device.counts.vertex

        def done(forecasts: tuple[Forecast, ...]) -> None:
            if trace is self._device.counts.trace:
                self._finish(variant, forecasts, None)

        def failed(error: ShaderlabError) -> None:
            if trace is not self._device.counts.trace:
                return
            if forms:
                self._forms = (None, {})
                self.forms_failed.emit()
                self._finish(variant, self.forecasts, None)
            else:
                self._finish(variant, (), error)

        self._runner.run(
            Job(Task.PREDICT, draw.program, blamed=not forms),
            lambda: self.ask(draw, trace, forms, self._assumed, measured, vertex),
            done,
            failed,
        )

    def ask(
        self,
        draw: Draw,
        trace: Trace,
        forms: OtherForms,
        assumed: Sequence[str],
        measured: Measured | None = None,
        vertex: Trace | None = None,
    ) -> Future[tuple[Forecast, ...]]:
        """Forecasts of any draw; `vertex`: counts of its own vertex stage.  Only after `start`."""
        assert self._worker is not None
        return self._worker.predict(
            draw, trace, other_forms=forms, assumed=assumed, measured=measured, vertex=vertex
        )

    def _measured(self, trace: Trace) -> Measured | None:
        """What the very frame that was counted took here; None where it was not profiled."""
        profiles, info = self._device.profiles, self._device.info
        found = profiles.measurement
        same = profiles.variant == self._device.counts.variant and is_of(profiles.draw, trace)
        if found is None or info is None or not same or found.size != trace.size:
            return None
        return measured_by(found, info, self._pace_of(info))

    def _pace_of(self, info: DeviceInfo) -> float | None:
        """None until it was measured, in the background."""
        if info.slug not in self._paces and (known := kept(info)) is not None:
            self._paces[info.slug] = known
        return self._paces.get(info.slug)

    def _measure_pace(self, info: DeviceInfo) -> None:
        """Once for each device, as soon as it is needed; forecasts are made anew with it."""
        worker = self._worker
        if worker is None or self._pace_of(info) is not None or info.slug in self._pacing:
            return
        self._pacing.add(info.slug)
        compiler = self._crew.background_compiler
        device = self._crew.add(self._crew.make.background_device(info), "pace of the processor")

        def done(pace: float | None) -> None:
            end()
            if pace is not None:
                self._paces[info.slug] = pace
                self.predict()

        def end(_error: ShaderlabError | None = None) -> None:
            self._crew.remove(device)
            device.close(wait=False)

        measured = in_background(lambda: pace_of(info, device, compiler, worker), "pace")
        self._bridge.watch(measured, done, end)

    def predict_static(
        self, program: Program, unfinished: str = "", dispatch: Dispatch | None = None
    ) -> Future[tuple[Forecast, ...]]:
        """Forecasts of a program that cannot be run, or whose run had no end: then why.  Only after
        `start`."""
        assert self._worker is not None
        return self._worker.predict_static(program, unfinished=unfinished, dispatch=dispatch)

    def _finish(
        self, of: Variant, forecasts: tuple[Forecast, ...], error: ShaderlabError | None
    ) -> None:
        self.predict_s = self._clock.now() - self._runner.since
        self.forecasts, self.error, self.of = forecasts, error, of
        trace = self._device.counts.trace
        run = CountedRun(trace.size, trace.time_s) if trace is not None else None
        if run != self.run:  # times of unequal frames are not compared
            self.run = run
            self.history.clear()
        self.history.add(of, forecasts)
        self.predicted.emit()
        self.changed.emit()

    def _on_freed(self) -> None:
        if self._outdated and not self.busy:
            self._outdated = False
            self.predict()

    def _on_decisions(self) -> None:
        """What was predicted must say, or no longer say, on which defaults it rests."""
        if self._device.counts.current and self._assumed != self._decisions.sentences:
            self.predict()

    def _on_program(self) -> None:
        self.error = None

    def _on_profiled(self) -> None:
        """A time of this machine's own says something about the other targets' forecasts."""
        trace, info = self._device.counts.trace, self._device.info
        measured = self._measured(trace) if trace is not None else None
        if measured is not None:
            if info is not None and not measured.busy:
                self._measure_pace(info)
            self.predict()

    def _on_traced(self) -> None:
        if self._device.counts.trace is None:
            self.forecasts, self.of = (), None
            self.changed.emit()
        else:
            self.predict()

    def _ask_for_targets(self) -> None:
        assert self._worker is not None
        self._targets_failed = False
        self._bridge.watch(self._worker.targets(), self._on_targets, self._on_no_targets)
        self._bridge.watch(self._worker.problems(), self._on_refused, self._on_no_targets)

    def _on_no_targets(self, error: ShaderlabError) -> None:
        """The predictor may have been slow to start: it is not asked for at once."""
        self._targets_failed = True
        self.failed.emit(error)

    def _on_refused(self, problems: tuple[str, ...]) -> None:
        for problem in problems:
            if problem not in self._refused:
                self._refused.add(problem)
                self.model_refused.emit(problem)

    def _on_targets(self, targets: tuple[TargetInfo, ...]) -> None:
        self.targets = {target.target: target for target in targets}
        self.changed.emit()
