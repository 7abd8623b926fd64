"""`Vertices`: what is drawn, with a value of every varying at each corner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from shaderlab.scene.varyings import Guess


@dataclass(frozen=True)
class Vertices:
    """A list of triangles, lines or points with all that is known at their corners.

    In the picture front faces run counter-clockwise, the full screen's too: as Vulkan counts them,
    `VK_FRONT_FACE_COUNTER_CLOCKWISE`, and `VK_FRONT_FACE_CLOCKWISE` with y up.
    """

    positions: NDArray[np.float32]
    """(n, 4), clip space."""
    by_location: Mapping[int, np.ndarray]
    """(n, 4) for each location that a varying begins at: float32, int32 or uint32, whatever its own
    bits; components that none takes are (0, 0, 0, 1)."""
    indices: NDArray[np.uint32]
    """(3 * triangles,), two of each line, one of each point."""
    guesses: Mapping[str, Guess] = field(default_factory=dict)
    """What each varying was taken to hold, by its name."""
    note: str = ""
    """What was changed of a file's mesh."""
