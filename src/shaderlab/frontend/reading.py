"""How a text is to be read, as far as the user says so; the rest is recognised."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from shaderlab.errors import WrongUse
from shaderlab.frontend.stage import Stage


class Language(StrEnum):
    """What `--language` takes."""

    SHADERTOY = "shadertoy"
    GLSL = "glsl"
    ESSL = "essl"
    """GLSL of OpenGL, OpenGL ES and WebGL."""
    ISF = "isf"
    LIBRETRO = "libretro"
    GL_TRANSITION = "gl-transition"
    LOVE = "love"
    FLUTTER = "flutter"
    MPV = "mpv"
    GODOT = "godot"
    HLSL = "hlsl"
    OBS = "obs"
    """HLSL as OBS Studio's effects have it."""
    SLANG = "slang"
    WGSL = "wgsl"

    @property
    def shown(self) -> str:
        """Its name on screen."""
        return _SHOWN[self]


_SHOWN = {
    Language.SHADERTOY: "Shadertoy",
    Language.GLSL: "Vulkan GLSL",
    Language.ESSL: "OpenGL, OpenGL ES or WebGL GLSL",
    Language.ISF: "ISF",
    Language.LIBRETRO: "libretro",
    Language.GL_TRANSITION: "GL transition",
    Language.LOVE: "LÖVE",
    Language.FLUTTER: "Flutter",
    Language.MPV: "mpv",
    Language.GODOT: "Godot",
    Language.HLSL: "HLSL",
    Language.OBS: "OBS effect",
    Language.SLANG: "Slang",
    Language.WGSL: "WGSL",
}


@dataclass(frozen=True)
class Reading:
    """What the user says about a source file."""

    language: Language | None = None
    """None: recognised by name and content."""
    stage: Stage | None = None
    """None: the fragment stage, unless the file or its text is a compute shader's."""
    entry: str = ""
    """Name of the function the stage begins with; empty: `main`, or the one that looks like it."""
    defines: tuple[tuple[str, str], ...] = ()
    """Macros defined before the text: names and replacements."""
    search: tuple[Path, ...] = ()
    """Folders that includes are looked up in after the text's own."""
    whole: bool = False
    """Whether all passes that the text describes are drawn, so that it stands for no part."""


RECOGNISED = Reading()
"""Nothing is said: all of it is recognised."""


def macro(text: str) -> tuple[str, str]:
    """Name and replacement of `NAME`, `NAME=VALUE` or `NAME(x)=VALUE`; a name alone is 1, as
    compilers have it.

    Raises WrongUse.
    """
    name, equals, value = text.partition("=")
    if (
        not re.fullmatch(r"[A-Za-z_]\w*(?:\(\s*(?:\w+\s*(?:,\s*\w+\s*)*)?\))?", name)
        or not value.isprintable()
    ):
        raise WrongUse(f"expected a macro such as NAME, NAME=VALUE or NAME(x)=VALUE, not {text!r}")
    return name, value if equals else "1"
