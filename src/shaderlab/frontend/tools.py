"""The programs shaderlab calls: finding them, running one safely, naming what is missing.

A program is run without a shell, its input and output in files rather than pipes (so nothing can
deadlock on a full pipe), with a bound on wall time; on Linux also on CPU time, memory and output.
All that it starts ends with it, and it ends with the process that started it, which may be a worker
that is killed meanwhile (`system.process_group`).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from shaderlab.errors import Abandoned, MissingTool, ShaderlabError, ShaderTimeout
from shaderlab.system import process_group, resource_limits
from shaderlab.system.resource_limits import Exceeded
from shaderlab.system.scratch import TemporaryFolder

TIMEOUT_S = 20.0
"""Wall time a tool gets by default, seconds."""

_MEMORY_BYTES = 2 << 30
_OUTPUT_BYTES = 64 << 20
_STOP_WATCH_S = 0.1
"""Whoever waits for a tool looks this often whether it is still wanted."""

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
    stop: threading.Event | None = None,
) -> ToolResult:
    """Run one tool to its end; whatever it leaves running is ended with it.

    `command[0]` is a tool's name or path; an argument equal to `OUTPUT` becomes the path of a
    private file whose contents come back as `binary`.  `output_bytes` bounds each of the two.
    Raises MissingTool, ShaderTimeout naming the tool when wall or CPU time ran out, ShaderlabError
    when it wrote more than the bound, Abandoned once `stop` is set.  Any other exit status is the
    caller's to judge.
    """
    name = Path(command[0]).name
    executable = str(require(command[0]).absolute())
    with TemporaryFolder() as folder:
        source, printed, written = (Path(folder) / part for part in ("in", "printed", "out"))
        source.write_bytes(stdin)
        written.touch()
        arguments = [str(written) if part == OUTPUT else part for part in command[1:]]
        with (
            source.open("rb") as given,
            printed.open("wb") as log,
            process_group.started(
                [executable, *arguments],
                stdin=given,
                stdout=log,
                stderr=log,
                env=os.environ | {"LC_ALL": "C"},
                folder=folder,  # at the root, absolute paths of #include would lead anywhere
            ) as process,
        ):
            resource_limits.bound(
                process.pid,
                cpu_s=int(timeout_s) + 2,
                memory_bytes=_MEMORY_BYTES,
                file_bytes=output_bytes,
            )
            returncode = _end_of(process, name, timeout_s, stop)
        limit = resource_limits.exceeded(returncode)
        if limit is Exceeded.CPU_TIME:
            raise ShaderTimeout(f"{name} did not finish within {timeout_s:g} s of CPU time")
        if limit is Exceeded.FILE_SIZE or written.stat().st_size > output_bytes:
            raise ShaderlabError(f"{name} wrote more than {output_bytes >> 20} MB and was stopped")
        with printed.open("rb") as text:
            said = text.read(output_bytes).decode("utf-8", errors="replace")
        return ToolResult(returncode, said, written.read_bytes())


def _end_of(
    process: subprocess.Popen[bytes], name: str, timeout_s: float, stop: threading.Event | None
) -> int:
    """Exit status.  Raises ShaderTimeout, Abandoned."""
    end = time.monotonic() + timeout_s
    while (left := end - time.monotonic()) > 0:
        if stop is not None and stop.is_set():
            raise Abandoned(f"{name} was stopped: its answer is no longer needed")
        try:
            return process.wait(left if stop is None else min(left, _STOP_WATCH_S))
        except subprocess.TimeoutExpired:
            continue
    raise ShaderTimeout(f"{name} did not finish within {timeout_s:g} s")
