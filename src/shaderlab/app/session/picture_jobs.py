"""Pictures: what the preview shows, at its own size and time, with heat maps where asked for."""

from __future__ import annotations

from datetime import datetime

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.counts import Counts
from shaderlab.app.session.device_place import NOTHING, DevicePlace
from shaderlab.app.session.draw_settings import Variant
from shaderlab.app.session.frame_budget import FrameBudget, LastChance
from shaderlab.app.session.keyboard import ShaderKeyboard
from shaderlab.app.session.mouse import ShaderMouse
from shaderlab.app.session.playback import FrameRate, Playback, date_of
from shaderlab.app.session.shown_pass import FINAL, shown_pass
from shaderlab.app.session.suspects import Task
from shaderlab.errors import ShaderlabError, StuckDuring
from shaderlab.frontend.program import Program
from shaderlab.scene.draw import Frame
from shaderlab.scene.uniforms import STEP_S, Uniforms
from shaderlab.spirv.heat import HeatKind, HeatView
from shaderlab.workers.device import DeviceWorker, RenderedFrame

FRAME_INTERVAL_S = 1 / 60
_CHEAP_S = 0.04
"""Longer pictures are there sooner when the device draws them alone: on two cores, less optimised
code beside a child that compiles takes up to twice as long (`tests/benchmarks/keystroke.py`)."""
WAY_S = 0.05
"""How long no frame is started once something that the user waits for is on its way."""


