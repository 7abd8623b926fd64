"""The device's work: one request at a time, the most wanted first.

A changed program is drawn once at once, then counted, then (if asked) profiled, then its optimised
sibling is counted; what time is left goes to the frames of the preview.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime
from time import perf_counter
from typing import TYPE_CHECKING

from shaderlab.app.bridge import Bridge
from shaderlab.app.frame_budget import FrameBudget
from shaderlab.app.mouse import ShaderMouse
from shaderlab.app.playback import FrameRate, Playback, date_of
from shaderlab.app.profile_run import CANONICAL_SIZE, ProfileRun
from shaderlab.app.qt import QObject, QTimer, Signal
from shaderlab.app.quarantine import Quarantine, ends_workers
from shaderlab.errors import Abandoned, Quarantined, ShaderlabError, ShaderTimeout
from shaderlab.frontend.program import Program
from shaderlab.gpu.uniforms import Uniforms
from shaderlab.spirv.heat import HeatView
from shaderlab.workers.device import DeviceWorker, Frame

if TYPE_CHECKING:
    from shaderlab.gpu.measurement import Measurement
    from shaderlab.spirv.trace import Trace

CANONICAL = Uniforms()
"""The run that counts, predictions and profiles speak about (design §3)."""

FRAME_INTERVAL_S = 1 / 60
PATIENCE_S = 0.6
"""A request for a program that was changed meanwhile is given up after so long."""
_LAST_CHANCE = 1 / 3
"""Share of the limit a frame has that is tried smaller after it missed the limit."""


class DeviceLane(QObject):
    """Draws, counts and profiles one program at a time on one device."""

    frame_arrived = Signal()
    traced = Signal()
    """`trace` or `trace_error` is new."""
    profiled = Signal()
    """`measurement` or `measurement_error` is new."""
    state_changed = Signal()

    def __init__(self, bridge: Bridge, quarantine: Quarantine, parent: QObject):
        super().__init__(parent)
        self._bridge = bridge
        self._quarantine = quarantine
        self.budget = FrameBudget()
        self._last_chance_s: float | None = None
        """Seconds the next frame gets, where that is not the worker's limit."""
        self._first_miss: ShaderlabError | None = None
        """Why there is a last chance."""
        self._request: Future | None = None
        self._requested: Program | None = None
        self._worker: DeviceWorker | None = None
        self._program: Program | None = None
        self._ticket = 0
        """Counts documents and devices; answers for an earlier one are dropped."""
        self.task = ""
        """What the device is on: "", "render", "heat", "trace" or "profile"."""
        self._since = 0.0
        self._drawn = self._traced = ""
        """Digests of the programs of the latest picture and counts."""
        self._redraw = False
        self._visible = True
        self._size = (512, 384)
        self._run: ProfileRun | None = None
        self._sibling: _Sibling | None = None
        self.hold_trace = False
        """A newer text is being compiled: counts would be for nothing."""
        self.playback = Playback()
        self.mouse = ShaderMouse(self)
        self.mouse.changed.connect(self.draw_soon)
        self.frame_rate = FrameRate()
        self.frame: Frame | None = None
        self._heat_view: HeatView | None = None
        self.heat_error: ShaderlabError | None = None
        """Why the program in force has no heat map; cleared with the next program or view."""
        self.frame_s = 0.0
        """Seconds the latest frame's request took, the pipeline's creation included."""
        self.trace: Trace | None = None
        self.traced_program: Program | None = None
        self.trace_s = 0.0
        self.measurement: Measurement | None = None
        self.measured_program: Program | None = None
        self.by_size: tuple[Measurement, ...] = ()
        """Of the measured program at several sizes; empty where only one was asked for."""
        self.render_error: ShaderlabError | None = None
        self.trace_error: ShaderlabError | None = None
        self.measurement_error: ShaderlabError | None = None
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.pump)
        self._impatience = QTimer(self, singleShot=True)
        self._impatience.timeout.connect(self._give_up_outdated)

    # -- what to work with ------------------------------------------------------------------

    @property
    def worker(self) -> DeviceWorker | None:
        return self._worker

    def use(self, worker: DeviceWorker) -> None:
        """Work on this device from now on; the former one's worker is closed."""
        if self._worker is not None:
            self._worker.close(wait=False)  # a driver may take its time to let go
        self._worker = worker
        worker.start()
        self._ticket += 1
        self.task = ""
        self._forget()
        self.profiled.emit()
        self.pump()

    def clear(self) -> None:
        """Another document: nothing of the former one stays."""
        self._ticket += 1
        self._program = None
        self._forget()
        self._give_up_outdated()
        self.frame = self.trace = self.traced_program = None
        self.playback.restart()
        self.frame_rate.clear()
        self.frame_arrived.emit()
        self.traced.emit()
        self.profiled.emit()

    def _forget(self) -> None:
        """What is asked for and measured belongs to the former document or device."""
        self._drawn = self._traced = ""
        self._run = self._sibling = None
        self.measurement = self.measured_program = None
        self.by_size = ()
        self.render_error = self.trace_error = self.measurement_error = self.heat_error = None
        self._last_chance_s = None
        self.budget.reset()

    def set_program(self, program: Program) -> None:
        """The program to draw and count from now on."""
        if self._program is None or self._program.digest != program.digest:
            self._sibling = None
            self.render_error = self.trace_error = self.heat_error = None
            self._last_chance_s = None
            self.playback.resume()
        self._program = program
        self._give_up_outdated()
        self.pump()

    def again(self) -> None:
        """Draw and count the program once more, faults of the last time forgotten."""
        if self._program is not None:
            self._quarantine.release(self._program)
        self._last_chance_s = None
        self._drawn = self._traced = ""
        self.render_error = self.trace_error = self.heat_error = None
        self.playback.resume()
        self.pump()

    def close(self) -> None:
        self._timer.stop()
        self._impatience.stop()
        if self._worker is not None:
            self._worker.close()

    # -- what to do next --------------------------------------------------------------------

    def pump(self) -> None:
        """Send the device its next request, if it is free and there is one."""
        program = self._program
        if self._worker is None or program is None or self.task:
            return
        if self.render_error is None and self._drawn != program.digest:
            if self._may_run(program, "render"):
                self._render(program)
        elif self._trace_due(program):
            if self._may_run(program, "trace"):
                self._trace(program)
        elif self._run is not None:
            self._profile(program)
        elif self._sibling is not None and not self.hold_trace:
            self._trace_sibling(program)
        elif self.render_error is None and self._visible:
            self._show_next(program)

    def _may_run(self, program: Program, task: str) -> bool:
        """False for a program that ended a worker before: it stands still, and says why."""
        reason = self._quarantine.reason(program, task, self._place)
        if not reason:
            return True
        error = Quarantined(reason).with_remedy(
            "It is not run again by itself: change it, or choose Play to run it anyway."
        )
        if task == "render":
            self.render_error = error
            self.playback.halt()
            self.frame_rate.clear()
        else:
            self._traced = program.digest
            self.trace, self.trace_error, self.traced_program = None, error, program
            self.traced.emit()
        self.state_changed.emit()
        return False

    @property
    def _place(self) -> str:
        return self._worker.info.slug

    def _give_up_outdated(self) -> None:
        """What the device is on is no longer wanted: wait a little, then give it up."""
        if self.task not in ("render", "heat", "trace") or self._request is None:
            return
        wanted = self._program
        if wanted is not None and wanted.digest == self._requested.digest:
            return
        left = PATIENCE_S - self.busy_s
        if left > 0:
            self._impatience.start(round(left * 1000) + 1)
        else:
            self._worker.abandon(self._request)

    def _trace_due(self, program: Program) -> bool:
        return (
            self._traced != program.digest
            and not self.hold_trace
            and self.trace_error is None
            and self.render_error is None
        )

    def _show_next(self, program: Program) -> None:
        if self._redraw or self._heat_due:
            self._render(program)
        elif self.playback.playing:
            wait = FRAME_INTERVAL_S - (perf_counter() - self._since)
            if wait > 0.001:
                self._timer.start(round(wait * 1000))
            else:
                self._render(program)

    def _send(
        self,
        task: str,
        program: Program,
        future: Future,
        done: Callable,
        failed: Callable,
        of: Program | None = None,
    ) -> None:
        """`of`: whose sibling `program` is; once that is outdated the request is too."""
        self._timer.stop()
        self._impatience.stop()
        self.task = task
        self._since = perf_counter()
        self._request, self._requested = future, of or program
        worker, ticket = self._worker, self._ticket

        def then(call: Callable) -> Callable:
            def answer(value) -> None:
                if worker is not self._worker:
                    return
                self.task = ""
                self._request = None
                self._quarantine.end()
                told = not isinstance(value, Abandoned)
                smaller = task == "render" and self._last_chance_s is not None
                if smaller and isinstance(value, ShaderTimeout):
                    value = _also_smaller(self._first_miss)
                blamed = task in ("render", "trace", "heat")
                if blamed and isinstance(value, ShaderlabError) and ends_workers(value):
                    if task == "render" and self._try_smaller(program, value):
                        told = False
                    else:  # remembered even where the document was left meanwhile
                        self._quarantine.add(program, task, self._place, str(value))
                if ticket == self._ticket and told:
                    call(value)
                self.state_changed.emit()
                self.pump()

            return answer

        self._bridge.watch(future, then(done), then(failed))

    def _is_wanted(self, program: Program) -> bool:
        return self._program is not None and self._program.digest == program.digest

    def _try_smaller(self, program: Program, error: ShaderlabError) -> bool:
        """Whether a frame that came too late is worth a last try at a lower resolution."""
        if not (isinstance(error, ShaderTimeout) and self._is_wanted(program)):
            return False
        if self._last_chance_s is not None or not self.budget.missed():
            return False
        self._first_miss = error
        self._last_chance_s = self._worker.limits.frame * _LAST_CHANCE
        self._redraw = True
        return True

    # -- drawing ----------------------------------------------------------------------------

    def _render(self, program: Program) -> None:
        self._redraw = False
        moment = self.playback.next(perf_counter())
        if self._drawn != program.digest:
            self._quarantine.begin(program, "render", self._place)
        size = self.budget.size(self._size)
        uniforms = Uniforms(
            size=size,
            time_s=moment.time_s,
            frame=moment.frame,
            time_delta_s=moment.delta_s,
            frame_rate=self.frame_rate.value or 0.0,
            mouse=self.mouse.take(size),
            date=date_of(datetime.now()),
        )

        def done(frame: Frame) -> None:
            now = perf_counter()
            self._drawn = program.digest
            if self.playback.playing:
                self.frame_rate.tick(now)
            self.frame, self.frame_s = frame, now - self._since
            self._last_chance_s = None
            took_s = frame.gpu_s if frame.gpu_s == frame.gpu_s else self.frame_s - frame.pipeline_s
            if self.budget.spent(took_s):
                self._redraw = True
                self.frame_rate.clear()
            self.frame_arrived.emit()

        def failed(error: ShaderlabError) -> None:
            if self._is_wanted(program):
                self.render_error = error
                self.playback.halt()
                self.frame_rate.clear()
                self.budget.reset()

        def failed_to_count(error: ShaderlabError) -> None:
            if self._is_wanted(program):
                self.heat_error = error
                self._redraw = True

        if self._heat_wanted and self._heat_may_run(program):
            request = self._worker.render_heat(program, uniforms, self._heat_view)
            self._send("heat", program, request, done, failed_to_count)
        else:
            request = self._worker.render(program, uniforms, self._last_chance_s)
            self._send("render", program, request, done, failed)

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
        self.draw_soon()

    def step(self) -> None:
        self.playback.step()
        self.frame_rate.clear()
        self.draw_soon()

    def set_size(self, size: tuple[int, int]) -> None:
        """Width, height of the next pictures, pixels."""
        if size != self._size:
            self._size = size
            self.budget.reset()
            self.frame_rate.clear()
            self.draw_soon()

    def set_visible(self, visible: bool) -> None:
        """Whether anyone can see the preview; nothing is drawn for nobody."""
        if visible != self._visible:
            self._visible = visible
            self.playback.hold()
            self.pump()

    def draw_soon(self) -> None:
        """Draw the picture again, playing or not: what it depends on has changed."""
        self._redraw = True
        self.state_changed.emit()
        self.pump()

    # -- drawing with what the pixels cost --------------------------------------------------

    def show_heat(self, view: HeatView | None) -> None:
        """Have pictures come with this heat map from now on; None for pictures alone."""
        if view != self._heat_view:
            self._heat_view = view
            self.heat_error = None
            if view is None and self.frame is not None and self.frame.heat is not None:
                self._redraw = True  # tells again how long a draw takes
            self.frame_rate.clear()
            self.state_changed.emit()
            self.pump()

    @property
    def _heat_wanted(self) -> bool:
        """Only programs that are known to draw and to count: what fails there fails here."""
        return (
            self._heat_view is not None
            and self.heat_error is None
            and self.drawn
            and self.counted
            and self.trace_error is None
        )

    def _heat_may_run(self, program: Program) -> bool:
        reason = self._quarantine.reason(program, "heat", self._place)
        if reason:
            error = Quarantined(f"not counted again by itself: {reason}")
            self.heat_error = error.with_remedy("Change it, or choose Compile now.")
            self.state_changed.emit()
        return not reason

    @property
    def _heat_due(self) -> bool:
        """Whether the picture that stands lacks the heat map it should have."""
        heat = self.frame.heat if self.frame is not None else None
        return self._heat_wanted and (heat is None or heat.view != self._heat_view)

    # -- counting ---------------------------------------------------------------------------

    def _trace(self, program: Program) -> None:
        def finish(trace: Trace | None, error: ShaderlabError | None) -> None:
            self._traced = program.digest
            self.trace, self.trace_error, self.traced_program = trace, error, program
            self.trace_s = perf_counter() - self._since
            self._rest()
            self.traced.emit()

        self._quarantine.begin(program, "trace", self._place)
        self._send(
            "trace",
            program,
            self._worker.trace(program, CANONICAL),
            lambda trace: finish(trace, None),
            lambda error: finish(None, error),
        )
        self.state_changed.emit()

    def trace_sibling(
        self,
        program: Program,
        done: Callable[[Trace], None],
        failed: Callable[[ShaderlabError], None],
    ) -> None:
        """Count the same frame of the optimised program in force, when nothing else is to be done.

        Not at all where the program in force changes before, or it was what ended a worker.
        """
        self._sibling = _Sibling(program, done, failed)
        self.pump()

    def _trace_sibling(self, program: Program) -> None:
        sibling, self._sibling = self._sibling, None
        if self._quarantine.reason(sibling.program, "trace", self._place):
            self.pump()
            return
        request = self._worker.trace(sibling.program, CANONICAL)

        def then(call: Callable) -> Callable:
            def answer(value) -> None:
                self._rest()
                call(value)

            return answer

        done, failed = then(sibling.done), then(sibling.failed)
        self._quarantine.begin(sibling.program, "trace", self._place)
        self._send("trace", sibling.program, request, done, failed, of=program)
        self.state_changed.emit()

    @property
    def counted(self) -> bool:
        """Whether the counts are of the program in force."""
        return self._program is not None and self._traced == self._program.digest

    # -- profiling --------------------------------------------------------------------------

    def profile(
        self, trials: int, draws: int, sizes: tuple[tuple[int, int], ...] = (CANONICAL_SIZE,)
    ) -> None:
        """Profile the program in force, at each size, as soon as the device is free."""
        if self._run is None:
            self._run = ProfileRun(trials, draws, sizes)
            self.state_changed.emit()
            self.pump()

    @property
    def profiling(self) -> bool:
        return self._run is not None

    def _profile(self, program: Program) -> None:
        run = self._run

        def done(measurement: Measurement) -> None:
            if run.add(measurement):
                finish(run.canonical, None)

        def finish(measurement: Measurement | None, error: ShaderlabError | None) -> None:
            self._run = None
            former = self.measured_program
            if error is None and len(run.sizes) > 1:
                self.by_size = tuple(run.measured)
            elif former is None or former.digest != program.digest:
                self.by_size = ()
            self.measurement, self.measurement_error = measurement, error
            self.measured_program = program
            self._rest()
            self.profiled.emit()

        self.measurement_error = None
        request = self._worker.profile(program, run.next(program), run.trials, run.draws)
        self._send("profile", program, request, done, lambda error: finish(None, error))
        self.state_changed.emit()

    def _rest(self) -> None:
        """The preview stood still for reasons of ours: its time did too."""
        self.playback.hold()
        self.frame_rate.clear()


@dataclass(frozen=True)
class _Sibling:
    """An optimised program to count, and whom to tell."""

    program: Program
    done: Callable[[Trace], None]
    failed: Callable[[ShaderlabError], None]


def _also_smaller(first: ShaderlabError) -> ShaderlabError:
    message = f"{first}; a much smaller picture took too long as well"
    return ShaderTimeout(message).with_remedy(first.remedy)
