"""The device's work: one request at a time, the most wanted first.

A changed program is drawn once at once, then counted, then (if asked) profiled, then its optimised
sibling is counted; what time is left goes to the frames of the preview.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from time import perf_counter
from typing import TYPE_CHECKING

from shaderlab.app.qt import QObject, QTimer, Signal
from shaderlab.app.session.bridge import Bridge
from shaderlab.app.session.frame_budget import FrameBudget, LastChance
from shaderlab.app.session.mouse import ShaderMouse
from shaderlab.app.session.playback import FrameRate, Playback, date_of
from shaderlab.app.session.profile_plan import ProfileRun
from shaderlab.app.session.quarantine import Quarantine
from shaderlab.app.session.request_slot import RequestSlot
from shaderlab.errors import Quarantined, ShaderlabError
from shaderlab.frontend.program import Program
from shaderlab.scene.draw import CANONICAL, CANONICAL_SIZE, Draw, Frame
from shaderlab.scene.uniforms import Uniforms
from shaderlab.spirv.heat import HeatView
from shaderlab.workers.device import DeviceWorker, RenderedFrame

if TYPE_CHECKING:
    from shaderlab.gpu.measurement import Measurement
    from shaderlab.spirv.trace import Trace

FRAME_INTERVAL_S = 1 / 60


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
        self._quarantine = quarantine
        self.budget = FrameBudget()
        self._last_chance = LastChance(self.budget)
        self._slot = RequestSlot(bridge, quarantine, self)
        self._slot.freed.connect(self._on_freed)
        self._program: Program | None = None
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
        self.frame: RenderedFrame | None = None
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

    # -- what to work with ------------------------------------------------------------------

    @property
    def worker(self) -> DeviceWorker | None:
        return self._slot.worker

    @property
    def task(self) -> str:
        """What the device is on: "", "render", "heat", "trace" or "profile"."""
        return self._slot.task

    @property
    def busy_s(self) -> float:
        """Seconds the device has been on its present request; 0 where it is free."""
        return self._slot.busy_s

    def use(self, worker: DeviceWorker) -> None:
        """Work on this device from now on; the former one's worker is closed."""
        self._slot.use(worker)
        self._forget()
        self.profiled.emit()
        self.pump()

    def clear(self) -> None:
        """Another document: nothing of the former one stays."""
        self._slot.drop()
        self._program = None
        self._forget()
        self._slot.want(None)
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
        self._last_chance.clear()
        self.budget.reset()

    def set_program(self, program: Program) -> None:
        """The program to draw and count from now on."""
        if self._program is None or self._program.digest != program.digest:
            self._sibling = None
            self.render_error = self.trace_error = self.heat_error = None
            self._last_chance.clear()
            self.playback.resume()
        self._program = program
        self._slot.want(program)
        self.pump()

    def again(self) -> None:
        """Draw and count the program once more, faults of the last time forgotten."""
        if self._program is not None:
            self._quarantine.release(self._program)
        self._last_chance.clear()
        self._drawn = self._traced = ""
        self.render_error = self.trace_error = self.heat_error = None
        self.playback.resume()
        self.pump()

    def close(self) -> None:
        self._timer.stop()
        self._slot.close()

    # -- what to do next --------------------------------------------------------------------

    def pump(self) -> None:
        """Send the device its next request, if it is free and there is one."""
        program = self._program
        if self.worker is None or program is None or self.task:
            return
        self._timer.stop()
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
        reason = self._quarantine.reason(program, task, self._slot.place)
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
            wait = FRAME_INTERVAL_S - (perf_counter() - self._slot.since)
            if wait > 0.001:
                self._timer.start(round(wait * 1000))
            else:
                self._render(program)

    def _on_freed(self) -> None:
        self.state_changed.emit()
        self.pump()

    def _is_wanted(self, program: Program) -> bool:
        return self._program is not None and self._program.digest == program.digest

    # -- drawing ----------------------------------------------------------------------------

    def _render(self, program: Program) -> None:
        self._redraw = False
        moment = self.playback.next(perf_counter())
        first = self._drawn != program.digest
        size = self.budget.size(self._size)
        uniforms = Uniforms(
            time_s=moment.time_s,
            frame=moment.frame,
            time_delta_s=moment.delta_s,
            frame_rate=self.frame_rate.value or 0.0,
            mouse=self.mouse.take(size),
            date=date_of(datetime.now()),
        )
        draw = Draw.of(program, size, uniforms)

        def done(frame: RenderedFrame) -> None:
            now = perf_counter()
            self._drawn = program.digest
            if self.playback.playing:
                self.frame_rate.tick(now)
            self.frame, self.frame_s = frame, now - self._slot.since
            self._last_chance.clear()
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

        def excuse(error: ShaderlabError) -> ShaderlabError | None:
            """None for a frame that came too late and is worth a last try, much smaller."""
            limit_s = self.worker.limits.frame
            if self._is_wanted(program) and self._last_chance.taken(error, limit_s):
                self._redraw = True
                return None
            return self._last_chance.explained(error)

        def failed_to_count(error: ShaderlabError) -> None:
            if self._is_wanted(program):
                self.heat_error = error
                self._redraw = True

        if self._heat_wanted and self._heat_may_run(program):
            request = self.worker.render_heat(draw, self._heat_view)
            self._slot.send("heat", program, request, done, failed_to_count)
        else:
            request = self.worker.render(Frame((draw,)), self._last_chance.limit_s)
            self._slot.send("render", program, request, done, failed, first=first, excuse=excuse)

    @property
    def drawn(self) -> bool:
        """Whether the picture is of the program in force."""
        return self._program is not None and self._drawn == self._program.digest

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
        reason = self._quarantine.reason(program, "heat", self._slot.place)
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
            self.trace_s = perf_counter() - self._slot.since
            self._rest()
            self.traced.emit()

        self._slot.send(
            "trace",
            program,
            self.worker.trace(CANONICAL.draw(program)),
            lambda trace: finish(trace, None),
            lambda error: finish(None, error),
            first=True,
        )
        self.state_changed.emit()

    def trace_sibling(
        self,
        program: Program,
        done: Callable[[Trace], None],
        failed: Callable[[ShaderlabError], None],
    ) -> None:
        """Count the same frame of another form of the program in force, when nothing else is to be
        done.

        Not at all where the program in force changes before; `failed` with Quarantined where it was
        what ended a worker.
        """
        self._sibling = _Sibling(program, done, failed)
        self.pump()

    def _trace_sibling(self, program: Program) -> None:
        sibling, self._sibling = self._sibling, None
        if reason := self._quarantine.reason(sibling.program, "trace", self._slot.place):
            sibling.failed(Quarantined(reason))
            self.pump()
            return
        request = self.worker.trace(CANONICAL.draw(sibling.program))

        def then(call: Callable) -> Callable:
            def answer(value) -> None:
                self._rest()
                call(value)

            return answer

        done, failed = then(sibling.done), then(sibling.failed)
        self._slot.send("trace", sibling.program, request, done, failed, first=True, of=program)
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
        request = self.worker.profile(run.next(program), run.trials, run.draws)
        self._slot.send("profile", program, request, done, lambda error: finish(None, error))
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
