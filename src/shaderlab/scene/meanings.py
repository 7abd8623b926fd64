"""What an input is likely to mean, from its name and type, and the value that follows from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from shaderlab.scene.geometry import DEFAULT_CAMERA, Camera
from shaderlab.scene.inputs import Numbers
from shaderlab.scene.uniforms import Uniforms
from shaderlab.spirv.value_types import Component, Numeric


@dataclass(frozen=True)
class Surroundings:
    """What values of inputs follow from."""

    uniforms: Uniforms
    size: tuple[int, int]
    """Width, height of the picture in pixels."""
    camera: Camera = DEFAULT_CAMERA


class Meaning(NamedTuple):
    """One thing an input can mean."""

    name: str
    """As shown: `time in seconds`."""
    value: Callable[[Surroundings], Numbers]
    is_certain: bool
    """Whether the name alone settles it, as `iTime` does; else it is a guess and shown as one."""
    is_live: bool
    """Whether it changes from frame to frame by itself."""


def meaning(name: str, kind: Numeric, lengths: tuple[int, ...] = ()) -> Meaning | None:
    """What the input of that name and type means, if that is known.

    `name`: the last part of its path; `lengths`: of the arrays around it.
    """
    found = _SHADERTOY.get((name, kind.component, kind.count, lengths))
    if found is None:
        return None
    text, value, is_live = found
    return Meaning(text, value, is_certain=True, is_live=is_live)


_F, _I = Component.FLOAT, Component.INT


def _zeros(count: int) -> Callable[[Surroundings], Numbers]:
    return lambda _: (0.0,) * count


# iResolution.z is 0 as in the paper's runs (ShaderPerFormer, section 5).
_SHADERTOY: dict[
    tuple[str, Component, int, tuple[int, ...]],
    tuple[str, Callable[[Surroundings], Numbers], bool],
] = {
    ("iResolution", _F, 3, ()): ("resolution in pixels", lambda s: (*s.size, 0.0), False),
    ("iTime", _F, 1, ()): ("time in seconds", lambda s: (s.uniforms.time_s,), True),
    ("iChannelTime", _F, 1, (4,)): ("time of each channel", _zeros(4), False),
    ("iChannelTime", _F, 4, ()): ("time of each channel", _zeros(4), False),
    ("iMouse", _F, 4, ()): ("mouse in pixels", lambda s: s.uniforms.mouse, True),
    ("iDate", _F, 4, ()): ("date", lambda s: s.uniforms.date, True),
    ("iChannelResolution", _F, 3, (4,)): ("resolution of channels", _zeros(12), False),
    ("iSampleRate", _F, 1, ()): ("sample rate of sound", _zeros(1), False),
    ("iFrame", _I, 1, ()): ("frame number", lambda s: (s.uniforms.frame,), True),
    ("iTimeDelta", _F, 1, ()): ("seconds per frame", lambda s: (s.uniforms.time_delta_s,), True),
    ("iFrameRate", _F, 1, ()): ("frames per second", lambda s: (s.uniforms.frame_rate,), True),
}
