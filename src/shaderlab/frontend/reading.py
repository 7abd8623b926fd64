"""How a text is to be read, as far as the user says so; the rest is recognised."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

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
    HLSL = "hlsl"
    SLANG = "slang"
    WGSL = "wgsl"


@dataclass(frozen=True)
class Reading:
    """What the user says about a source file."""

    language: Language | None = None
    """None: recognised by name and content."""
    stage: Stage | None = None
    """None: the fragment stage."""
    entry: str = ""
    """Name of the function the stage begins with; empty: `main`, or the one that looks like it."""
    defines: tuple[tuple[str, str], ...] = ()
    """Macros defined before the text: names and replacements."""
    search: tuple[Path, ...] = ()
    """Folders that includes are looked up in after the text's own."""


RECOGNISED = Reading()
"""Nothing is said: all of it is recognised."""
