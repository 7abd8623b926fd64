"""How often each block of the current program ran, counted once its picture is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.device_place import NOTHING, DevicePlace
from shaderlab.app.session.jobs import Tools
from shaderlab.app.session.suspects import Task
from shaderlab.app.session.views import View
from shaderlab.engine import questions
from shaderlab.engine.graph import Urgency
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.program import Program
from shaderlab.scene.draw import Draw, Frame
from shaderlab.workers.device import DeviceWorker

if TYPE_CHECKING:
    from shaderlab.app.session.draw_settings import Variant
    from shaderlab.spirv.trace import Trace


class Counts(QObject):
    """The current program's counts, and those of its own vertex stage."""

    changed = Signal()
    """`trace` or `error` is new."""

    def __init__(self, tools: Tools, place: DevicePlace, parent: QObject):
        super().__init__(parent)
        self._tools, self._place = tools, place
        self._counted = View(tools, questions.trace, self, Urgency.TYPED)
        self._vertices = View(tools, questions.vertices, self, Urgency.TYPED)
        self._counted.changed.connect(self._on_counted)
        self._vertices.changed.connect(self._finish)
        self.hold = False
        """A newer text is being compiled: counts would be wasted."""
        self.name = ""
        """Of the pass that `draw` is in its frame."""
        self.trace: Trace | None = None
        self.error: ShaderlabError | None = None
        self.draw: Draw | None = None
        """What `trace`, or `error`, is of."""
        self.frame: Frame | None = None
        """The frame it was counted in."""
        self.vertex: Trace | None = None
        """Of the draw's own vertex stage, where it has one that the device can count."""
        self._asked: tuple[Variant, Frame, str]
        self.variant = self._prepared = NOTHING
        self.took_s = 0.0
        """Seconds the latest trace's request took."""

    def clear(self) -> None:
        """Another document: nothing of the former one stays."""
        self.trace = self.draw = self.frame = self.vertex = None
        self.again()

    def again(self, *, released: bool = True) -> None:
        """Count once more; `released`: also what ended a worker."""
        if released and self.error is not None and self.draw is not None and self.frame is not None:
            info = self._place.info
            self._tools.engine.release(questions.trace, info, self.frame, self.name)
        self.variant, self.error = NOTHING, None
        self._counted.drop()
        self._vertices.drop()

    def leave(self) -> None:
        """Another program or other values are counted next."""
        self.error = None
        if self._counted.wanted != self._place.variant:
            self._counted.leave()
            self._vertices.leave()

    @property
    def program(self) -> Program | None:
        """What was counted."""
        return self.draw.program if self.draw is not None else None

    @property
    def current(self) -> bool:
        """Whether the counts are of the current program with its present values."""
        return self._place.program is not None and self.variant == self._place.variant

    @property
    def waiting(self) -> bool:
        """Whether they are on their way."""
        return self._counted.waiting or self._vertices.waiting

    @property
    def busy_s(self) -> float:
        """Seconds they have been; 0 where they are not."""
        return max(self._counted.busy_s, self._vertices.busy_s)

    @property
    def due(self) -> bool:
        """Whether the current program is still to be counted, and can be."""
        lacks = not self.current and self.error is None and not self.waiting
        return lacks and not self.hold and not self._place.settings.moving

    @property
    def prepared(self) -> bool:
        """Whether the driver was asked to compile the current program to be counted."""
        return self._prepared == self._place.variant

    def prepare(self, worker: DeviceWorker, program: Program) -> None:
        """Have the driver compile it; what goes wrong does so again where it is counted."""
        place, (frame, _) = self._place, self._frame(program)
        self._prepared = place.variant
        place.runner.run(
            place.job(Task.TRACE, program, first=True),
            lambda: worker.prepare_trace(frame.shown),
            lambda _: None,
            lambda _error: None,
            abandon=worker.abandon,
        )
        place.state_changed.emit()

    def ask(self, program: Program) -> None:
        """Have the current program counted."""
        frame, name = self._frame(program)
        self._asked = self._place.variant, frame, name
        self._counted.want(self._place.variant, self._place.info, frame, name)
        self._place.state_changed.emit()

    def _on_counted(self) -> None:
        variant, frame, name = self._asked
        if self._counted.error is None and frame.named(name).vertex is not None:
            self._vertices.want(variant, self._place.info, frame, name)
        else:
            self._finish()

    def _finish(self) -> None:
        """Where the vertex stage cannot be counted, forecasts say so."""
        self.variant, self.frame, self.name = self._asked
        self.draw = self.frame.named(self.name)
        self.trace, self.error = self._counted.answer, self._counted.error
        self.vertex = self._vertices.answer if self._vertices.of == self.variant else None
        self.took_s = self._counted.took_s
        self._place.interrupted.emit()
        self.changed.emit()
        self._place.runner.freed.emit()

    def _frame(self, program: Program) -> tuple[Frame, str]:
        """The frame to count with the program, and the pass that it is."""
        passes = self._place.settings.passes
        frame = passes.frame(self._place.settings.counted(program))
        return frame, passes.edited or frame.passes[-1].name
