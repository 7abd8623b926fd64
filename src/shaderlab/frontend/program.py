"""`Program`: a shader that compiled.  The unit everything downstream takes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from functools import cached_property

from shaderlab.errors import InvalidModule
from shaderlab.frontend.stage import Stage
from shaderlab.spirv import fingerprint, reflection
from shaderlab.spirv.analysis.kernel_uses import KernelUses, kernel_uses
from shaderlab.spirv.module import EntryPoint, Module, printable

_SENT = ("digest", "fingerprint", "interface", "kernel_uses")
"""Cached properties that are small but slow to compute: they are pickled too."""


class Dialect(StrEnum):
    """How the text was read."""

    SHADERTOY_ES310 = "shadertoy"
    """A `mainImage` body under the paper's `#version 310 es` prelude."""
    SHADERTOY_450 = "shadertoy-450"
    """A `mainImage` body that only compiles as `#version 450`."""
    GLSL = "glsl"
    """Complete Vulkan GLSL with its own `main`."""
    OPENGL = "opengl"
    """Complete GLSL of OpenGL, OpenGL ES or WebGL, with uniforms outside blocks."""
    ISF = "isf"
    """Interactive Shader Format: GLSL under a JSON header that declares its inputs."""
    LIBRETRO = "libretro"
    """A `.slang` file of RetroArch: both stages of Vulkan GLSL in one text."""
    GL_TRANSITION = "gl-transition"
    """A `transition(vec2)` body of gl-transitions."""
    LOVE = "love"
    """A body of LÖVE with `effect`."""
    FLUTTER = "flutter"
    """A fragment program of Flutter."""
    MPV = "mpv"
    """A hook of mpv."""
    GODOT = "godot"
    """What a shader of the Godot engine runs for each pixel."""
    HLSL = "hlsl"
    SLANG = "slang"
    WGSL = "wgsl"
    SPIRV = "spirv"

    @property
    def shown(self) -> str:
        """Its name on screen."""
        return _SHOWN[self]

    @property
    def y_up(self) -> bool:
        """Whether y points up in its clip space, and in its pictures unless a text says otherwise.

        In Shadertoy, OpenGL and WebGL it does; in Vulkan, Direct3D and WebGPU it points down.
        """
        return self in _Y_UP

    @property
    def samples_levels(self) -> bool:
        """Whether textures have all their mip levels where nothing says how they are sampled.

        So by the default sampler of Shadertoy's textures and of OpenGL (4.6 core profile, table
        23.18); Vulkan and Direct3D, whose samplers are objects, are taken to have such ones.
        """
        return self not in _FIRST_LEVEL_ONLY


_SHOWN = {
    Dialect.SHADERTOY_ES310: "Shadertoy",
    Dialect.SHADERTOY_450: "Shadertoy, as GLSL 4.50",
    Dialect.GLSL: "GLSL",
    Dialect.OPENGL: "OpenGL GLSL",
    Dialect.ISF: "ISF",
    Dialect.LIBRETRO: "libretro",
    Dialect.GL_TRANSITION: "GL transition",
    Dialect.LOVE: "LÖVE",
    Dialect.FLUTTER: "Flutter",
    Dialect.MPV: "mpv",
    Dialect.GODOT: "Godot",
    Dialect.HLSL: "HLSL",
    Dialect.SLANG: "Slang",
    Dialect.WGSL: "WGSL",
    Dialect.SPIRV: "SPIR-V",
}
_Y_UP = frozenset({
    Dialect.SHADERTOY_ES310, Dialect.SHADERTOY_450, Dialect.OPENGL, Dialect.ISF,
    Dialect.GL_TRANSITION,
})  # fmt: skip
_FIRST_LEVEL_ONLY = frozenset({
    Dialect.ISF, Dialect.LIBRETRO, Dialect.GL_TRANSITION, Dialect.LOVE, Dialect.FLUTTER,
    Dialect.MPV, Dialect.GODOT,
})  # fmt: skip


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True)
class Diagnostic:
    """One message about the user's text.

    `line` and `column` count from 1 in the user's own file; 0 means the whole file.  `file` is
    empty for the document itself, else the included file's path from the document's folder.
    """

    line: int
    column: int
    severity: Severity
    message: str
    file: str = ""


Value = bool | int | float | tuple[float, ...]


