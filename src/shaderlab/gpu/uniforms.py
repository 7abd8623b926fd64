"""The uniform block of design §3: set 0, binding 0, std140, Shadertoy's names."""

from __future__ import annotations

import struct
from dataclasses import dataclass

BLOCK_BYTES = 144


@dataclass(frozen=True)
class Uniforms:
    """Values of one frame.  The defaults are the canonical run's (paper §5)."""

    size: tuple[int, int] = (1024, 768)
    """`iResolution.xy`, pixels; `iResolution.z` is 0 as in the paper's runs."""
    time_s: float = 1.0
    """`iTime`, seconds."""
    frame: int = 1
    """`iFrame`."""
    time_delta_s: float = 0.0
    """`iTimeDelta`, seconds."""
    frame_rate: float = 0.0
    """`iFrameRate`, 1/s."""
    mouse: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    """`iMouse`: xy the position while held, zw the click, Shadertoy's signs; pixels."""
    date: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    """`iDate`: year, month, day, seconds."""

    def pack(self) -> bytes:
        """The block's 144 bytes."""
        width, height = self.size
        return struct.pack(
            "<3f f 4f 4f 4f 16f f i f f",
            width, height, 0.0, self.time_s,
            *(0.0,) * 4,
            *self.mouse,
            *self.date,
            *(0.0,) * 16,
            0.0, self.frame, self.time_delta_s, self.frame_rate,
        )  # fmt: skip
