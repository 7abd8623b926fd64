"""What a profile is made of: one measurement per size, or of each pass and of the whole frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shaderlab.scene.draw import CANONICAL_SIZE, Draw

if TYPE_CHECKING:
    from shaderlab.gpu.measurement import Measurement

TOGETHER = None
"""In place of a pass's name: all of them in one submission."""
Step = tuple[str | None, tuple[int, int]]
"""Name of the pass to measure, empty for the only one, and the size of the picture."""


@dataclass(frozen=True)
class FrameProfile:
    """Measurements of a frame of several passes."""

    passes: Mapping[str, Measurement]
    """By name, in the order they run; each of one draw."""
    draws: Mapping[str, int]
    """How often each is drawn in a frame."""
    together: Measurement
    """All of them in one submission."""


class ProfileRun:
    """Steps still to measure, and what was measured; begins again when the program or what it is
    given changes."""

    def __init__(
        self, trials: int, draws: int, sizes: tuple[tuple[int, int], ...], *, alone: bool = False
    ):
        """`alone`: measure the edited pass, and not the others of its frame."""
        self.trials, self.draws = trials, draws
        self.sizes, self._alone = sizes, alone
        self._steps: list[Step] = []
        self._measured: list[Measurement] = []
        self._of: Draw | None = None

    def next(self, draw: Draw, edited: str = "", passes: Sequence[str] = ()) -> tuple[Step, Draw]:
        """What to measure next, and the current draw at the size for that.

        `edited`: which of the frame's `passes` the draw is.
        """
        if draw != self._of:
            self._of, self._measured = draw, []
            self._steps = [(edited, size) for size in self.sizes]
            if passes and not self._alone and len(self.sizes) == 1:
                others = [name for name in passes if name != edited]
                self._steps += [(name, self.sizes[0]) for name in (*others, TOGETHER)]
        step = self._steps[len(self._measured)]
        attachments = replace(draw.state.attachments, size=step[1])
        return step, replace(draw, state=replace(draw.state, attachments=attachments))

    def add(self, measurement: Measurement) -> bool:
        """Take the next measurement; whether it was the last."""
        self._measured.append(measurement)
        return len(self._measured) == len(self._steps)

    @property
    def by_size(self) -> tuple[Measurement, ...]:
        """Of the current draw, at the sizes that are done."""
        return tuple(self._measured[: len(self.sizes)])

    @property
    def canonical(self) -> Measurement | None:
        """The measurement at the canonical size, else the last; None before the first."""
        found = [m for m in self.by_size if m.size == CANONICAL_SIZE]
        return next(iter(reversed(found or self.by_size)), None)

    def frame(self, draws: Mapping[str, int]) -> FrameProfile | None:
        """Of all passes, which are drawn so often; None where they were not all measured."""
        named = dict(zip((name for name, _ in self._steps), self._measured, strict=False))
        together = named.pop(TOGETHER, None)
        if together is None:
            return None
        return FrameProfile({name: named[name] for name in draws}, draws, together)