@dataclass(frozen=True)
class Given:
    """What a text, or a file beside it, says about one input; None and "" where it does not."""

    value: Value | None = None
    """Components in the order of the source."""
    minimum: Value | None = None
    maximum: Value | None = None
    step: Value | None = None
    label: str = ""
    """Its name for people."""
    choices: tuple[tuple[str, int], ...] = ()
    """The only values it takes, each with its name."""
    filter: str = ""
    """Of a texture: a word of `scene.textures.Filter`."""


@dataclass(frozen=True)
class Program:
    """A shader as glslang's unoptimised SPIR-V with line information, and its origin.

    Its stage is the fragment stage unless another was asked for.
    """

    name: str
    """Display name (a file name without folders, or an example's title)."""
    dialect: Dialect
    text: str
    """The user's text; empty for a SPIR-V file."""
    spirv: bytes
    """Little-endian SPIR-V, validated: exactly what `compile -o` writes and `trace` reports on."""
    entry_point: str
    diagnostics: tuple[Diagnostic, ...] = ()
    """Warnings and notes of the compile that succeeded."""
    includes: tuple[str, ...] = ()
    """Absolute paths of the files the text included, so that an editor can watch them."""
    stage: Stage = Stage.FRAGMENT
    given: Mapping[str, Given] = field(default_factory=dict, hash=False)
    """By the name of an input (of the uniform, or of the member of a block): what the text's
    dialect says about its value."""
    left_out: str = ""
    """What of the text is not in the program, as part of a sentence; empty where all of it is."""
    is_part: bool = False
    """Whether the author's frame draws more of the text, so that a time is a lower bound."""
    made_by: str = ""
    """Name and version of the driver whose compiler made it of another program; else empty."""
    origin_upper_left: bool = False
    """Whether the text redeclares `gl_FragCoord` to count from the top (GLSL 4.60, 4.4.1.3)."""
    binds_as: Program | None = field(default=None, hash=False, compare=False, repr=False)
    """The program whose inputs it has (`bound_as`)."""

    def __getstate__(self) -> dict[str, object]:
        """The fields, and digest and fingerprint where known; the module is parsed again."""
        state = {f.name: getattr(self, f.name) for f in fields(self)}
        return state | {name: self.__dict__[name] for name in _SENT if name in self.__dict__}

    @property
    def y_up(self) -> bool:
        """Whether row 0 of its picture, where `gl_FragCoord.y` is 0.5, is the bottom one.

        Everything that shows, writes or compares pictures asks here.
        """
        return self.dialect.y_up and not self.origin_upper_left

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the SPIR-V, hex: the key caches and samples use."""
        return hashlib.sha256(self.spirv).hexdigest()

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256, hex, of the code that runs: the same after a change of names or comments."""
        return fingerprint.fingerprint(self.module)

    def identified(self) -> Program:
        """Itself, with digest, fingerprint and interface computed: its receiver need not parse it.

        Parsing a large module would block the window, and fragment its memory.
        """
        _ = self.digest, self.fingerprint, self.interface, self.kernel_uses
        return self

    @cached_property
    def interface(self) -> reflection.Interface:
        """What its entry point asks of the pipeline.  Raises InvalidModule."""
        return reflection.reflect(self.module, self.entry())

    @cached_property
    def kernel_uses(self) -> KernelUses:
        """How a compute shader uses its integer inputs; empty for other stages.

        Raises InvalidModule.
        """
        if self.stage is not Stage.COMPUTE:
            return KernelUses({})
        return kernel_uses(self.module, self.entry(), self.interface)

    def entry(self) -> EntryPoint:
        """The entry point in its module.  Raises InvalidModule where there is none."""
        for entry in self.module.entry_points:
            named = entry.name == self.entry_point
            if named and entry.execution_model == self.stage.execution_model:
                return entry
        raise InvalidModule(
            f'the module has no {self.stage.shown} entry point "{printable(self.entry_point)}"'
        )

    def bound_as(self, other: Program) -> Program:
        """Itself, with inputs that have the names and types of `other`'s.

        For a program made of `other` that reads the same bytes and names nothing in them.
        """
        made = replace(self, given=other.given, binds_as=other.binds_as or other)
        made.__dict__["interface"] = other.interface
        made.__dict__["kernel_uses"] = other.kernel_uses
        return made

    @cached_property
    def module(self) -> Module:
        """The parsed module (`InvalidModule` never raised here: the words were validated)."""
        return Module.parse(self.spirv)
