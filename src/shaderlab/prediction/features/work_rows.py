"""`LaneWork`: what a frame ran, a row for each instruction, as `lane_work` counts it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True)
class LaneWork:
    """Live work of a frame, one row per instruction that ran, and one per link of a chain."""

    kinds: tuple[str, ...]
    """Ascending, e.g. `varying:OpFMul`, `uniform:Sin`, `waiting:carried:Sin`; some may have no
    row."""
    kind: np.ndarray
    """(rows,) index into `kinds`."""
    operations: np.ndarray
    """(rows,) float64: scalar operations, of links cycles, over all lanes of all groups that ran
    it."""
    instruction: np.ndarray
    """(rows,) index of the instruction in the module."""

    @cached_property
    def totals(self) -> dict[str, float]:
        """Operations by kind, of the kinds that ran."""
        sums = np.bincount(self.kind, self.operations, len(self.kinds))
        return {kind: n for kind, n in zip(self.kinds, sums.tolist(), strict=True) if n}
