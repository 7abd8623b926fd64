"""Languages that other people's compilers read, run as programs where they are on PATH.

dxc (HLSL beyond shader model 5), slangc (Slang), naga (WGSL).  Each writes SPIR-V; their messages
are put into glslang's form, which `frontend.diagnostics` reads.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from shaderlab import files
from shaderlab.errors import ShaderlabError
from shaderlab.frontend import binary, tools
from shaderlab.frontend.dialects.family import Attempt, Text
from shaderlab.frontend.program import Dialect
from shaderlab.frontend.stage import Stage
from shaderlab.frontend.toolchain.interface import Compilation
from shaderlab.spirv.source_lines import DOCUMENT
from shaderlab.system.scratch import TemporaryFolder


@dataclass(frozen=True)
class Tool:
    """A compiler that is a program."""

    program: str
    reads: str
    """Name of the language."""
    source: str
    """A project or package that has it."""

    @property
    def is_installed(self) -> bool:
        return tools.find(self.program) is not None

    @property
    def missing(self) -> str:
        """What is said where it is needed and absent."""
        return (
            f"{self.reads} needs {self.program}, which is not on PATH or in $VULKAN_SDK/bin; it "
            f"comes with {self.source}"
        )


DXC = Tool("dxc", "HLSL", "the Vulkan SDK and DirectXShaderCompiler's releases")
SLANGC = Tool("slangc", "Slang", "the Vulkan SDK and Slang's releases")
NAGA = Tool("naga", "WGSL", "wgpu: cargo install naga-cli")

DXC_PROFILES = {
    Stage.VERTEX: "vs_6_6", Stage.FRAGMENT: "ps_6_6", Stage.COMPUTE: "cs_6_6",
    Stage.GEOMETRY: "gs_6_6", Stage.TESSELLATION_CONTROL: "hs_6_6",
    Stage.TESSELLATION_EVALUATION: "ds_6_6",
}  # fmt: skip

INPUT, OUTPUT = "{source}", "{module}"
"""Stand for the two files in a command."""

# dxc: `document:3:5: error: …`; slangc: `document(12): error 30015: …`.
_LOCATED = re.compile(
    r"^(?P<file>[^\n:(]+)(?::(?P<line>\d+)(?::(?P<column>\d+))?|\((?P<at>\d+)(?:,\d+)?\)):\s*"
    r"(?:fatal )?(?P<kind>error|warning)(?: \w+)?:\s*(?P<text>.*)$"
)
# naga: `error: …`, and below it `  ┌─ shader.wgsl:3:5`.
_HEADLINE = re.compile(r"^(?P<kind>error|warning)(?:\[\w+\])?:\s*(?P<text>.*)$")
_PLACE = re.compile(r"^\s*(?:┌─|-->|╭─)\s*[^\n]*?:(?P<line>\d+):(?P<column>\d+)")


@dataclass(frozen=True)
class External(Attempt):
    """A compile by a program; `source` is what it reads."""

    command: tuple[str, ...] = ()
    """With `INPUT` and `OUTPUT` for its files."""
    file_name: str = ""
    """Of the input."""

    @property
    def is_checked(self) -> bool:
        return True

    def compiled(self) -> Compilation:
        """Raises MissingTool, ShaderTimeout."""
        with TemporaryFolder() as folder:
            source, module = Path(folder) / self.file_name, Path(folder) / "module.spv"
            source.write_text(self.source, encoding="utf-8")
            names = {INPUT: str(source), OUTPUT: str(module)}
            result = tools.run([names.get(part, part) for part in self.command])
            log = _as_glslang(result.text, self.file_name)
            try:
                spirv = files.read_bytes(module, binary.MAX_BYTES)
            except ShaderlabError:
                spirv = b""
        program = self.command[0]
        if result.returncode == 0 and binary.is_spirv(spirv):
            return Compilation(spirv, log)
        said = next((line for line in result.text.splitlines() if line.strip()), "")
        return Compilation(b"", log, f"{program} failed: {said.strip()[:300] or 'no message'}")


def dxc(source: str, text: Text, entry: str) -> External:
    """HLSL by dxc, as unoptimised as it can be, with OpLine for every statement."""
    return External(
        Dialect.HLSL,
        source,
        entry=entry,
        command=(
            "dxc", "-spirv", "-T", DXC_PROFILES[text.stage], "-E", entry, "-O0",
            "-fspv-target-env=vulkan1.2", "-fspv-debug=line", "-Fo", OUTPUT, INPUT,
        ),
        file_name="source.hlsl",
        remark="compiled by dxc, because glslang fails: ",
    )  # fmt: skip


def _as_glslang(said: str, file_name: str) -> str:
    """Messages as glslang prints them: `ERROR: file:line:column: message`."""
    lines, headline = [], None
    for line in said.splitlines():
        if match := _LOCATED.match(line):
            file = match["file"].strip()
            file = DOCUMENT if Path(file).name == file_name else file
            place = f"{file}:{match['line'] or match['at']}:{match['column'] or 1}"
            lines.append(f"{match['kind'].upper()}: {place}: {match['text']}")
        elif match := _HEADLINE.match(line):
            headline = match
        elif headline and (match := _PLACE.match(line)):
            place = f"{DOCUMENT}:{match['line']}:{match['column']}"
            lines.append(f"{headline['kind'].upper()}: {place}: {headline['text']}")
            headline = None
    return "".join(f"{line}\n" for line in lines)
