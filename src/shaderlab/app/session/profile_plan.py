"""What a profile is made of: one measurement per size, all of one program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shaderlab.scene.draw import CANONICAL_SIZE, Draw

if TYPE_CHECKING:
    from shaderlab.frontend.program import Program
    from shaderlab.gpu.measurement import Measurement

SEVERAL = ((256, 192), (512, 384), (724, 543), CANONICAL_SIZE, (1448, 1086))
"""From a sixteenth of the canonical pixels to twice as many, of one shape."""


class ProfileRun:
    """Sizes still to measure, and what was measured; begins again when the program changes."""

    def __init__(self, trials: int, draws: int, sizes: tuple[tuple[int, int], ...]):
        self.trials, self.draws = trials, draws
        self.sizes = sizes
        self.measured: list[Measurement] = []
        self._digest = ""

    def next(self, program: Program) -> Draw:
        """The draw to measure next."""
        if program.digest != self._digest:
            self._digest, self.measured = program.digest, []
        return Draw.of(program, self.sizes[len(self.measured)])

    def add(self, measurement: Measurement) -> bool:
        """Take the next measurement; whether it was the last."""
        self.measured.append(measurement)
        return len(self.measured) == len(self.sizes)

    @property
    def canonical(self) -> Measurement:
        """The measurement at the canonical size, else the last."""
        found = [m for m in self.measured if m.size == CANONICAL_SIZE]
        return (found or self.measured)[-1]
