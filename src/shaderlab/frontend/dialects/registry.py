"""Every family of dialects, and which one a text belongs to."""

from __future__ import annotations

from shaderlab.frontend.dialects.family import Family, Text
from shaderlab.frontend.dialects.flutter import Flutter
from shaderlab.frontend.dialects.gl_transition import GlTransition
from shaderlab.frontend.dialects.godot import Godot
from shaderlab.frontend.dialects.hlsl import Hlsl
from shaderlab.frontend.dialects.isf import Isf
from shaderlab.frontend.dialects.libretro import Libretro
from shaderlab.frontend.dialects.love import Love
from shaderlab.frontend.dialects.mpv import Mpv
from shaderlab.frontend.dialects.obs import Obs
from shaderlab.frontend.dialects.opengl import OpenGl
from shaderlab.frontend.dialects.shadertoy import Shadertoy
from shaderlab.frontend.dialects.slang import Slang
from shaderlab.frontend.dialects.vulkan import Vulkan
from shaderlab.frontend.dialects.wgsl import Wgsl

_BY_CONTENT: tuple[Family, ...] = (
    Isf(), Libretro(), Mpv(), Obs(), Godot(), GlTransition(), Love(), Flutter(), Slang(), Wgsl(),
    Hlsl(), Shadertoy(), Vulkan(), OpenGl(),
)  # fmt: skip
"""Those with marks of their own first; every text with a `main` is one of the last two."""


def family(text: Text) -> Family:
    """The family asked for, else the first that recognises the text."""
    wanted = text.reading.language
    for each in _BY_CONTENT:
        if each.language is wanted if wanted else each.recognises(text):
            return each
    return _BY_CONTENT[-1]
