"""The document's way through the workers: text -> program -> picture, counts, forecasts, profile.

One `Session` holds what is in force and says what changed; views paint it and know nothing of
workers.  Each stage keeps its latest good result until a newer one comes: the last program stays
while the text does not compile, the last picture while the next one is made.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Protocol

from shaderlab.app.bridge import Bridge
from shaderlab.app.playback import FrameRate, Playback
from shaderlab.app.qt import QObject, QTimer, Signal
from shaderlab.errors import CompileFailed, ShaderlabError, ShaderTimeout
from shaderlab.frontend.program import Diagnostic, Dialect, Program, Severity
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.gpu.uniforms import Uniforms
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.device import DeviceWorker, Frame
from shaderlab.workers.predictor import PredictorWorker

if TYPE_CHECKING:
    from shaderlab.gpu.measurement import Measurement
    from shaderlab.prediction.forecast import Forecast
    from shaderlab.prediction.targets import TargetInfo
    from shaderlab.spirv.trace import Trace

log = logging.getLogger(__name__)

CANONICAL = Uniforms()
"""The run that counts and predictions speak about (design §3)."""

FRAME_INTERVAL_S = 1 / 60
CALM_S = 0.35
"""Errors of a text still being typed are shown after this pause."""


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
        return DeviceWorker(info)


@dataclass(frozen=True)
class Latency:
    """Seconds from the latest change of the text to each result; None for what is not there yet."""

    compiled: float | None = None
    picture: float | None = None
    counts: float | None = None
    forecasts: float | None = None
    compile_s: float | None = None
    """The compile request alone."""
    pipeline_s: float | None = None
    """The first frame's pipeline creation."""
    draw_s: float | None = None
    """The first frame's request, pipeline left out."""
    trace_s: float | None = None
    predict_s: float | None = None


@dataclass(frozen=True)
class _Source:
    """What is to be compiled: `text`, or the module at `path`."""

    text: str
    name: str
    folder: Path | None
    path: Path | None = None


