"""The device's work: one request at a time, the most wanted first.

A changed program is drawn once at once, then counted, then (if asked) profiled; what time is left
goes to the frames of the preview.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from time import perf_counter
from typing import TYPE_CHECKING

from shaderlab.app.bridge import Bridge
from shaderlab.app.playback import FrameRate, Playback
from shaderlab.app.qt import QObject, QTimer, Signal
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.program import Program
from shaderlab.gpu.uniforms import Uniforms
from shaderlab.workers.device import DeviceWorker, Frame

if TYPE_CHECKING:
    from shaderlab.gpu.measurement import Measurement
    from shaderlab.spirv.trace import Trace

CANONICAL = Uniforms()
"""The run that counts, predictions and profiles speak about (design §3)."""

FRAME_INTERVAL_S = 1 / 60


class DeviceLane(QObject):
    """Draws, counts and profiles one program at a time on one device."""

    frame_arrived = Signal()
    traced = Signal()
    """`trace` or `trace_error` is new."""
    profiled = Signal()
    """`measurement` or `measurement_error` is new."""
    state_changed = Signal()

    def __init__(self, bridge: Bridge, parent: QObject):
        super().__init__(parent)
        self._bridge = bridge
        self._worker: DeviceWorker | None = None
        self._program: Program | None = None
        self._ticket = 0
        """Counts documents and devices; answers for an earlier one are dropped."""
        self.task = ""
        """What the device is on: "", "render", "trace" or "profile"."""
        self._since = 0.0
        self._drawn = self._traced = ""
        """Digests of the programs of the latest picture and counts."""
        self._redraw = False
        self._visible = True
        self._size = (512, 384)
        self._plan: tuple[int, int] | None = None
        self.hold_trace = False
        """A newer text is being compiled: counts would be for nothing."""
        self.playback = Playback()
        self.frame_rate = FrameRate()
        self.frame: Frame | None = None
        self.frame_s = 0.0
        """Seconds the latest frame's request took, the pipeline's creation included."""
        self.trace: Trace | None = None
        self.traced_program: Program | None = None
        self.trace_s = 0.0
        self.measurement: Measurement | None = None
        self.measured_program: Program | None = None
        self.render_error: ShaderlabError | None = None
        self.trace_error: ShaderlabError | None = None
        self.measurement_error: ShaderlabError | None = None
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.pump)

    # -- what to work with ------------------------------------------------------------------

    @property
    def worker(self) -> DeviceWorker | None:
        return self._worker

    def use(self, worker: DeviceWorker) -> None:
        """Work on this device from now on; the former one's worker is closed."""
        if self._worker is not None:
            self._worker.close()
        self._worker = worker
        worker.start()
        self._ticket += 1
        self.task = ""
        self._drawn = self._traced = ""
        self._plan = None
        self.measurement = self.measured_program = None
        self.render_error = self.trace_error = self.measurement_error = None
        self.profiled.emit()
        self.pump()

    def clear(self) -> None:
        """Another document: nothing of the former one stays."""
        self._ticket += 1
        self._program = None
        self._drawn = self._traced = ""
        self._plan = None
        self.frame = None
        self.trace = self.traced_program = self.measurement = self.measured_program = None
        self.render_error = self.trace_error = self.measurement_error = None
        self.playback.restart()
        self.frame_rate.clear()
        self.frame_arrived.emit()
        self.traced.emit()
        self.profiled.emit()

    def set_program(self, program: Program) -> None:
        """The program to draw and count from now on."""
        if self._program is None or self._program.digest != program.digest:
            self.render_error = self.trace_error = None
        self._program = program
        self.pump()

    def again(self) -> None:
        """Draw and count the program once more, faults of the last time forgotten."""
        self._drawn = self._traced = ""
        self.render_error = self.trace_error = None
        self.pump()

    def close(self) -> None:
        self._timer.stop()
        if self._worker is not None:
            self._worker.close()

    # -- what to do next --------------------------------------------------------------------

    def pump(self) -> None:
        """Send the device its next request, if it is free and there is one."""
        program = self._program
        if self._worker is None or program is None or self.task:
            return
        if self.render_error is None and self._drawn != program.digest:
            self._render(program)
        elif self._trace_due(program):
            self._trace(program)
        elif self._plan is not None:
            self._profile(program)
        elif self.render_error is None and self._visible:
            self._show_next(program)

    def _trace_due(self, program: Program) -> bool:
        return (
            self._traced != program.digest
            and not self.hold_trace
            and self.trace_error is None
            and self.render_error is None
        )

    def _show_next(self, program: Program) -> None:
        if self._redraw:
            self._render(program)
        elif self.playback.playing:
            wait = FRAME_INTERVAL_S - (perf_counter() - self._since)
            if wait > 0.001:
                self._timer.start(round(wait * 1000))
            else:
                self._render(program)

    def _send(self, task: str, future: Future, done: Callable, failed: Callable) -> None:
        self._timer.stop()
        self.task = task
        self._since = perf_counter()
        worker, ticket = self._worker, self._ticket

        def then(call: Callable) -> Callable:
            def answer(value) -> None:
                if worker is not self._worker:
                    return
                self.task = ""
                if ticket == self._ticket:
                    call(value)
                self.state_changed.emit()
                self.pump()

            return answer

        self._bridge.watch(future, then(done), then(failed))

    # -- drawing ----------------------------------------------------------------------------

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

        def done(frame: Frame) -> None:
            now = perf_counter()
            self._drawn = program.digest
            if self.playback.playing:
                self.frame_rate.tick(now)
            self.frame, self.frame_s = frame, now - self._since
            self.frame_arrived.emit()

        def failed(error: ShaderlabError) -> None:
            self.render_error = error
            self.playback.pause()
            self.frame_rate.clear()

        self._send("render", self._worker.render(program, uniforms), done, failed)

    @property
    def drawn(self) -> bool:
        """Whether the picture is of the program in force."""
        return self._program is not None and self._drawn == self._program.digest

    @property
    def busy_s(self) -> float:
        """Seconds the device has been on its present request; 0 where it is free."""
        return perf_counter() - self._since if self.task else 0.0

    def toggle_play(self) -> None:
        """Play or pause; playing after a fault tries the shader once more."""
        if self.playback.playing:
            self.playback.pause()
        else:
            self.playback.play()
            if self.render_error is not None:
                self.again()
        self.frame_rate.clear()
        self.state_changed.emit()
        self.pump()

    def restart(self) -> None:
        self.playback.restart()
        self._draw_soon()

    def step(self) -> None:
        self.playback.step()
        self.frame_rate.clear()
        self._draw_soon()

    def set_size(self, size: tuple[int, int]) -> None:
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
            self.pump()

    def _draw_soon(self) -> None:
        self._redraw = True
        self.state_changed.emit()
        self.pump()

    # -- counting ---------------------------------------------------------------------------

    def _trace(self, program: Program) -> None:
        def finish(trace: Trace | None, error: ShaderlabError | None) -> None:
            self._traced = program.digest
            self.trace, self.trace_error, self.traced_program = trace, error, program
            self.trace_s = perf_counter() - self._since
            self._rest()
            self.traced.emit()

        self._send(
            "trace",
            self._worker.trace(program, CANONICAL),
            lambda trace: finish(trace, None),
            lambda error: finish(None, error),
        )
        self.state_changed.emit()

    @property
    def counted(self) -> bool:
        """Whether the counts are of the program in force."""
        return self._program is not None and self._traced == self._program.digest

    # -- profiling --------------------------------------------------------------------------

    def profile(self, trials: int, draws: int) -> None:
        """Profile the program in force as soon as the device is free."""
        if self._plan is None:
            self._plan = (trials, draws)
            self.state_changed.emit()
            self.pump()

    @property
    def profiling(self) -> bool:
        return self._plan is not None

    def _profile(self, program: Program) -> None:
        def finish(measurement: Measurement | None, error: ShaderlabError | None) -> None:
            self._plan = None
            self.measurement, self.measurement_error = measurement, error
            self.measured_program = program
            self._rest()
            self.profiled.emit()

        self.measurement_error = None
        self._send(
            "profile",
            self._worker.profile(program, CANONICAL, *self._plan),
            lambda measurement: finish(measurement, None),
            lambda error: finish(None, error),
        )
        self.state_changed.emit()

    def _rest(self) -> None:
        """The preview stood still for reasons of ours: its time did too."""
        self.playback.hold()
        self.frame_rate.clear()
