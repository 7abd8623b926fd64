"""Shadertoy's uniforms, as the std140 block that programs declare at set 0, binding 0."""

from __future__ import annotations

import struct
from dataclasses import dataclass

BLOCK_BYTES = 144


@dataclass(frozen=True)
class Uniforms:
    """Values of one draw, `iResolution` apart: that is the size of the picture.

    The defaults are those of the canonical run (ShaderPerFormer, section 5).
    """

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

    def pack(self, size: tuple[int, int]) -> bytes:
        """The block's 144 bytes.

        `size`: `iResolution.xy`, pixels; `iResolution.z` is 0, as in the paper's runs.
        """
        width, height = size
        return struct.pack(
            "<3f f 4f 4f 4f 16f f i f f",
            width, height, 0.0, self.time_s,
            *(0.0,) * 4,
            *self.mouse,
            *self.date,
            *(0.0,) * 16,
            0.0, self.frame, self.time_delta_s, self.frame_rate,
        )  # fmt: skip
