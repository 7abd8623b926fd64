"""What changes from frame to frame by itself."""

from __future__ import annotations

from dataclasses import dataclass

from shaderlab.scene.keys import NO_KEYS, Keys

STEP_S = 1 / 60
"""From one frame to the next, seconds, where nothing else sets the pace."""


@dataclass(frozen=True)
class Uniforms:
    """Values of one draw, `iResolution` apart: that is the size of the picture.

    The defaults are those of the canonical run (ShaderPerFormer, section 5), but for the pace: a
    frame takes no time in the paper's, which no shader is written for.
    """

    time_s: float = 1.0
    """`iTime`, seconds."""
    frame: int = 1
    """`iFrame`."""
    frames_in_cycle: int = 0
    """After how many frames libretro's `FrameCount` begins at 0 again; 0: never."""
    time_delta_s: float = STEP_S
    """`iTimeDelta`, seconds."""
    frame_rate: float = 1 / STEP_S
    """`iFrameRate`, 1/s."""
    mouse: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    """`iMouse`: xy the position while held, zw the click, Shadertoy's signs; pixels."""
    date: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    """`iDate`: year, month, day, seconds."""
    keys: Keys = NO_KEYS
    """What textures of the pattern `keyboard` show."""
