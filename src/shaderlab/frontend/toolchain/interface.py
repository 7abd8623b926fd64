"""What the front end needs of glslang and SPIRV-Tools, whichever way they run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from shaderlab.frontend.stage import Stage


@dataclass(frozen=True)
class Compilation:
    """What glslang made of one source text."""

    spirv: bytes
    """Little-endian SPIR-V; empty where the compile failed."""
    log: str
    """Its messages as it prints them; `frontend.diagnostics` reads them."""
    fault: str = ""
    """How a failed compile ended, for the case that the log holds no error."""


@dataclass(frozen=True)
class Rules:
    """What glslang takes a text for."""

    stage: Stage = Stage.FRAGMENT
    is_relaxed: bool = False
    """OpenGL's habits are accepted: uniforms outside blocks become members of a block named
    `gl_DefaultUniformBlock`, and what has no location or binding is given one."""
    is_hlsl: bool = False
    entry: str = "main"
    """HLSL only: the function the stage begins with."""
    are_registers_apart: bool = False
    """HLSL only: `b0`, `t0`, `s0` and `u0` get bindings of their own (`REGISTER_BINDINGS`)."""
    has_dx9_samplers: bool = False
    """HLSL only: a `sampler` is a texture with a sampler, as `tex2D` takes it."""
    is_legalized: bool = False
    """HLSL only: calls are inlined and copies of resources removed, which some texts need to become
    valid SPIR-V; else the module is as unoptimised as GLSL's."""


VULKAN = Rules()
"""A complete Vulkan GLSL fragment shader."""

REGISTER_BINDINGS: Mapping[str, int] = {"b": 0, "t": 32, "s": 64, "u": 96}
"""Binding of the first register of each of HLSL's kinds, where they are set apart."""


class Toolchain(Protocol):
    """One glslang and one SPIRV-Tools."""

    def compile(self, source: str, rules: Rules = VULKAN) -> Compilation:
        """Unoptimised SPIR-V 1.5 with line information of a complete shader.

        By the rules of Vulkan 1.2; every error is reported, not only the first.  Raises
        MissingTool, ShaderTimeout.
        """
        ...

    def validate(self, spirv: bytes, *, universal: bool = False) -> None:
        """Raise InvalidModule with the validator's own words unless `spirv` is valid SPIR-V.

        By the rules of Vulkan 1.2; of Vulkan 1.3 for SPIR-V 1.6, which came with it; `universal`:
        by those of SPIR-V alone, for modules that drivers run although they break one of Vulkan's.
        Raises MissingTool, ShaderTimeout too.
        """
        ...

    def disassemble(self, spirv: bytes) -> str:
        """SPIR-V assembly with the names the compiler left.

        Raises InvalidModule, MissingTool, ShaderTimeout.
        """
        ...

    def optimize(self, spirv: bytes, passes: Sequence[str]) -> bytes:
        """The module after `passes`, named by spirv-opt's flags (`-O`, `--merge-return`, …).

        Raises InvalidModule where a pass fails on it, MissingTool, ShaderTimeout.
        """
        ...

    def versions(self) -> Mapping[str, str]:
        """Version and kind of `glslang` and `SPIRV-Tools`; one that is missing is left out."""
        ...

    def missing(self) -> Mapping[str, str]:
        """Programs this tool chain lacks -> the Debian package that has each."""
        ...

    def warm_up(self) -> None:
        """Do what the first compile would have to do once."""
        ...


def vulkan_environment(spirv: bytes) -> str:
    """SPIRV-Tools' name of the rules a module is held to; SPIR-V 1.6 came with Vulkan 1.3."""
    return "vulkan1.3" if int.from_bytes(spirv[4:8], "little") >= 0x00010600 else "vulkan1.2"


def universal_environment(spirv: bytes) -> str:
    """The same of SPIR-V's own rules, by the module's version; the newest for one beyond them."""
    minor = int.from_bytes(spirv[4:8], "little") >> 8 & 0xFF
    return f"spv1.{min(minor, 6)}"


def first_line(text: str) -> str:
    """The first line that says something, without the `error: line 12: ` some tools begin with."""
    for line in text.splitlines():
        if line.strip():
            return re.sub(r"^(?:error|warning): (?:(?:line )?\d+: )?", "", line.strip())
    return "it failed without a message"
