"""Pictures of two versions of the document at one moment, for comparing them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.device_place import DevicePlace
from shaderlab.app.session.draw_settings import Variant
from shaderlab.app.session.suspects import Task
from shaderlab.app.widgets.aside import Aside
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.program import Program
from shaderlab.gpu.outputs import Outputs
from shaderlab.scene.draw import CANONICAL_SIZE
from shaderlab.scene.uniforms import Uniforms
from shaderlab.studies.flip import flip
from shaderlab.studies.pictures import Difference, difference
from shaderlab.workers.device import DeviceWorker, RenderedFrame


@dataclass(frozen=True, eq=False)
class PicturePair:
    """Two pictures of one size, of the same inputs and moment."""

    then: np.ndarray
    """(height, width, 4) uint8 RGBA."""
    now: np.ndarray
    y_up: bool
    """Whether row 0 is at the bottom."""
    time_s: float
    difference: Difference
    flip: np.ndarray | None = None
    """(height, width) 0..1, by pixel (`studies.flip`); None until it is known, and of pictures
    larger than `MOST_FLIPPED`."""


MOST_FLIPPED = 1920 * 1080
"""Pixels that FLIP is computed of: it takes some 3 s then."""


@dataclass(frozen=True)
class _Wish:
    then: Program
    now: Program
    variant: Variant
    time_s: float
    size: tuple[int, int]


class ComparedPictures(QObject):
    """Draws both when the device has nothing more urgent to do."""

    changed = Signal()
    """`pair`, `outputs` or `error` is new."""

    def __init__(self, place: DevicePlace, parent: QObject):
        super().__init__(parent)
        self._place, self._aside = place, Aside(self)
        self._then: Program | None = None
        self._time_s = 0.0
        self._size = CANONICAL_SIZE
        self._answered: _Wish | None = None
        self.pair: PicturePair | None = None
        self.outputs: tuple[Outputs, Outputs] | None = None
        """What compute shaders that write no image left, then and now, in place of pictures."""
        self.error: ShaderlabError | None = None

    def compare(self, then: Program, time_s: float, size: tuple[int, int]) -> None:
        """Have both pictures drawn at `iTime` = `time_s`, again whenever the text changes."""
        self._then, self._time_s, self._size = then, time_s, size
        self._answered = None
        self._place.ask()

    def clear(self) -> None:
        """Nobody looks, or another document."""
        self._aside.drop()
        self._then = self._answered = self.pair = self.outputs = self.error = None

    @property
    def _wish(self) -> _Wish | None:
        then, now = self._then, self._place.program
        if then is None or now is None:
            return None
        return _Wish(then, now, self._place.variant, self._time_s, self._size)

    @property
    def due(self) -> bool:
        wish = self._wish
        return wish is not None and not _same(wish, self._answered)

    def send(self, worker: DeviceWorker) -> None:
        """Draw the former version, then the present one."""
        wish = self._wish
        assert wish is not None, "only what is due is sent"

        def both(then: np.ndarray, left: Outputs | None, frame: RenderedFrame) -> None:
            if left is not None and frame.outputs is not None and not frame.outputs.image:
                self._finish(wish, None, None, (left, frame.outputs))
                return
            now = _copied(frame)

            def compared(found: Difference) -> None:
                y_up, time_s = wish.now.y_up, wish.time_s
                self._finish(wish, PicturePair(then, now, y_up, time_s, found), None)
                if now.shape[0] * now.shape[1] <= MOST_FLIPPED:
                    self._aside.run(lambda: flip(then, now), flipped)

            def flipped(found: np.ndarray) -> None:
                if self.pair is not None and self.pair.now is now:
                    self.pair = replace(self.pair, flip=found)
                    self.changed.emit()

            self._answered = wish  # while the difference is computed, it is not drawn again
            self._place.interrupted.emit()
            self._aside.run(lambda: difference(then, now), compared)

        def drawn(frame: RenderedFrame) -> None:
            then, left = _copied(frame), frame.outputs
            self._draw(worker, wish, wish.now, lambda now: both(then, left, now))

        self._draw(worker, wish, wish.then, drawn)

    def _draw(self, worker: DeviceWorker, wish: _Wish, program: Program, done) -> None:
        place = self._place
        settings = place.settings
        uniforms = Uniforms(time_s=wish.time_s, frame=round(60 * wish.time_s))
        draw = settings.draw(program, wish.size, uniforms)
        job = replace(place.job(Task.RENDER, program, first=True), of=wish.now.digest)
        place.runner.run(
            job,
            lambda: worker.render(settings.frame(draw)),
            done,
            lambda error: self._finish(wish, None, error),
            abandon=worker.abandon,
        )

    def _finish(
        self,
        wish: _Wish,
        pair: PicturePair | None,
        error: ShaderlabError | None,
        outputs: tuple[Outputs, Outputs] | None = None,
    ) -> None:
        if pair is None:
            self._place.interrupted.emit()
        if self._then is None or self._then.digest != wish.then.digest:
            return  # nobody looks any more, or at another version
        self._answered, self.pair, self.error, self.outputs = wish, pair, error, outputs
        self.changed.emit()


def _copied(frame: RenderedFrame) -> np.ndarray:
    """The shared memory is written to again by the next but one picture."""
    return np.array(frame.pixels)


def _same(one: _Wish, other: _Wish | None) -> bool:
    return other is not None and (
        (one.then.digest, one.variant, one.time_s, one.size)
        == (other.then.digest, other.variant, other.time_s, other.size)
    )
