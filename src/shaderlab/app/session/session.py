"""The document's way through the workers: text -> program -> picture, counts, forecasts, profile.

One `Session` holds what is in force and says what changed; views paint it and know nothing of
workers.  Each stage keeps its latest good result until a newer one comes: the last program stays
while the text does not compile, the last picture while the next one is made.
"""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Protocol

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.bridge import Bridge
from shaderlab.app.session.compile_jobs import CompileLane, Source
from shaderlab.app.session.compiled_jobs import AmdLane
from shaderlab.app.session.device_jobs import DeviceLane
from shaderlab.app.session.form_jobs import SiblingLane
from shaderlab.app.session.latency import Latency
from shaderlab.app.session.quarantine import Quarantine, ends_workers
from shaderlab.app.session.sample_jobs import SampleLane
from shaderlab.app.session.time_changes import History
from shaderlab.app.session.untraced_jobs import UntracedLane
from shaderlab.app.session.vendor_compilers import AmdCompilers
from shaderlab.errors import Quarantined, ShaderlabError
from shaderlab.frontend.program import Dialect, Program
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.predictor import PredictorWorker
from shaderlab.workers.supervisor.limits import Limits

if TYPE_CHECKING:
    from shaderlab.prediction.catalogue.targets import TargetInfo
    from shaderlab.prediction.forecast import Forecast
    from shaderlab.spirv.trace import Trace

__all__ = ["RealWorkers", "Session", "Workers"]


class Workers(Protocol):
    """Makes the workers; tests and benchmarks may watch or limit them."""

    def compiler(self) -> CompilerWorker: ...
    def predictor(self) -> PredictorWorker: ...
    def device(self, info: DeviceInfo) -> DeviceWorker: ...


class RealWorkers:
    def compiler(self) -> CompilerWorker:
        return CompilerWorker()

    def predictor(self) -> PredictorWorker:
        return PredictorWorker()

    def device(self, info: DeviceInfo) -> DeviceWorker:
        return DeviceWorker(info, spare=True)


