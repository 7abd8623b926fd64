"""The programs shaderlab calls: finding them, running one safely, naming what is missing.

A program is run without a shell, its input and output in files rather than pipes (so nothing can
deadlock on a full pipe), with a bound on wall time; on Linux also on CPU time, memory and output.
There a child also dies with the process that started it: a worker may be killed while it runs.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from shaderlab.errors import MissingTool, ShaderlabError, ShaderTimeout

TIMEOUT_S = 20.0
"""Wall time a tool gets by default, seconds."""

_MEMORY_BYTES = 2 << 30
_OUTPUT_BYTES = 64 << 20

DEBIAN_PACKAGES: Mapping[str, str] = {
    "glslangValidator": "glslang-tools",
    "spirv-val": "spirv-tools",
    "spirv-dis": "spirv-tools",
    "spirv-opt": "spirv-tools",
}
"""What runs as a program where the libraries are missing, and the Debian package that has it."""


@dataclass(frozen=True)
class ToolResult:
    """What a tool left behind."""

    returncode: int
    """Exit status; negative: the signal that ended it."""
    text: str
    """Standard output and error, in the order written."""
    binary: bytes
    """What it wrote to the file named by `OUTPUT`; empty when the command names none."""


OUTPUT = "{output}"
"""Placeholder in a command for the file that receives the tool's binary output."""


def find(name: str) -> Path | None:
    """The program `name` on PATH, else in `$VULKAN_SDK/bin`; None where there is neither."""
    found = shutil.which(name)
    if found is None and (sdk := os.environ.get("VULKAN_SDK")):
        found = shutil.which(name, path=str(Path(sdk) / "bin"))
    return Path(found) if found else None


def require(name: str) -> Path:
    """As `find`; raises MissingTool with the command that installs it."""
    found = find(name)
    if found is None:
        package = DEBIAN_PACKAGES.get(name)
        remedy = f"install it with: sudo apt-get install {package}" if package else "install it"
        raise MissingTool(f"{name} is neither on PATH nor in $VULKAN_SDK/bin; {remedy}")
    return found


def version(name: str) -> str | None:
    """The version a tool prints, e.g. `12.0.0` or `v2023.1`; None where there is none."""
    if find(name) is None:
        return None
    text = run([name, "--version"]).text
    match = re.search(r"Glslang Version: (?:\d+:)?(\S+)", text) or re.search(
        r"SPIRV-Tools (v\S+)", text
    )
    return match.group(1) if match else None


def identity(name: str) -> str:
    """Changes whenever the installed program does: resolved path, size and time of its file.

    Costs a stat instead of a process, which is why caches use it rather than `version`.
    """
    path = require(name).resolve()
    status = path.stat()
    return f"{path}:{status.st_size}:{status.st_mtime_ns}"


def run(
    command: Sequence[str],
    stdin: bytes = b"",
    *,
    timeout_s: float = TIMEOUT_S,
    output_bytes: int = _OUTPUT_BYTES,
) -> ToolResult:
    """Run one tool to its end.

    `command[0]` is a tool's name or path; an argument equal to `OUTPUT` becomes the path of a
    private file whose contents come back as `binary`.  `output_bytes` bounds each of the two.
    Raises MissingTool, ShaderTimeout naming the tool when wall or CPU time ran out, ShaderlabError
    when it wrote more than the bound.  Any other exit status is the caller's to judge.
    """
    name = Path(command[0]).name
    executable = str(require(command[0]))
    with tempfile.TemporaryDirectory(prefix="shaderlab-") as folder:
        source, printed, written = (Path(folder) / part for part in ("in", "printed", "out"))
        source.write_bytes(stdin)
        written.touch()
        arguments = [str(written) if part == OUTPUT else part for part in command[1:]]
        with source.open("rb") as given, printed.open("wb") as log:
            process = subprocess.Popen(
                [*_dies_with_parent(), executable, *arguments],
                stdin=given,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env=os.environ | {"LC_ALL": "C"},
            )
            try:
                _bound(process.pid, timeout_s, output_bytes)
                process.wait(timeout_s)
            except subprocess.TimeoutExpired:
                raise ShaderTimeout(f"{name} did not finish within {timeout_s:g} s") from None
            finally:
                if process.poll() is None:
                    process.kill()
                    process.wait()
        if process.returncode == -_SIGXCPU:
            raise ShaderTimeout(f"{name} did not finish within {timeout_s:g} s of CPU time")
        if process.returncode == -_SIGXFSZ or written.stat().st_size > output_bytes:
            raise ShaderlabError(f"{name} wrote more than {output_bytes >> 20} MB and was stopped")
        with printed.open("rb") as text:
            said = text.read(output_bytes).decode("utf-8", errors="replace")
        return ToolResult(process.returncode, said, written.read_bytes())


_SIGXCPU = 24
_SIGXFSZ = 25


@cache
def _dies_with_parent() -> tuple[str, ...]:
    """A launcher (util-linux, on every Debian) that sets PR_SET_PDEATHSIG and then execs the tool.

    It costs about 1 ms.  A `preexec_fn` would set it too, but is unsafe in a process with threads.
    Without it, the CPU limit still ends an orphan.
    """
    launcher = shutil.which("setpriv")
    if launcher is None:
        return ()
    command = (launcher, "--pdeathsig", "KILL", "--")
    # Other systems have a setpriv that does not know the option.
    tried = subprocess.run([*command, "true"], capture_output=True, check=False)
    return command if tried.returncode == 0 else ()


def _bound(pid: int, timeout_s: float, output_bytes: int) -> None:
    """Limits that hold even if this process is killed before it can end the child."""
    if sys.platform != "linux":
        return
    import resource

    cpu_s = int(timeout_s) + 2
    for kind, limit in (
        (resource.RLIMIT_CPU, cpu_s),
        (resource.RLIMIT_AS, _MEMORY_BYTES),
        (resource.RLIMIT_FSIZE, output_bytes),
        (resource.RLIMIT_CORE, 0),
    ):
        try:
            _, hard = resource.prlimit(pid, kind)
            if hard != resource.RLIM_INFINITY:
                limit = min(limit, hard)
            # At the hard limit of CPU time the kernel sends SIGKILL, which would hide the reason.
            soft = limit - 1 if kind == resource.RLIMIT_CPU else limit
            resource.prlimit(pid, kind, (soft, limit))
        except (ProcessLookupError, PermissionError):
            return
