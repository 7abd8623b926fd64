"""Animations: the shader drawn picture by picture on a device of its own, and written to a file."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from typing import TypeVar

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.bridge import Bridge
from shaderlab.app.session.device_jobs import DeviceJobs
from shaderlab.app.session.draw_settings import DrawSettings
from shaderlab.app.session.jobs import Tools
from shaderlab.app.session.playback import frame_at
from shaderlab.errors import ShaderlabError
from shaderlab.scene.draw import Draw, Frame
from shaderlab.scene.inputs import Input
from shaderlab.scene.uniforms import Uniforms
from shaderlab.workers.device import DeviceWorker, RenderedFrame
from shaderlab.workers.exporting import ExportWorker, Plan

_ROLE = "animation"
_T = TypeVar("_T")


class ExportJobs(QObject):
    """One animation at a time, at low priority; the preview goes on meanwhile.

    It is of the program and inputs as they were when it began.
    """

    changed = Signal()
    """`done` or `plan` is new."""
    finished = Signal(object)
    """The file is written: its `Plan`."""
    failed = Signal(object)
    """A ShaderlabError; nothing is left of the file."""

    def __init__(self, tools: Tools, settings: DrawSettings, device: DeviceJobs, parent: QObject):
        super().__init__(parent)
        self._bridge: Bridge = tools.bridge
        self._crew, self._settings, self._device = tools.crew, settings, device
        self._drawing: DeviceWorker | None = None
        self._writing: ExportWorker | None = None
        self._frame_at: Callable[[int], Frame] | None = None
        """The picture of each number; None while nothing is written."""
        self._turn = 0
        """Answers of an animation that was given up are dropped."""
        self.plan: Plan | None = None
        """What is being written; None while nothing is."""
        self.done = 0
        """Pictures written so far."""

    def begin(self, plan: Plan) -> None:
        """Draw and write it.  Does nothing while another one is written, or before a program is
        there to draw."""
        program, info = self._device.program, self._device.info
        if self.plan is not None or program is None or info is None:
            return
        self._turn += 1
        self.plan, self.done = plan, 0
        settings = self._settings
        first, passes = settings.draw(program, plan.size, _uniforms(plan, 0)), settings.passes
        is_captured = settings.captured is not None  # which has its own time
        self._frame_at = lambda number: passes.frame(
            first if is_captured else _at(first, _uniforms(plan, number))
        )
        self._drawing = self._crew.add(self._crew.make.background_device(info), _ROLE)
        self._writing = ExportWorker()
        self.changed.emit()
        self._after(
            self._writing.begin(replace(plan, path=plan.path.absolute())), lambda _: self._draw()
        )

    def cancel(self) -> None:
        """Stop; nothing is left of the file."""
        if self.plan is not None:
            self._turn += 1
            self._end(discard=True)

    def close(self) -> None:
        self.cancel()

    def _draw(self) -> None:
        worker, frame_at = self._drawing, self._frame_at
        assert worker is not None
        assert frame_at is not None
        self._after(worker.render(frame_at(self.done)), self._write)

    def _write(self, frame: RenderedFrame) -> None:
        writer, plan = self._writing, self.plan
        assert writer is not None
        assert plan is not None
        y_up = frame.draw.program.y_up
        self._after(writer.add(frame.pixels, plan.path, y_up), lambda _: self._count())

    def _count(self) -> None:
        plan, writer = self.plan, self._writing
        assert plan is not None
        assert writer is not None
        self.done += 1
        self.changed.emit()
        if self.done < plan.frames:
            self._draw()
        else:
            self._after(writer.finish(plan.path), lambda _: self._complete())

    def _complete(self) -> None:
        plan = self.plan
        self._end()
        self.finished.emit(plan)

    def _after(self, request: Future[_T], then: Callable[[_T], None]) -> None:
        turn = self._turn

        def done(result: _T) -> None:
            if turn == self._turn:
                then(result)

        def failed(error: ShaderlabError) -> None:
            if turn == self._turn:
                self._end(discard=True)
                self.failed.emit(error)

        self._bridge.watch(request, done, failed)

    def _end(self, *, discard: bool = False) -> None:
        self.plan = self._frame_at = None
        drawing, writing = self._drawing, self._writing
        self._drawing = self._writing = None
        if drawing is not None:
            self._crew.remove(drawing)
            drawing.close(wait=False)
        if writing is not None and discard:
            writing.discard().add_done_callback(lambda _: writing.close(wait=False))
        elif writing is not None:
            writing.close(wait=False)
        self.changed.emit()


def _at(draw: Draw, uniforms: Uniforms) -> Draw:
    """The same draw at another moment."""
    inputs = replace(draw.inputs, clock=Input(uniforms))
    return replace(draw, state=replace(draw.state, inputs=inputs))


def _uniforms(plan: Plan, number: int) -> Uniforms:
    time_s = plan.time_s(number)
    first = plan.start_s == 0.0
    return Uniforms(
        time_s=time_s,
        # From time 0 the pictures are counted, so that passes that read their own start anew.
        frame=number if first else frame_at(time_s),
        time_delta_s=1 / plan.rate_hz,
        frame_rate=plan.rate_hz,
    )
