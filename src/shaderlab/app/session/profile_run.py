"""What a profile is made of: one measurement per size, all of one program."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shaderlab.scene.draw import CANONICAL_SIZE, Draw

if TYPE_CHECKING:
    from shaderlab.gpu.measurement import Measurement


class ProfileRun:
    """Sizes still to measure, and what was measured; begins again when the program or what it is
    given changes."""

    def __init__(self, trials: int, draws: int, sizes: tuple[tuple[int, int], ...]):
        self.trials, self.draws = trials, draws
        self.sizes = sizes
        self.measured: list[Measurement] = []
        self._of: Draw | None = None

    def next(self, draw: Draw) -> Draw:
        """The draw to measure next: the current one, at the next size."""
        if draw != self._of:
            self._of, self.measured = draw, []
        size = self.sizes[len(self.measured)]
        attachments = replace(draw.state.attachments, size=size)
        return replace(draw, state=replace(draw.state, attachments=attachments))

    def add(self, measurement: Measurement) -> bool:
        """Take the next measurement; whether it was the last."""
        self.measured.append(measurement)
        return len(self.measured) == len(self.sizes)

    @property
    def canonical(self) -> Measurement:
        """The measurement at the canonical size, else the last."""
        found = [m for m in self.measured if m.size == CANONICAL_SIZE]
        return (found or self.measured)[-1]
