"""`Replayed`: what became of a captured draw on a device of this machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from shaderlab.spirv.reflection import Descriptor

TOLERANCE = 2 / 255
"""Of a channel, beyond which a pixel counts as different."""


@dataclass(frozen=True)
class Replayed:
    """What became of a captured draw on a device of this machine."""

    difference: float
    """Share of pixels of which a colour attachment is off by more than `TOLERANCE`; of a dispatch
    the largest share of texels or words of one of its outputs; nan where nothing could be
    compared."""
    time_s: float
    """Seconds of one draw, the median of the trials, as profiles take them: by the device's clock,
    or the CPU time of all threads on a software device; nan where it cannot be timed."""
    invocations: int | None
    """Of the fragment stage as the device's own statistics count them, with those of whole tiles
    and helpers; None where it has no such statistics."""
    pipeline_s: float
    """Seconds the driver took to compile; 0 for a pipeline that was there."""
    pixels: np.ndarray | None = None
    """(height, width, 4) uint8 RGBA of the first colour attachment, where asked for."""
    colours: Mapping[int, bytes] = field(default_factory=dict)
    """Texels of each colour attachment after the draw by location, where asked for."""
    depth: bytes | None = None
    """The same of the depth attachment, as `DepthTarget` packs them; None where it has none."""
    buffers: Mapping[Descriptor, bytes] = field(default_factory=dict)
    """What a dispatch left in buffers and images, as `BoundBuffer.after` has it, where asked."""
