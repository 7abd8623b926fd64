"""The document's way through the workers: text -> program -> picture, counts, forecasts, profile.

One `Session` holds the current state and signals changes; views paint it and know nothing of
workers.  Each stage keeps its latest good result until a newer one comes: the last program stays
while the text does not compile, the last picture while the next one is made.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.bridge import Bridge
from shaderlab.app.session.capture_jobs import CaptureJobs
from shaderlab.app.session.clock import Clock
from shaderlab.app.session.compiling import Compiling
from shaderlab.app.session.decisions import Decisions
from shaderlab.app.session.device_jobs import DeviceJobs
from shaderlab.app.session.draw_settings import DrawSettings
from shaderlab.app.session.estimates import Estimates
from shaderlab.app.session.export_jobs import ExportJobs
from shaderlab.app.session.flow import Flow
from shaderlab.app.session.forecasts import Forecasts
from shaderlab.app.session.frame_forecasts import FrameForecasts
from shaderlab.app.session.jobs import Tools
from shaderlab.app.session.latency import Latency, LatencyWatch
from shaderlab.app.session.other_passes import OtherPasses
from shaderlab.app.session.own_vertex import OwnVertex
from shaderlab.app.session.passes import Passes
from shaderlab.app.session.program_capture import ProgramCapture
from shaderlab.app.session.progress import Progress
from shaderlab.app.session.reading_choice import ReadingChoice
from shaderlab.app.session.refining import Refining
from shaderlab.app.session.sample_jobs import SampleJobs
from shaderlab.app.session.suspects import Suspects
from shaderlab.app.session.time_curve import TimeCurve
from shaderlab.app.session.vendor_code import VendorCode
from shaderlab.app.session.versions import Versions
from shaderlab.app.session.views import View
from shaderlab.app.session.workers import Crew, RealWorkers, Workers
from shaderlab.engine import questions
from shaderlab.errors import ShaderlabError, WrongUse
from shaderlab.frontend.program import Diagnostic, Dialect, Program, Severity
from shaderlab.frontend.source import Source
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.projects.manner import reading_of
from shaderlab.scene.hints import hints
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.supervisor.limits import Limits

if TYPE_CHECKING:
    from shaderlab.engine.crew import Engine
    from shaderlab.engine.graph import Event
    from shaderlab.prediction.catalogue.targets import TargetInfo
    from shaderlab.prediction.forecast import Forecast
    from shaderlab.prediction.forecasts.time_changes import History
    from shaderlab.projects.project import Project
    from shaderlab.spirv.trace import Trace

__all__ = ["RealWorkers", "Session", "Workers"]


class Session(QObject):
    """See the module.  All methods and signals belong to the interface's thread."""

    diagnostics_changed = Signal()
    program_changed = Signal()
    disassembled = Signal(str)
    """Assembly text of a SPIR-V file."""
    inputs_changed = Signal()
    """What the program is given, or the geometry, is another."""
    frame_arrived = Signal()
    trace_changed = Signal()
    forecasts_changed = Signal()
    measurement_changed = Signal()
    text_moved_on = Signal()
    """The text was changed: what is on screen is of another, unless the change was taken back."""
    device_changed = Signal()
    state_changed = Signal()
    """Playing, busy, stale, refused: whatever a bar or badge shows."""
    failed = Signal(object)
    """A ShaderlabError that no panel shows."""
    model_refused = Signal(str)
    """Which model file was left out, and why; the others work.  Once for each."""

    def __init__(
        self,
        workers: Workers | None = None,
        parent: QObject | None = None,
        *,
        limits: Limits | None = None,
        clock: Clock | None = None,
        loop: asyncio.AbstractEventLoop | None = None,
    ):
        """`loop`: as `Tools` has it."""
        super().__init__(parent)
        self._crew = Crew(workers or RealWorkers(), limits)
        self.quarantine = Suspects()
        self.bridge = Bridge(self)
        self._clock = clock or Clock()
        tools = Tools(self.bridge, self.quarantine, self._clock, self._crew, loop)
        self._tools = tools
        self._compiler: CompilerWorker | None = None
        self._assembly = View(tools, questions.assembly, self)
        self._assembly.changed.connect(self._on_assembly)
        self.edited = False
        """Whether the document was changed since it was opened."""
        self.compiling = Compiling(tools, self)
        self._pragma_problems: tuple[Diagnostic, ...] = ()
        self.reading = ReadingChoice(self)
        self.drawing = DrawSettings(self._clock, self)
        self.passes = Passes(tools, self.drawing, self)
        self.vertex = OwnVertex(tools, self.drawing, self.reading, self)
        self.decisions = Decisions(tools, self.drawing, self)
        self.on_device = device = DeviceJobs(tools, self.drawing, self)
        self.forecasting = forecasts = Forecasts(tools, device, self)
        self._watch = LatencyWatch(self._clock, self.compiling, self.vertex, device, forecasts)
        self.progress = progress = Progress(
            self.compiling, self.vertex, self.drawing, device, forecasts, self
        )
        self.refining = refining = Refining(self._clock, device, forecasts, progress, self)
        self.frame = FrameForecasts(
            tools, self.drawing, device, forecasts, progress, refining, self
        )
        self.curve = TimeCurve(tools, self.drawing, device, self)
        self.untraced = Estimates(tools, self.drawing, device, progress, self)
        self.versions = versions = Versions(device, forecasts, self)
        self.compiled = VendorCode(tools, device, versions, self.compiling, progress, self)
        self.flow = Flow(tools, device, self)
        self.exports = ExportJobs(tools, self.drawing, device, self)
        self.samples = SampleJobs(self.bridge, device, forecasts, self)
        self.capture = CaptureJobs(tools, device, self)
        self.program_capture = ProgramCapture(self.bridge, self)
        self._connect()

    def _connect(self) -> None:
        compiling, device, forecasting = self.compiling, self.on_device, self.forecasting
        self.drawing.changed.connect(self.inputs_changed)
        self.drawing.settled.connect(self.inputs_changed)
        self.drawing.run_changed.connect(self.versions.put_times_aside)
        self.decisions.changed.connect(self.diagnostics_changed)
        self.passes.changed.connect(self.diagnostics_changed)
        self.vertex.changed.connect(self.diagnostics_changed)
        self.reading.changed.connect(self._on_reading)
        compiling.compiled.connect(self._on_compiled)
        compiling.diagnostics_changed.connect(self.diagnostics_changed)
        compiling.state_changed.connect(self._on_compiling)
        device.program_changed.connect(self.program_changed)
        device.device_changed.connect(self.device_changed)
        device.pictures.arrived.connect(self._on_frame)
        device.counts.changed.connect(self._on_traced)
        device.profiles.changed.connect(self.measurement_changed)
        device.state_changed.connect(self.state_changed)
        forecasting.predicted.connect(self._watch.predicted)
        forecasting.changed.connect(self.forecasts_changed)
        forecasting.changed.connect(self.state_changed)
        self.frame.changed.connect(self.forecasts_changed)
        self.frame.changed.connect(self.state_changed)
        forecasting.model_refused.connect(self.model_refused)
        forecasting.failed.connect(self.failed)

    # -- starting and ending ----------------------------------------------------------------

    def start(self) -> None:
        """Bring up the compiler and the predictor, and compile what is there."""
        self._compiler, predictor = self._crew.compiler, self._crew.predictor
        self._compiler.start()
        predictor.start()
        self.forecasting.read_targets()
        self.compiling.start()

    def close(self) -> None:
        self.bridge.close()
        self.capture.close()
        self.program_capture.close()
        self.on_device.close()
        self.samples.close()
        self.exports.close()
        self._tools.engine.close()
        self.quarantine.close()

    def use_device(self, info: DeviceInfo) -> None:
        """Draw, count and profile on this device from now on."""
        crew, device = self._crew, self.on_device
        for worker in filter(None, (device.worker, device.first.worker)):
            crew.remove(worker)
        first = crew.make.quick_device(info)
        device.use(
            crew.add(crew.make.device(info), "device"),
            crew.add(first, "first pictures") if first is not None else None,
        )

    def set_limits(self, limits: Limits) -> None:
        """Hold the workers' requests to these from now on."""
        self._crew.set_limits(limits)

    @property
    def replacements(self) -> dict[str, int]:
        """Children replaced so far, by what they do."""
        return self._crew.replacements

    @property
    def engine(self) -> Engine:
        """Answers questions, from any thread."""
        return self._tools.engine

    @property
    def events(self) -> tuple[Event, ...]:
        """What became of what was asked of the engine last, the latest at the end."""
        return tuple(self._tools.engine.events)

    # -- the document -----------------------------------------------------------------------

    def open_text(self, text: str, name: str, folder: Path | None) -> None:
        """Another document: everything of the former one goes."""
        self._open(Source(text, name, folder))

    def open_module(self, path: Path, digest: str = "") -> None:
        """A SPIR-V file, with the SHA-256 (hex) of its bytes."""
        self._open(Source("", path.name, path.parent, path, digest))

    def release_module(self, path: Path, digest: str) -> None:
        """The user wants this SPIR-V file read, whatever became of the compiler before."""
        self.compiling.release(Source("", path.name, path.parent, path, digest))

    def edit(self, text: str) -> None:
        """The document's text changed; compiled as soon as the compiler is free."""
        self.edited = True
        self._watch.start()
        self.on_device.pictures.give_way()
        self.compiling.edit(text)
        self.passes.edit(text)
        if self.vertex.in_document:
            self.vertex.edit(text)
        self.text_moved_on.emit()

    def edit_without_compiling(self, text: str) -> None:
        """The document's text changed, and is to be compiled once it is saved."""
        self.compiling.leave_behind(text)
        self.text_moved_on.emit()

    def edit_vertex(self, text: str) -> None:
        """The vertex stage's own text changed."""
        self.edited = True
        self._watch.start()
        self.vertex.edit(text)
        self.text_moved_on.emit()

    def rename(self, name: str, folder: Path | None) -> None:
        """The document was saved elsewhere."""
        self.compiling.rename(name, folder)

    def compile_again(self) -> None:
        """Compile, draw and count the same text: an include changed, or the user asked."""
        self.on_device.again()
        self.compiled.retry()
        self.passes.again()
        self.vertex.retry()
        self.compiling.retry()

    def use_project(self, project: Project, file: str, shader: Path) -> None:
        """The document's shader is the one, or a pass, of this project, kept in `file`."""
        try:
            self.reading.choose(reading_of(project, file), by_project=True)
        except WrongUse as error:
            self.failed.emit(error)
        self.passes.open(project, file, shader, self.compiling.source)

    def leave_project(self) -> None:
        """The document is drawn alone from now on."""
        self.passes.clear()
        self.drawing.use_passes(OtherPasses())
        self.reading.choose(replace(self.reading.value, whole=False), by_project=True)

    def ask_entry_points(self, done: Callable[[tuple[str, ...]], None]) -> None:
        """Have `done` called with the functions that the document's stage may begin with."""
        source, compiler = self.compiling.source, self._compiler
        if source is not None and compiler is not None:
            self.bridge.watch(compiler.entry_points(*source.as_read), done, lambda _error: None)

    def _on_reading(self) -> None:
        self.compiling.read_as(self.reading.value)
        self.passes.read_as(self.reading.value)
        self.state_changed.emit()

    @property
    def files_read(self) -> tuple[str, ...]:
        """All that pictures depend on beside the document: includes, other passes and theirs."""
        included = self.program.includes if self.program is not None else ()
        return (*included, *self.passes.files, *self.vertex.files)

    def _open(self, source: Source) -> None:
        self.edited = False
        self._watch.start()
        self._assembly.drop()
        self.capture.leave_document()
        self.forecasting.clear()
        self._pragma_problems = ()
        self.reading.leave_document()
        self.drawing.leave_document()
        for part in (
            self.versions, self.passes, self.vertex, self.decisions,
            self.frame, self.on_device,
        ):  # fmt: skip
            part.clear()
        self.compiling.open(source)
        self.forecasts_changed.emit()
        self.state_changed.emit()

    def _on_compiling(self) -> None:
        self.on_device.counts.hold = self.compiling.busy
        self.on_device.pump()
        self.state_changed.emit()

    def _on_compiled(self, program: Program) -> None:
        self._watch.compiled()
        self._read_pragmas(program)
        self.drawing.use(program)
        self.vertex.use(program)
        self.decisions.use(program)
        self.on_device.set_program(program)
        self.capture.use_program(program)
        if program.dialect is Dialect.SPIRV:
            self._assembly.want(program.digest, program)

    def _read_pragmas(self, program: Program) -> None:
        """Reports those that cannot be followed: other compilers ignore them all."""
        problems = tuple(
            Diagnostic(each.line, 0, Severity.WARNING, each.message)
            for each in hints(program.text)[1]
        )
        if problems != self._pragma_problems:
            self._pragma_problems = problems
            self.diagnostics_changed.emit()

    def _on_assembly(self) -> None:
        if self._assembly.error is not None:
            self.failed.emit(self._assembly.error)
        else:
            self.disassembled.emit(self._assembly.answer)

    def _on_frame(self) -> None:
        self._watch.drawn()
        self.frame_arrived.emit()

    def _on_traced(self) -> None:
        self.on_device.pictures.give_way()
        if self.trace is not None and self.progress.counts_are_current:
            self._watch.counted()
        self.trace_changed.emit()

    def read_targets(self) -> None:
        """Ask for the targets again: one was calibrated, listed or removed."""
        self.forecasting.read_targets()

    def every_target(self, then: Callable[[tuple[TargetInfo, ...]], None]) -> None:
        """All that can be predicted, products whose times follow by a law among them."""
        asked = self._tools.engine.ask(questions.targets, ("all",))
        self.bridge.watch(asked.future, then, self.failed.emit)

    # -- what bars and badges show ----------------------------------------------------------

    @property
    def device(self) -> DeviceInfo | None:
        return self.on_device.info

    @property
    def program(self) -> Program | None:
        """The latest that compiled; None before a document's first."""
        return self.on_device.program

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The compiler's messages, of the vertex stage and other passes too; where it compiles,
        then what is wrong with our pragmas, and what of its defaults decides."""
        found = (
            *self.compiling.diagnostics, *self.vertex.diagnostics, *self.passes.diagnostics,
        )  # fmt: skip
        if not self.compiling.compiles:
            return found
        return (*found, *self._pragma_problems, *self.decisions.diagnostics)

    @property
    def trace(self) -> Trace | None:
        return self.on_device.counts.trace

    @property
    def forecasts(self) -> tuple[Forecast, ...]:
        return self.forecasting.forecasts

    @property
    def forecast_error(self) -> ShaderlabError | None:
        return self.forecasting.error

    @property
    def targets(self) -> dict[str, TargetInfo]:
        return self.forecasting.targets

    @property
    def history(self) -> History:
        return self.forecasting.history

    @property
    def latency(self) -> Latency:
        """How long the answers to the latest change took."""
        return self._watch.latency

    @property
    def complete(self) -> bool:
        """Whether picture, counts and forecasts of the text as it stands are there."""
        return self.progress.complete