class PictureJobs(QObject):
    """Draws the current program again and again while it plays and somebody sees it."""

    arrived = Signal()
    """`frame` is new."""

    def __init__(self, place: DevicePlace, counts: Counts, parent: QObject):
        super().__init__(parent)
        self._place, self._counts = place, counts
        place.interrupted.connect(self._hold)
        self.budget = FrameBudget()
        self._last_chance = LastChance(self.budget)
        self._drawn: Variant = NOTHING
        """What the latest picture is of."""
        self._redraw = False
        self._visible = True
        self._size = (512, 384)
        self.playback = Playback()
        self.mouse = ShaderMouse(self)
        self.mouse.changed.connect(self.draw_soon)
        self.keyboard = ShaderKeyboard(self)
        self.keyboard.changed.connect(self._on_keys)
        self.rate = FrameRate()
        self.frame: RenderedFrame | None = None
        self.frame_s = 0.0
        """Seconds the latest frame's request took, the pipeline's creation included."""
        self.error: ShaderlabError | None = None
        """Why the current program is not drawn."""
        self._stuck_on = ""
        """Digest of the program that the device got stuck on last, though it had drawn it."""
        self._heat_view: HeatView | None = None
        self.heat_error: ShaderlabError | None = None
        """Why the current program has no heat map; cleared with the next program or view."""
        self._choice = FINAL
        self._next = place.clock.alarm(place.wanted.emit, self)
        self._free_at = 0.0
        """The clock's time from which the next frame may be begun."""

    # -- what is known ----------------------------------------------------------------------

    def clear(self) -> None:
        """Another document: nothing of the former one stays."""
        self.forget()
        self.frame = None
        self.keyboard.clear()
        self.playback.restart()
        self.rate.clear()

    def forget(self) -> None:
        """Another device: the program must be drawn again."""
        self._drawn = NOTHING
        self.budget.reset()
        self.forgive()

    def forgive(self) -> None:
        """Forget errors, so that what failed is tried again."""
        self.error = self._place.settings.problem
        self.heat_error = None
        self._last_chance.clear()

    def again(self) -> None:
        """Draw the program once more, faults of the last time forgotten."""
        self._drawn = NOTHING
        self.forgive()
        self.playback.resume()

    def stop(self) -> None:
        """No more frames: the window closes."""
        self._next.stop()

    @property
    def current(self) -> bool:
        """Whether the picture is of the current program with its present values."""
        return self._place.program is not None and self._drawn == self._place.variant

    # -- drawing ----------------------------------------------------------------------------

    @property
    def due(self) -> bool:
        """Whether the current program is still to be drawn, and may be."""
        return self.error is None and not self.current

    def send_next(self, worker: DeviceWorker, program: Program) -> None:
        """Draw the preview's next frame, now or at its time."""
        if self.error is not None or not self._visible:
            return
        if self._redraw or self._heat_due:
            self.send(worker, program)
        elif self.playback.playing and not self._is_still:
            at = max(self._place.runner.since + FRAME_INTERVAL_S, self._free_at)
            wait = at - self._place.clock.now()
            if wait > 0.001:
                self._next.set(wait)
            else:
                self.send(worker, program)

    def give_way(self) -> None:
        """Leave device and processor to what the user waits for: a changed text's program and its
        first picture, or forecasts.  A frame begun now would delay it by the frame's own time."""
        self._free_at = self._place.clock.now() + WAY_S

    @property
    def _is_still(self) -> bool:
        """Whether nothing moves: a captured draw, or a compute shader that writes no image."""
        is_bare = self.frame is not None and not self.has_picture
        return is_bare or self._place.settings.captured is not None

    @property
    def has_picture(self) -> bool:
        """Whether there is one: a compute shader may write no image."""
        outputs = self.frame.outputs if self.frame is not None else None
        return self.frame is not None and (outputs is None or bool(outputs.image))

    def send(self, worker: DeviceWorker, program: Program) -> None:
        """Draw the program."""
        place, frame, variant = self._place, self.next_frame(program), self._place.variant
        shown, known = self.shown, self._drawn[0] == program.digest
        if (view := self._heat_wanted) is not None:
            self._send_heat(worker, program, frame, view)
            return

        def failed(error: ShaderlabError) -> None:
            if place.is_wanted(program):
                self.error = error
                self.playback.halt()
                self.rate.clear()
                self.budget.reset()

        def excuse(error: ShaderlabError) -> ShaderlabError | None:
            """None for a frame that came too late and is worth a last try, much smaller, and for
            one of a program that the device drew before: another may be why it is stuck, unless
            that happens again."""
            if isinstance(error, StuckDuring) and known and self._stuck_on != program.digest:
                self._stuck_on = program.digest
                return None
            if place.is_wanted(program) and self._last_chance.taken(error, worker.limits.frame):
                self._redraw = True
                return None
            return self._last_chance.explained(error)

        place.runner.run(
            place.job(Task.RENDER, program, first=not known),
            lambda: worker.render(frame, self._last_chance.limit_s, shown),
            lambda frame: self._show(variant, frame),
            failed,
            abandon=worker.abandon,
            excuse=excuse,
        )

    def next_frame(self, program: Program) -> Frame:
        """What is to be drawn of the program now."""
        place = self._place
        self._redraw = False
        moment = self.playback.next(place.clock.now())
        size = self.budget.size(self._size)
        uniforms = Uniforms(
            time_s=moment.time_s,
            frame=moment.frame,
            time_delta_s=moment.delta_s,
            frame_rate=self.rate.value or 1 / STEP_S,
            mouse=self.mouse.take(size),
            date=date_of(datetime.now()),
            keys=self.keyboard.take(),
        )
        self._redraw = bool(uniforms.keys.pressed)  # which the frame after it must not see
        return place.settings.frame(place.settings.draw(program, size, uniforms))

    @property
    def may_be_drawn_elsewhere(self) -> bool:
        """Whether the current program's first picture needs nothing that was drawn before, is
        likely to be cheap, and is all that is wanted."""
        settings = self._place.settings
        alone = not settings.passes.edited and settings.captured is None
        cheap = self.frame is not None and self.frame_s - self.frame.pipeline_s < _CHEAP_S
        free = self._visible and not settings.waiting and self._heat_view is None
        return self.due and free and alone and cheap

    def show_first(self, variant: Variant, frame: RenderedFrame, took_s: float) -> None:
        """A picture that another child drew, whose speed says nothing of the device's."""
        self._drawn = variant
        self.frame, self.frame_s = frame, took_s
        self.arrived.emit()

    def _show(self, variant: Variant, frame: RenderedFrame) -> None:
        now = self._place.clock.now()
        self._drawn = variant
        if self.playback.playing:
            self.rate.tick(now)
        self.frame, self.frame_s = frame, now - self._place.runner.since
        self._last_chance.clear()
        took_s = frame.gpu_s if frame.gpu_s == frame.gpu_s else self.frame_s - frame.pipeline_s
        has_own_size = self._place.settings.captured is not None
        if not has_own_size and self.budget.spent(took_s):
            self._redraw = True
            self.rate.clear()
        self.arrived.emit()

    def _on_keys(self) -> None:
        self._place.settings.set_keys(self.keyboard.resting)
        if self._place.settings.reads_keyboard:
            self.draw_soon()

    def _hold(self) -> None:
        self.playback.hold()
        self.rate.clear()

    # -- what the user does to it -----------------------------------------------------------

    def restart(self) -> None:
        self.keyboard.clear()
        self.playback.restart()
        self.draw_soon()

    def step(self, frames: int = 1) -> None:
        self.playback.step(frames)
        self.rate.clear()
        self.draw_soon()

    def seek(self, time_s: float) -> None:
        """Show this time."""
        self.playback.seek(time_s)
        self.rate.clear()
        self.draw_soon()

    def set_loop(self, loop: tuple[float, float] | None) -> None:
        """Play this range of time over and over; None to play on."""
        self.playback.loop = loop
        if loop is not None and not loop[0] <= self.playback.time_s < loop[1]:
            self.seek(loop[0])

    def set_size(self, size: tuple[int, int]) -> None:
        """Width, height of the next pictures, pixels."""
        if size != self._size:
            self._size = size
            self.budget.reset()
            self.rate.clear()
            self.draw_soon()

    def set_visible(self, visible: bool) -> None:
        """Whether anyone can see the preview; nothing is drawn unseen."""
        if visible != self._visible:
            self._visible = visible
            self.playback.hold()
            self._place.wanted.emit()

    def draw_soon(self) -> None:
        """Draw the picture again, playing or not: what it depends on has changed."""
        self._redraw = True
        self._place.ask()

    # -- of which pass ----------------------------------------------------------------------

    @property
    def shown(self) -> str:
        """Name of the pass whose picture is wanted; empty where there are none."""
        return shown_pass(self._choice, self._place.settings.passes)

    def show_pass(self, choice: str) -> None:
        """Show this pass's picture from now on: FINAL, EDITED or what `named` makes."""
        former, self._choice = self.shown, choice
        if self.shown != former:
            self.heat_error = None
            self.draw_soon()

    # -- with what the pixels cost ----------------------------------------------------------

    def show_heat(self, view: HeatView | None) -> None:
        """Have pictures come with this heat map from now on; None for pictures alone."""
        if view != self._heat_view:
            self._heat_view = view
            self.heat_error = None
            if view is None and self.frame is not None and self.frame.heat is not None:
                self._redraw = True  # to show how long a plain draw takes
            self.rate.clear()
            self._place.ask()

    def _send_heat(
        self, worker: DeviceWorker, program: Program, frame: Frame, view: HeatView
    ) -> None:
        place, variant, shown = self._place, self._place.variant, self.shown

        def failed(error: ShaderlabError) -> None:
            if place.is_wanted(program):
                self.heat_error = error
                self._redraw = True

        place.runner.run(
            place.job(Task.HEAT, program),
            lambda: worker.render_heat(frame, view, shown),
            lambda frame: self._show(variant, frame),
            failed,
            abandon=worker.abandon,
        )

    @property
    def heat_is_of_others(self) -> bool:
        """Whether the pass shown is not the one whose blocks can be chosen."""
        return self.shown != self._place.settings.passes.edited

    @property
    def _heat_wanted(self) -> HeatView | None:
        """Only for programs that are known to draw and to count: what fails there fails here."""
        digest = self._place.variant[0]
        known = bool(digest) and self._drawn[0] == digest == self._counts.variant[0]
        able = known and self._counts.error is None and self.heat_error is None
        view = self._heat_view
        if view is not None and view.kind is HeatKind.BLOCKS and self.heat_is_of_others:
            return None
        return view if able else None

    @property
    def _heat_due(self) -> bool:
        """Whether the picture that stands lacks the heat map it should have."""
        view, heat = self._heat_wanted, self.frame.heat if self.frame is not None else None
        return view is not None and (heat is None or heat.view != view)
