"""What each pixel of a frame cost: the kinds of such pictures, and how counters become them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from shaderlab.spirv.warps import GROUP_HEIGHT, GROUP_WIDTH

if TYPE_CHECKING:
    from shaderlab.spirv.passes.counting import Instrumented


class HeatKind(StrEnum):
    """What a heat map shows of every pixel."""

    INSTRUCTIONS = "instructions"
    """Instructions it executed."""
    LANES = "lanes"
    """Part of the lanes' time in which those of its 8x4 group work (1: no divergence)."""
    BLOCKS = "blocks"
    """Executions of chosen blocks."""


@dataclass(frozen=True)
class HeatView:
    """Which heat map is wanted."""

    kind: HeatKind
    labels: frozenset[int] = frozenset()
    """For BLOCKS: result ids of the blocks' OpLabels; those of other modules count nothing."""

    @property
    def dtype(self) -> np.dtype:
        """Of the map's values, four bytes each."""
        return np.dtype(np.float32 if self.kind is HeatKind.LANES else np.uint32)

    def values(self, instrumented: Instrumented, raw: np.ndarray) -> np.ndarray:
        """(h, w) values of a tile's raw counters (counters, h, w) uint32.

        The tile's origin is a multiple of a lane group.  Counts beyond 32 bits read as 2^32 - 1.
        """
        if self.kind is HeatKind.INSTRUCTIONS:
            return instrumented.heat(raw)
        if self.kind is HeatKind.BLOCKS:
            chosen = [int(block.label in self.labels) for block in instrumented.blocks]
            return instrumented.heat(raw, chosen)
        groups = instrumented.lanes_busy(raw)
        rows, columns = raw.shape[1:]
        wide = np.repeat(groups, GROUP_WIDTH, axis=1)[:, :columns]
        return np.repeat(wide, GROUP_HEIGHT, axis=0)[:rows]


@dataclass(frozen=True)
class HeatMap:
    """What every pixel of one frame cost."""

    view: HeatView
    values: np.ndarray
    """(height, width), uint32 or (LANES) float32; row 0 at gl_FragCoord.y = 0.5."""
