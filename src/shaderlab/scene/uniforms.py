"""What changes from frame to frame by itself."""

from __future__ import annotations

from dataclasses import dataclass

from shaderlab.scene.keys import NO_KEYS, Keys


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
    keys: Keys = NO_KEYS
    """What textures of the pattern `keyboard` show."""
