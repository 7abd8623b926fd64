"""What the front end needs of glslang and SPIRV-Tools, whichever way they run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Compilation:
    """What glslang made of one source text."""

    spirv: bytes
    """Little-endian SPIR-V; empty where the compile failed."""
    log: str
    """Its messages as it prints them; `frontend.diagnostics` reads them."""
    fault: str = ""
    """How a failed compile ended, for the case that the log holds no error."""


class Toolchain(Protocol):
    """One glslang and one SPIRV-Tools."""

    def compile(self, source: str) -> Compilation:
        """Unoptimised SPIR-V 1.5 with line information of a complete GLSL fragment shader.

        By the rules of Vulkan 1.2; every error is reported, not only the first.  Raises
        MissingTool, ShaderTimeout.
        """
        ...

    def validate(self, spirv: bytes) -> None:
        """Raise InvalidModule with the validator's own words unless `spirv` is valid SPIR-V.

        By the rules of Vulkan 1.2; of Vulkan 1.3 for SPIR-V 1.6, which came with it.  Raises
        MissingTool, ShaderTimeout too.
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


def first_line(text: str) -> str:
    """The first line that says something, without the `error: line 12: ` some tools begin with."""
    for line in text.splitlines():
        if line.strip():
            return re.sub(r"^(?:error|warning): (?:(?:line )?\d+: )?", "", line.strip())
    return "it failed without a message"
