"""The device's work: one request at a time, the most wanted first.

A changed program is drawn once at once, then counted, then (if asked) profiled, then its other
forms are counted; what time is left goes to the frames of the preview.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.draw_settings import DrawSettings, Variant
from shaderlab.app.session.frame_budget import FrameBudget, LastChance
from shaderlab.app.session.jobs import Job, JobRunner, Tools
from shaderlab.app.session.mouse import ShaderMouse
from shaderlab.app.session.playback import FrameRate, Playback, date_of
from shaderlab.app.session.profile_run import ProfileRun
from shaderlab.app.session.quarantine import Task
from shaderlab.errors import ShaderlabError, UnsupportedShader
from shaderlab.frontend.program import Program
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.scene.draw import CANONICAL_SIZE, Draw, Frame
from shaderlab.scene.uniforms import Uniforms
from shaderlab.spirv.heat import HeatView
from shaderlab.workers.device import DeviceWorker, RenderedFrame

if TYPE_CHECKING:
    from shaderlab.gpu.measurement import Measurement
    from shaderlab.spirv.trace import Trace

FRAME_INTERVAL_S = 1 / 60
NO_HEAT_OF_PASSES = "Heat maps are not available for shaders with passes yet"
PATIENCE_S = 0.6
"""A request for a program that was changed meanwhile is given up after so long."""
_NOTHING: Variant = ("", 0)


class DeviceJobs(QObject):
    """Draws, counts and profiles one program at a time on one device."""

    program_changed = Signal()
    device_changed = Signal()
    frame_arrived = Signal()
    traced = Signal()
    """`trace` or `trace_error` is new."""
    profiled = Signal()
    """`measurement` or `measurement_error` is new."""
    state_changed = Signal()

    def __init__(self, tools: Tools, settings: DrawSettings, parent: QObject):
        super().__init__(parent)
        self._runner, self._clock = JobRunner(tools, self), tools.clock
        self._settings = settings
        settings.changed.connect(self._on_settings)
        settings.rested.connect(self.pump)
        self._runner.freed.connect(self._on_freed)
        self.worker: DeviceWorker | None = None
        self.budget = FrameBudget()
        self._last_chance = LastChance(self.budget)
        self.program: Program | None = None
        """The current program; None before a document's first."""
        self._drawn: Variant = _NOTHING
        self.traced_variant: Variant = _NOTHING
        """What the latest picture and the latest counts are of."""
        self._redraw = False
        self._visible = True
        self._size = (512, 384)
        self._run: ProfileRun | None = None
        self._forms: deque[_FormToTrace] = deque()
        self.hold_trace = False
        """A newer text is being compiled: counts would be wasted."""
        self.playback = Playback()
        self.mouse = ShaderMouse(self)
        self.mouse.changed.connect(self.draw_soon)
        self.frame_rate = FrameRate()
        self.frame: RenderedFrame | None = None
        self._heat_view: HeatView | None = None
        self.heat_error: ShaderlabError | None = None
        """Why the current program has no heat map; cleared with the next program or view."""
        self.frame_s = 0.0
        """Seconds the latest frame's request took, the pipeline's creation included."""
        self.trace: Trace | None = None
        self.traced_draw: Draw | None = None
        """What `trace`, or `trace_error`, is of."""
        self.trace_s = 0.0
        self.measurement: Measurement | None = None
        self.measured_draw: Draw | None = None
        self.measured_variant: Variant = _NOTHING
        self.by_size: tuple[Measurement, ...] = ()
        """Of the measured program at several sizes; empty where only one was asked for."""
        self.render_error: ShaderlabError | None = None
        self.trace_error: ShaderlabError | None = None
        self.measurement_error: ShaderlabError | None = None
        self._next_frame = self._clock.alarm(self.pump, self)

    # -- what to work with ------------------------------------------------------------------

    @property
    def info(self) -> DeviceInfo | None:
        return self.worker.info if self.worker is not None else None

    @property
    def task(self) -> str:
        """What the device is on: "", "render", "heat", "trace" or "profile"."""
        return self._runner.task

    @property
    def busy_s(self) -> float:
        """Seconds the device has been on its present request; 0 where it is free."""
        return self._runner.busy_s

    def use(self, worker: DeviceWorker) -> None:
        """Work on this device from now on; the former one's worker is closed."""
        if self.worker is not None:
            self.worker.close(wait=False)  # a driver may take its time to let go
        self.worker = worker
        worker.start()
        self._runner.replace_worker()
        self._forget()
        self.device_changed.emit()
        self.profiled.emit()
        self.pump()

    def clear(self) -> None:
        """Another document: nothing of the former one stays."""
        self._runner.leave_document()
        self.program = None
        self._forget()
        self._runner.want(None)
        self.frame = self.trace = self.traced_draw = None
        self.playback.restart()
        self.frame_rate.clear()
        self.program_changed.emit()
        self.frame_arrived.emit()
        self.traced.emit()
        self.profiled.emit()

    def _forget(self) -> None:
        """What is asked for and measured belongs to the former document or device."""
        self._drawn = self.traced_variant = self.measured_variant = _NOTHING
        self._run = None
        self._forms.clear()
        self.measurement = self.measured_draw = None
        self.by_size = ()
        self.measurement_error = None
        self.budget.reset()
        self._forgive()

    def _forgive(self) -> None:
        """Forget errors, so that what failed is tried again."""
        self.render_error = self._settings.passes.problem
        self.trace_error = self.heat_error = None
        self._last_chance.clear()

    def set_program(self, program: Program) -> None:
        """The program to draw and count from now on."""
        if self.program is None or self.program.digest != program.digest:
            self._forms.clear()
            self._forgive()
            self.playback.resume()
        self.program = program
        self._want()
        self.program_changed.emit()
        self.pump()

    def _on_settings(self) -> None:
        """Inputs or geometry changed: what failed with the former ones may work with these."""
        self._forgive()
        self.playback.resume()
        self._want()
        self.state_changed.emit()
        self.pump()

    def _want(self) -> None:
        """Pictures of any values are wanted, counts only of those that are set."""
        if self.program is not None:
            self._runner.want(self.program.digest, self.variant)

    @property
    def variant(self) -> Variant:
        """The current program as it is to be drawn now."""
        return (self.program.digest if self.program is not None else "", self._settings.version)

    @property
    def in_passes(self) -> bool:
        """Whether the program is one pass of several of a frame."""
        return bool(self._settings.passes.edited)

    @property
    def traced_program(self) -> Program | None:
        return self.traced_draw.program if self.traced_draw is not None else None

    @property
    def measured_program(self) -> Program | None:
        return self.measured_draw.program if self.measured_draw is not None else None

    def again(self) -> None:
        """Draw and count the program once more, faults of the last time forgotten."""
        if self.program is not None:
            self._runner.release(self.program)
            self._runner.release(self._settings.suspect(self.program))
        self._drawn = self.traced_variant = _NOTHING
        self._forgive()
        self.playback.resume()
        self.pump()

    def close(self) -> None:
        self._next_frame.stop()
        if self.worker is not None:
            self.worker.close()

    # -- what to do next --------------------------------------------------------------------

    def pump(self) -> None:
        """Send the device its next request, if it is free and there is one."""
        worker, program = self.worker, self.program
        if worker is None or program is None or self._runner.busy:
            return
        if self._settings.passes.waiting:
            return
        self._next_frame.stop()
        if self.render_error is None and not self.drawn:
            self._render(worker, program)
        elif self._trace_due:
            self._trace(worker, program)
        elif self._run is not None:
            self._profile(worker, program, self._run)
        elif self._forms and not self.hold_trace and self.counted:
            self._trace_form(worker, program, self._forms.popleft())
        elif self.render_error is None and self._visible:
            self._show_next(worker, program)

    @property
    def _trace_due(self) -> bool:
        return (
            not self.counted
            and not self.hold_trace
            and not self._settings.moving
            and self.trace_error is None
            and self.render_error is None
        )

    def _show_next(self, worker: DeviceWorker, program: Program) -> None:
        if self._redraw or self._heat_due:
            self._render(worker, program)
        elif self.playback.playing:
            wait = FRAME_INTERVAL_S - (self._clock.now() - self._runner.since)
            if wait > 0.001:
                self._next_frame.set(wait)
            else:
                self._render(worker, program)

    def _on_freed(self) -> None:
        self.state_changed.emit()
        self.pump()

    def _is_wanted(self, program: Program) -> bool:
        return self.program is not None and self.program.digest == program.digest

    # -- drawing ----------------------------------------------------------------------------

    def _render(self, worker: DeviceWorker, program: Program) -> None:
        self._redraw = False
        moment = self.playback.next(self._clock.now())
        size = self.budget.size(self._size)
        uniforms = Uniforms(
            time_s=moment.time_s,
            frame=moment.frame,
            time_delta_s=moment.delta_s,
            frame_rate=self.frame_rate.value or 0.0,
            mouse=self.mouse.take(size),
            date=date_of(datetime.now()),
        )
        draw, variant = self._settings.draw(program, size, uniforms), self.variant
        if (view := self._heat_wanted) is not None and self._settings.passes.edited:
            self.heat_error = UnsupportedShader(NO_HEAT_OF_PASSES)
        elif view is not None:
            self._render_heat(worker, draw, variant, view)
            return
        frame = self._settings.frame(draw)

        def failed(error: ShaderlabError) -> None:
            if self._is_wanted(program):
                self.render_error = error
                self.playback.halt()
                self.frame_rate.clear()
                self.budget.reset()

        def excuse(error: ShaderlabError) -> ShaderlabError | None:
            """None for a frame that came too late and is worth a last try, much smaller."""
            if self._is_wanted(program) and self._last_chance.taken(error, worker.limits.frame):
                self._redraw = True
                return None
            return self._last_chance.explained(error)

        self._runner.run(
            self._job(Task.RENDER, program, first=self._drawn[0] != program.digest),
            lambda: worker.render(frame, self._last_chance.limit_s),
            lambda frame: self._show(variant, frame),
            failed,
            abandon=worker.abandon,
            excuse=excuse,
        )

    def _show(self, variant: Variant, frame: RenderedFrame) -> None:
        now = self._clock.now()
        self._drawn = variant
        if self.playback.playing:
            self.frame_rate.tick(now)
        self.frame, self.frame_s = frame, now - self._runner.since
        self._last_chance.clear()
        took_s = frame.gpu_s if frame.gpu_s == frame.gpu_s else self.frame_s - frame.pipeline_s
        if self.budget.spent(took_s):
            self._redraw = True
            self.frame_rate.clear()
        self.frame_arrived.emit()

    def _job(
        self, task: Task, program: Program, *, first: bool = False, form: Program | None = None
    ) -> Job:
        """A job that is useless once `program` is not the current one; counts, also once values
        were changed."""
        place = self.worker.info.slug if self.worker is not None else ""
        of = self.variant if task is Task.TRACE else program.digest
        suspect = self._settings.suspect(form or program)
        return Job(task, suspect, place, PATIENCE_S, of, first=first)

    @property
    def drawn(self) -> bool:
        """Whether the picture is of the current program with its present values."""
        return self.program is not None and self._drawn == self.variant

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
        """Whether anyone can see the preview; nothing is drawn unseen."""
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
                self._redraw = True  # to show how long a plain draw takes
            self.frame_rate.clear()
            self.state_changed.emit()
            self.pump()

    def _render_heat(
        self, worker: DeviceWorker, draw: Draw, variant: Variant, view: HeatView
    ) -> None:
        program = draw.program

        def failed(error: ShaderlabError) -> None:
            if self._is_wanted(program):
                self.heat_error = error
                self._redraw = True

        self._runner.run(
            self._job(Task.HEAT, program),
            lambda: worker.render_heat(draw, view),
            lambda frame: self._show(variant, frame),
            failed,
            abandon=worker.abandon,
        )

    @property
    def _heat_wanted(self) -> HeatView | None:
        """Only for programs that are known to draw and to count: what fails there fails here."""
        digest = self.variant[0]
        known = bool(digest) and self._drawn[0] == digest == self.traced_variant[0]
        able = known and self.trace_error is None
        return self._heat_view if able and self.heat_error is None else None

    @property
    def _heat_due(self) -> bool:
        """Whether the picture that stands lacks the heat map it should have."""
        view, heat = self._heat_wanted, self.frame.heat if self.frame is not None else None
        return view is not None and (heat is None or heat.view != view)

    # -- counting ---------------------------------------------------------------------------

    def _trace(self, worker: DeviceWorker, program: Program) -> None:
        frame, name = self._counted_frame(program)
        draw, variant = frame.named(name) if name else frame.shown, self.variant

        def finish(trace: Trace | None, error: ShaderlabError | None) -> None:
            self.traced_variant = variant
            self.trace, self.trace_error, self.traced_draw = trace, error, draw
            self.trace_s = self._clock.now() - self._runner.since
            self._rest()
            self.traced.emit()

        self._runner.run(
            self._job(Task.TRACE, program, first=True),
            lambda: _send_trace(worker, frame, name),
            lambda trace: finish(trace, None),
            lambda error: finish(None, error),
            abandon=worker.abandon,
        )
        self.state_changed.emit()

    def trace_form(
        self,
        form: Program,
        done: Callable[[Trace], object],
        failed: Callable[[ShaderlabError], object],
    ) -> None:
        """Count the same frame of another form of the current program, once there is time.

        Not called if the current program changes first.  `failed` gets Quarantined where counting
        the form ended a worker before.
        """
        self._forms.append(_FormToTrace(form, done, failed))
        self.pump()

    def _trace_form(self, worker: DeviceWorker, program: Program, asked: _FormToTrace) -> None:
        def done(trace: Trace) -> None:
            self._rest()
            asked.done(trace)

        def failed(error: ShaderlabError) -> None:
            self._rest()
            asked.failed(error)

        self._runner.run(
            self._job(Task.TRACE, program, first=True, form=asked.form),
            lambda: _send_trace(worker, *self._counted_frame(asked.form)),
            done,
            failed,
            abandon=worker.abandon,
        )
        self.state_changed.emit()

    def _counted_frame(self, program: Program) -> tuple[Frame, str]:
        """The canonical frame with the program, and the pass that it is; empty: the only one."""
        passes = self._settings.passes
        return passes.frame(self._settings.draw(program)), passes.edited

    @property
    def counted(self) -> bool:
        """Whether the counts are of the current program with its present values."""
        return self.program is not None and self.traced_variant == self.variant

    # -- profiling --------------------------------------------------------------------------

    def profile(
        self, trials: int, draws: int, sizes: tuple[tuple[int, int], ...] = (CANONICAL_SIZE,)
    ) -> None:
        """Profile the current program, at each size, as soon as the device is free."""
        if self._run is None:
            self._run = ProfileRun(trials, draws, sizes)
            self.state_changed.emit()
            self.pump()

    @property
    def profiling(self) -> bool:
        return self._run is not None

    def _profile(self, worker: DeviceWorker, program: Program, run: ProfileRun) -> None:
        def done(measurement: Measurement) -> None:
            if run.add(measurement):
                finish(run.canonical, None)

        def finish(measurement: Measurement | None, error: ShaderlabError | None) -> None:
            self._run = None
            if error is None and len(run.sizes) > 1:
                self.by_size = tuple(run.measured)
            elif self.measured_variant != variant:
                self.by_size = ()
            self.measurement, self.measurement_error = measurement, error
            self.measured_draw, self.measured_variant = canonical, variant
            self._rest()
            self.profiled.emit()

        self.measurement_error = None
        passes, variant = self._settings.passes, self.variant
        if passes.problem is not None:
            self._run, self.measurement_error = None, passes.problem
            self.profiled.emit()
            return
        edited = self._settings.draw(program)
        canonical, draw = passes.draw(edited), run.next(edited)
        frame = passes.frame(draw)

        def send() -> Future[Measurement]:
            if passes.edited:
                return worker.profile_pass(frame, passes.edited, run.trials, run.draws)
            return worker.profile(draw, run.trials, run.draws)

        self._runner.run(  # never stopped, and never quarantined: the user asked for it
            Job(Task.PROFILE, self._settings.suspect(program), blamed=False),
            send,
            done,
            lambda error: finish(None, error),
        )
        self.state_changed.emit()

    def _rest(self) -> None:
        """The preview stood still for another request: no time passed for it."""
        self.playback.hold()
        self.frame_rate.clear()


def _send_trace(worker: DeviceWorker, frame: Frame, name: str) -> Future[Trace]:
    """Have one pass counted; without a name, the only draw of the frame."""
    return worker.trace_pass(frame, name) if name else worker.trace(frame.shown)


@dataclass(frozen=True)
class _FormToTrace:
    """A form of the current program to count, and who waits for its trace."""

    form: Program
    done: Callable[[Trace], object]
    failed: Callable[[ShaderlabError], object]