class Session(QObject):
    """See the module.  All methods and signals belong to the interface's thread."""

    diagnostics_changed = Signal()
    program_changed = Signal()
    disassembled = Signal(str)
    """Assembly text of a SPIR-V file."""
    frame_arrived = Signal()
    trace_changed = Signal()
    forecasts_changed = Signal()
    measurement_changed = Signal()
    device_changed = Signal()
    state_changed = Signal()
    """Playing, busy, stale, refused: whatever a bar or badge shows."""
    failed = Signal(object)
    """A ShaderlabError that no pane of its own shows."""
    model_refused = Signal(str)
    """Which model file was left out, and why; the others work.  Once for each."""

    def __init__(
        self,
        workers: Workers | None = None,
        parent: QObject | None = None,
        *,
        quarantine: Quarantine | None = None,
        limits: Limits | None = None,
    ):
        """Without a `quarantine`, what ended a worker is remembered for this session alone."""
        super().__init__(parent)
        self._workers = workers or RealWorkers()
        self._limits = limits
        self.quarantine = quarantine or Quarantine()
        self.bridge = Bridge(self)
        self.compiling = CompileLane(self.bridge, self.quarantine, self)
        self.on_device = DeviceLane(self.bridge, self.quarantine, self)
        self._compiler: CompilerWorker | None = None
        self._predictor: PredictorWorker | None = None
        self._predicting: Trace | None = None
        self._documents = 0
        self.edited = False
        """Whether the document was changed since it was opened."""
        self.latency = Latency()
        self.program: Program | None = None
        self.forecasts: tuple[Forecast, ...] = ()
        self.forecast_error: ShaderlabError | None = None
        self.history = History()
        self.targets: dict[str, TargetInfo] = {}
        self._refused: set[str] = set()
        compiling, on_device = self.compiling, self.on_device
        compiling.compiled.connect(self._on_compiled)
        compiling.diagnostics_changed.connect(self.diagnostics_changed)
        compiling.state_changed.connect(self._on_compiling)
        on_device.frame_arrived.connect(self._on_frame)
        on_device.traced.connect(self._on_traced)
        on_device.profiled.connect(self.measurement_changed)
        on_device.state_changed.connect(self.state_changed)
        self.compilers = AmdCompilers(self.bridge, self)
        self.amd = AmdLane(self)
        self.samples = SampleLane(self)
        self.untraced = UntracedLane(self)
        self.siblings = SiblingLane(self)
        self.siblings.traced.connect(self._predict)
        if limits is not None:
            self.set_limits(limits)

    # -- starting and ending ----------------------------------------------------------------

    def start(self) -> None:
        """Bring up the compiler and the predictor, and compile what is there."""
        self._compiler = self._limited(self._workers.compiler())
        self._compiler.start()
        self._predictor = self._limited(self._workers.predictor())
        self._predictor.start()
        self._ask_for_targets()
        self.compiling.start(self._compiler)

    def close(self) -> None:
        self.bridge.close()
        self.on_device.close()
        self.amd.close()
        self.samples.close()
        self.siblings.close()
        self.compilers.close()
        for worker in (self._compiler, self._predictor):
            if worker is not None:
                worker.close()

    def use_device(self, info: DeviceInfo) -> None:
        """Draw, count and profile on this device from now on."""
        self.on_device.use(self._limited(self._workers.device(info)))
        self.device_changed.emit()

    def set_limits(self, limits: Limits) -> None:
        """Hold the workers' requests to these from now on."""
        self._limits = limits
        self.amd.set_limits(limits)
        self.siblings.set_limits(limits)
        self.compilers.set_limits(limits)
        for worker in (self._compiler, self._predictor, self.on_device.worker):
            if worker is not None:
                worker.set_limits(limits)

    @property
    def replacements(self) -> dict[str, int]:
        """Children replaced so far, by what they do."""
        workers = {
            "compiler": self._compiler,
            "predictor": self._predictor,
            "device": self.on_device.worker,
        }
        replaced = {name: w.replacements for name, w in workers.items() if w is not None}
        amd = self.compilers.replacements + self.amd.replacements
        return {**replaced, "optimizer": self.siblings.replacements, "AMD compilers": amd}

    def _limited(self, worker):
        if self._limits is not None:
            worker.set_limits(self._limits)
        return worker

    @property
    def device(self) -> DeviceInfo | None:
        worker = self.on_device.worker
        return worker.info if worker is not None else None

    # -- the document -----------------------------------------------------------------------

    def open_text(self, text: str, name: str, folder: Path | None) -> None:
        """Another document: everything of the former one goes."""
        self._open(Source(text, name, folder))

    def open_module(self, path: Path, digest: str = "") -> None:
        """A SPIR-V file, with the SHA-256 (hex) of its bytes."""
        self._open(Source("", path.name, path.parent, path, digest))

    def edit(self, text: str) -> None:
        """The document's text changed; compiled as soon as the compiler is free."""
        self.edited = True
        self.latency = Latency()
        self.compiling.edit(text)

    def rename(self, name: str, folder: Path | None) -> None:
        """The document was saved elsewhere."""
        self.compiling.rename(name, folder)

    def compile_again(self) -> None:
        """Compile, draw and count the same text: an include changed, or the user asked."""
        self.on_device.again()
        self.amd.again()
        self.compiling.again()

    def _open(self, source: Source) -> None:
        self._documents += 1
        self.edited = False
        self.latency = Latency()
        self.program = None
        self._predicting = None
        self.forecasts, self.forecast_error = (), None
        self.history.clear()
        self.on_device.clear()
        self.compiling.open(source)
        self.program_changed.emit()
        self.forecasts_changed.emit()
        self.state_changed.emit()

    def _on_compiling(self) -> None:
        self.on_device.hold_trace = self.compiling.busy
        self.on_device.pump()
        self.state_changed.emit()

    def _on_compiled(self, program: Program) -> None:
        if self.compiling.source_is_answered:
            self.latency = replace(
                self.latency, compiled=self._since_change(), compile_s=self.compiling.compile_s
            )
        self.program = program
        self.forecast_error = None
        self.program_changed.emit()
        if program.dialect is Dialect.SPIRV:
            self._disassemble(program)
        self.on_device.set_program(program)

    def _disassemble(self, program: Program) -> None:
        if reason := self.quarantine.reason(program, "disassemble"):
            self.failed.emit(Quarantined(reason))
            return

        def failed(error: ShaderlabError) -> None:
            if ends_workers(error):
                self.quarantine.add(program, "disassemble", "", str(error))
            self.failed.emit(error)

        self.bridge.watch(
            self._compiler.disassemble(program),
            self._if_same_document(self.disassembled.emit),
            self._if_same_document(failed),
        )

    # -- results of the device --------------------------------------------------------------

    def _on_frame(self) -> None:
        frame = self.on_device.frame
        first = self.latency.picture is None and self.latency.compiled is not None
        if frame is not None and first and self.drawn_current:
            self.latency = replace(
                self.latency,
                picture=self._since_change(),
                pipeline_s=frame.pipeline_s,
                draw_s=self.on_device.frame_s - frame.pipeline_s,
            )
        self.frame_arrived.emit()

    def _on_traced(self) -> None:
        if self.trace is None:
            self.forecasts = ()
            self.forecasts_changed.emit()
        else:
            if self.counts_are_current:
                self.latency = replace(
                    self.latency, counts=self._since_change(), trace_s=self.on_device.trace_s
                )
            self._predict()
        self.trace_changed.emit()

    # -- forecasts --------------------------------------------------------------------------

    def _predict(self) -> None:
        """Ask for forecasts of the latest trace, one request at a time."""
        trace = self.trace
        if self._predictor is None or trace is None or self._predicting is not None:
            return
        program = self.on_device.traced_program
        if reason := self.quarantine.reason(program, "predict"):
            self.forecasts, self.forecast_error = (), Quarantined(reason)
            self.forecasts_changed.emit()
            return
        self._predicting = trace
        asked_at, siblings = perf_counter(), self.siblings.siblings(trace)

        def done(forecasts: tuple[Forecast, ...]) -> None:
            finish(forecasts, None)

        def failed(error: ShaderlabError) -> None:
            if siblings:  # those of the program as written stay
                self.siblings.drop()
                finish(self.forecasts, None)
                return
            if ends_workers(error):
                self.quarantine.add(program, "predict", "", str(error))
            finish((), error)

        def finish(forecasts: tuple[Forecast, ...], error: ShaderlabError | None) -> None:
            self._predicting = None
            if trace is not self.trace:
                self._predict()
                return
            self.forecasts, self.forecast_error = forecasts, error
            self.history.add(program.digest, forecasts)
            latency = self.latency
            if latency.counts is not None and latency.forecasts is None and error is None:
                self.latency = replace(
                    self.latency,
                    forecasts=self._since_change(),
                    predict_s=perf_counter() - asked_at,
                )
            self.forecasts_changed.emit()
            self.state_changed.emit()

        self.bridge.watch(
            self._predictor.predict(program, trace, siblings=siblings),
            self._if_same_document(done),
            self._if_same_document(failed),
        )

    def predict_static(self, program: Program) -> Future[tuple[Forecast, ...]]:
        """Forecasts of a program that cannot be run.  The session has started."""
        return self._predictor.predict_static(program)

    def read_targets(self) -> None:
        """Ask for the targets again: one was calibrated or removed."""
        self._ask_for_targets()
        self._predict()

    def _ask_for_targets(self) -> None:
        self.bridge.watch(self._predictor.targets(), self._on_targets, self.failed.emit)
        self.bridge.watch(self._predictor.problems(), self._on_refused, self.failed.emit)

    def _on_refused(self, problems: tuple[str, ...]) -> None:
        for problem in problems:
            if problem not in self._refused:
                self._refused.add(problem)
                self.model_refused.emit(problem)

    def _on_targets(self, targets: tuple[TargetInfo, ...]) -> None:
        self.targets = {target.target: target for target in targets}
        self.forecasts_changed.emit()

    # -- what bars and badges show ----------------------------------------------------------

    @property
    def trace(self) -> Trace | None:
        return self.on_device.trace

    @property
    def drawn_current(self) -> bool:
        """Whether the picture is of the program in force."""
        return self.on_device.drawn

    @property
    def counts_are_current(self) -> bool:
        """Whether the counts belong to the text as it stands."""
        return self.compiling.compiles and self.compiling.settled and self.on_device.counted

    @property
    def complete(self) -> bool:
        """Whether picture, counts and forecasts of the text as it stands are there."""
        return (
            self.drawn_current
            and self.counts_are_current
            and bool(self.forecasts)
            and self._predicting is None
        )

    def _since_change(self) -> float:
        return perf_counter() - self.compiling.changed_at

    def _if_same_document(self, call):
        """`call`, but not for an answer that another document's opening has overtaken."""
        document = self._documents
        return lambda value: call(value) if document == self._documents else None