class Session(QObject):
    """See the module.  All methods and signals belong to the interface's thread."""

    diagnostics_changed = Signal()
    program_changed = Signal()
    frame_arrived = Signal()
    trace_changed = Signal()
    forecasts_changed = Signal()
    disassembled = Signal(str)
    """Assembly text of a SPIR-V file."""
    measurement_changed = Signal()
    device_changed = Signal()
    state_changed = Signal()
    """Playing, busy, stale, refused: whatever a bar or badge shows."""
    failed = Signal(object)
    """A ShaderlabError that no pane of its own shows."""

    def __init__(self, workers: Workers | None = None, parent: QObject | None = None):
        super().__init__(parent)
        self._workers = workers or RealWorkers()
        self.bridge = Bridge(self)
        self._compiler: CompilerWorker | None = None
        self._predictor: PredictorWorker | None = None
        self._device: DeviceWorker | None = None
        self._generation = 0
        """Counts documents; replies of an earlier one are dropped."""

        self._source: _Source | None = None
        self._compiling: _Source | None = None
        self._compiled: _Source | None = None
        self._changed_at = 0.0
        self.latency = Latency()

        self.program: Program | None = None
        self.diagnostics: tuple[Diagnostic, ...] = ()
        self.compiles = True
        """Whether the latest text compiled (True before the first answer)."""
        self.frame: Frame | None = None
        self.trace: Trace | None = None
        self.trace_error: ShaderlabError | None = None
        self.forecasts: tuple[Forecast, ...] = ()
        self.forecast_error: ShaderlabError | None = None
        self.targets: dict[str, TargetInfo] = {}
        self.measurement: Measurement | None = None
        self.measured_program: Program | None = None
        self.measurement_error: ShaderlabError | None = None
        self.render_error: ShaderlabError | None = None

        self.playback = Playback()
        self.frame_rate = FrameRate()
        self._size = (512, 384)
        self._visible = True
        self._on_device = ""
        """What the device works on: "", "render", "trace" or "profile"."""
        self._device_since = 0.0
        self._redraw = False
        self._drawn = ""
        """Digest of the program of the latest picture."""
        self._traced = ""
        self._predicting: Trace | None = None
        self._profile_wanted: tuple[int, int] | None = None

        self._frame_timer = QTimer(self, singleShot=True)
        self._frame_timer.timeout.connect(self._pump)
        self._calm_timer = QTimer(self, singleShot=True)
        self._calm_timer.timeout.connect(self._show_withheld)
        self._withheld: tuple[Diagnostic, ...] | None = None

    # -- starting and ending ----------------------------------------------------------------

    def start(self) -> None:
        """Bring up the compiler and the predictor, and compile what is there."""
        self._compiler = self._workers.compiler()
        self._compiler.start()
        self._predictor = self._workers.predictor()
        self._predictor.start()
        self.bridge.watch(self._predictor.targets(), self._targets_arrived, self._targets_failed)
        self._compile()

    def close(self) -> None:
        self.bridge.close()
        self._frame_timer.stop()
        self._calm_timer.stop()
        for worker in (self._device, self._compiler, self._predictor):
            if worker is not None:
                worker.close()

    def use_device(self, info: DeviceInfo) -> None:
        """Draw, count and profile on this device from now on."""
        if self._device is not None:
            self._device.close()
        self._device = self._workers.device(info)
        self._device.start()
        self._on_device = ""
        self._drawn = self._traced = ""
        self.render_error = self.trace_error = self.measurement_error = None
        self._profile_wanted = None
        self.measurement = None
        self.device_changed.emit()
        self.measurement_changed.emit()
        self._pump()

    @property
    def device(self) -> DeviceInfo | None:
        return self._device.info if self._device is not None else None

    # -- the document -----------------------------------------------------------------------

    def open_text(self, text: str, name: str, folder: Path | None) -> None:
        """Another document: everything of the former one goes."""
        self._begin(_Source(text, name, folder))

    def open_module(self, path: Path) -> None:
        """A SPIR-V file."""
        self._begin(_Source("", path.name, path.parent, path))

    def edit(self, text: str) -> None:
        """The document's text changed; compiled as soon as the compiler is free."""
        if self._source is None:
            return
        self._source = replace(self._source, text=text)
        self._changed_at = perf_counter()
        self.latency = Latency()
        self._compile()

    def rename(self, name: str, folder: Path | None) -> None:
        """The document was saved elsewhere, so includes may be found or lost."""
        if self._source is not None:
            moved = folder != self._source.folder
            self._source = replace(self._source, name=name, folder=folder)
            if moved:
                self._compiled = None
                self._compile()

    def compile_again(self) -> None:
        """Compile the same text: an include changed, or the user asked."""
        self._compiled = None
        self._drawn = self._traced = ""
        self.render_error = self.trace_error = None
        self._compile()

    def _begin(self, source: _Source) -> None:
        self._generation += 1
        self._source = source
        self._compiling = self._compiled = self._predicting = None
        self._changed_at = perf_counter()
        self.latency = Latency()
        self.program = None
        self._withheld = None
        self.diagnostics = ()
        self.compiles = True
        self.frame = None
        self.trace = self.trace_error = None
        self.forecasts, self.forecast_error = (), None
        self.measurement = self.measurement_error = self.measured_program = None
        self.render_error = None
        self._drawn = self._traced = ""
        self._profile_wanted = None
        self.playback.restart()
        self.frame_rate.clear()
        for signal in (
            self.diagnostics_changed,
            self.program_changed,
            self.frame_arrived,
            self.trace_changed,
            self.forecasts_changed,
            self.measurement_changed,
            self.state_changed,
        ):
            signal.emit()
        self._compile()

    def _compile(self) -> None:
        source = self._source
        idle = self._compiling is None
        if self._compiler is None or source is None or not idle or source == self._compiled:
            return
        self._compiling = source
        asked_at = perf_counter()
        if source.path is not None:
            future = self._compiler.load(source.path)
        else:
            future = self._compiler.compile(source.text, source.name, source.folder)
        self._watch(
            future,
            lambda program: self._compile_done(source, program, asked_at),
            lambda error: self._compile_failed(source, error),
        )
        self.state_changed.emit()

    def _compile_done(self, source: _Source, program: Program, asked_at: float) -> None:
        self._compiling = None
        self._compiled = source
        if source == self._source:
            now = perf_counter()
            self.latency = replace(
                self.latency, compiled=now - self._changed_at, compile_s=now - asked_at
            )
            self._set_diagnostics(program.diagnostics, compiles=True)
        self._set_program(program)
        self._compile()
        self.state_changed.emit()

    def _compile_failed(self, source: _Source, error: ShaderlabError) -> None:
        self._compiling = None
        self._compiled = source
        if source == self._source:
            found = error.diagnostics if isinstance(error, CompileFailed) else ()
            found = found or (Diagnostic(0, 0, Severity.ERROR, str(error)),)
            calm_left = CALM_S - (perf_counter() - self._changed_at)
            if self.program is None or calm_left <= 0 or not self.compiles:
                self._set_diagnostics(found, compiles=False)
            else:
                self._withheld = found
                self._calm_timer.start(round(calm_left * 1000))
        self._compile()
        self._pump()
        self.state_changed.emit()

    def _set_diagnostics(self, found: tuple[Diagnostic, ...], *, compiles: bool) -> None:
        self._calm_timer.stop()
        self._withheld = None
        changed = found != self.diagnostics or compiles != self.compiles
        self.diagnostics, self.compiles = found, compiles
        if changed:
            self.diagnostics_changed.emit()

    def _show_withheld(self) -> None:
        if self._withheld is None:
            return
        if perf_counter() - self._changed_at < CALM_S:  # typed on meanwhile
            self._calm_timer.start(round(CALM_S * 1000))
            return
        self._set_diagnostics(self._withheld, compiles=False)
        self.state_changed.emit()

    def _set_program(self, program: Program) -> None:
        former, self.program = self.program, program
        if former is None or former.digest != program.digest:
            self.render_error = None
            self.trace_error = None
            self.forecast_error = None
        self.program_changed.emit()
        if program.dialect is Dialect.SPIRV:
            self._watch(
                self._compiler.disassemble(program), self.disassembled.emit, self.failed.emit
            )
        self._pump()

    # -- the device: one request at a time, the most wanted first ---------------------------

    def _pump(self) -> None:
        program = self.program
        if self._device is None or program is None or self._on_device:
            return
        digest = program.digest
        fresh = self._drawn != digest and self.render_error is None
        if fresh:
            self._render(program)
        elif self._trace_due(digest):
            self._trace(program)
        elif self._profile_wanted is not None:
            self._profile(program)
        elif self.render_error is None and self._visible:
            if self._redraw:
                self._render(program)
            elif self.playback.playing:
                wait = FRAME_INTERVAL_S - (perf_counter() - self._device_since)
                if wait > 0.001:
                    self._frame_timer.start(round(wait * 1000))
                else:
                    self._render(program)

    def _trace_due(self, digest: str) -> bool:
        """Counts wait until the latest text is compiled: they would be for nothing."""
        return (
            self._traced != digest
            and self._compiling is None
            and self.trace_error is None
            and self.render_error is None
        )

    def _occupy(self, task: str) -> None:
        self._frame_timer.stop()
        self._on_device = task
        self._device_since = perf_counter()

    def _render(self, program: Program) -> None:
        self._redraw = False
        moment = self.playback.next(perf_counter())
        uniforms = Uniforms(
            size=self._size,
            time_s=moment.time_s,
            frame=moment.frame,
            time_delta_s=moment.delta_s,
            frame_rate=self.frame_rate.value or 0.0,
        )
        self._occupy("render")
        self._watch_device(
            self._device.render(program, uniforms),
            lambda frame: self._rendered(program, frame),
            self._render_failed,
        )

    def _rendered(self, program: Program, frame: Frame) -> None:
        now = perf_counter()
        if self._drawn != program.digest:
            self._drawn = program.digest
            if self._compiled == self._source:
                self.latency = replace(
                    self.latency,
                    picture=now - self._changed_at,
                    pipeline_s=frame.pipeline_s,
                    draw_s=now - self._device_since - frame.pipeline_s,
                )
        if self.playback.playing:
            self.frame_rate.tick(now)
        self.frame = frame
        self.frame_arrived.emit()

    def _render_failed(self, error: ShaderlabError) -> None:
        self.render_error = error
        self.playback.pause()
        self.frame_rate.clear()

    def _trace(self, program: Program) -> None:
        self._occupy("trace")
        self.state_changed.emit()
        self._watch_device(
            self._device.trace(program, CANONICAL),
            lambda trace: self._trace_done(program, trace),
            lambda error: self._trace_failed(program, error),
        )

    def _trace_done(self, program: Program, trace: Trace) -> None:
        now = perf_counter()
        self._traced = program.digest
        self.trace, self.trace_error = trace, None
        self._traced_program = program
        self.playback.hold()
        self.frame_rate.clear()
        if self.program is program and self._compiled == self._source:
            self.latency = replace(
                self.latency, counts=now - self._changed_at, trace_s=now - self._device_since
            )
        self._predict()
        self.trace_changed.emit()

    def _trace_failed(self, program: Program, error: ShaderlabError) -> None:
        self._traced = program.digest
        self.trace, self.trace_error = None, error
        self.forecasts = ()
        self.playback.hold()
        self.trace_changed.emit()
        self.forecasts_changed.emit()

    def _profile(self, program: Program) -> None:
        trials, draws = self._profile_wanted
        self._occupy("profile")
        self.measurement_error = None
        self.state_changed.emit()
        self._watch_device(
            self._device.profile(program, CANONICAL, trials, draws),
            lambda measurement: self._profile_done(program, measurement),
            lambda error: self._profile_done(program, None, error),
        )

    def _profile_done(
        self,
        program: Program,
        measurement: Measurement | None,
        error: ShaderlabError | None = None,
    ) -> None:
        self._profile_wanted = None
        self.measurement, self.measurement_error = measurement, error
        self.measured_program = program
        self.playback.hold()
        self.frame_rate.clear()
        self.measurement_changed.emit()

    def profile(self, trials: int, draws: int) -> None:
        """Profile the program in force at the canonical size as soon as the device is free."""
        if self._profile_wanted is None:
            self._profile_wanted = (trials, draws)
            self.state_changed.emit()
            self._pump()

    def stop_profile(self) -> None:
        """Give up the profile: its worker is replaced, since a queued draw cannot be recalled."""
        if self._profile_wanted is not None and self._device is not None:
            self.use_device(self._device.info)
            self.state_changed.emit()

    # -- forecasts --------------------------------------------------------------------------

    def _predict(self) -> None:
        trace = self.trace
        if self._predictor is None or trace is None or self._predicting is not None:
            return
        program = self._traced_program
        self._predicting = trace
        asked_at = perf_counter()
        self._watch(
            self._predictor.predict(program, trace),
            lambda forecasts: self._predicted(trace, forecasts, asked_at),
            lambda error: self._predict_failed(trace, error),
        )

    def _predicted(self, trace: Trace, forecasts: tuple[Forecast, ...], asked_at: float) -> None:
        self._predicting = None
        if trace is not self.trace:
            self._predict()
            return
        self.forecasts, self.forecast_error = forecasts, None
        now = perf_counter()
        if self.latency.counts is not None:
            self.latency = replace(
                self.latency, forecasts=now - self._changed_at, predict_s=now - asked_at
            )
        self.forecasts_changed.emit()
        self.state_changed.emit()

    def _predict_failed(self, trace: Trace, error: ShaderlabError) -> None:
        self._predicting = None
        if trace is not self.trace:
            self._predict()
            return
        self.forecasts, self.forecast_error = (), error
        self.forecasts_changed.emit()

    def _targets_arrived(self, targets: tuple[TargetInfo, ...]) -> None:
        self.targets = {target.target: target for target in targets}
        self.forecasts_changed.emit()

    def _targets_failed(self, error: ShaderlabError) -> None:
        self.failed.emit(error)

    # -- the preview's controls -------------------------------------------------------------

    def toggle_play(self) -> None:
        """Play or pause; playing again after a timeout tries the shader once more."""
        if self.playback.playing:
            self.playback.pause()
        else:
            if self.render_error is not None:
                self.render_error = None
                self._drawn = ""
            self.playback.play()
        self.frame_rate.clear()
        self.state_changed.emit()
        self._pump()

    def restart(self) -> None:
        self.playback.restart()
        self._draw_soon()

    def step(self) -> None:
        self.playback.step()
        self.frame_rate.clear()
        self._draw_soon()

    def set_preview_size(self, size: tuple[int, int]) -> None:
        """Width, height of the next pictures, pixels."""
        if size != self._size:
            self._size = size
            self.frame_rate.clear()
            self._draw_soon()

    def set_visible(self, visible: bool) -> None:
        """Whether anyone can see the preview; nothing is drawn for nobody."""
        if visible != self._visible:
            self._visible = visible
            self.playback.hold()
            self._pump()

    def _draw_soon(self) -> None:
        self._redraw = True
        self.state_changed.emit()
        self._pump()

    # -- what bars and badges show ----------------------------------------------------------

    @property
    def busy(self) -> str:
        """What is under way: "", "compile", "render", "trace", "profile" or "predict"."""
        if self._on_device in ("trace", "profile"):
            return self._on_device
        if self._compiling is not None:
            return "compile"
        if self._on_device:
            return self._on_device
        return "predict" if self._predicting is not None else ""

    @property
    def device_task(self) -> str:
        """What the device is on: "", "render", "trace" or "profile"."""
        return self._on_device

    @property
    def drawn_current(self) -> bool:
        """Whether the picture is of the program in force."""
        return self.program is not None and self._drawn == self.program.digest

    @property
    def busy_s(self) -> float:
        """Seconds the device has been on its present request; 0 where it is free."""
        return perf_counter() - self._device_since if self._on_device else 0.0

    @property
    def profiling(self) -> bool:
        return self._profile_wanted is not None

    @property
    def counts_are_current(self) -> bool:
        """Whether trace and forecasts belong to the text as it stands."""
        return (
            self.compiles
            and self._withheld is None
            and self.program is not None
            and self._compiled == self._source
            and self._traced == self.program.digest
        )

    @property
    def timed_out(self) -> bool:
        return isinstance(self.render_error, ShaderTimeout)

    # -- plumbing ---------------------------------------------------------------------------

    def _watch(self, future, done: Callable, failed: Callable) -> None:
        """As the bridge does, but answers for an earlier document are dropped."""
        generation = self._generation

        def if_current(call: Callable) -> Callable:
            return lambda value: call(value) if generation == self._generation else None

        self.bridge.watch(future, if_current(done), if_current(failed))

    def _watch_device(self, future, done: Callable, failed: Callable) -> None:
        """As `_watch`, and the device is free for the next request afterwards."""
        device, generation = self._device, self._generation

        def then(call: Callable) -> Callable:
            def answer(value) -> None:
                if device is not self._device:
                    return  # another device is in use by now
                self._on_device = ""
                if generation == self._generation:
                    call(value)
                self.state_changed.emit()
                self._pump()

            return answer

        self.bridge.watch(future, then(done), then(failed))
