"""The programs shaderlab calls: finding them, running one safely, naming what is missing.

A tool is run without a shell, its input and output in anonymous memory rather than pipes (so
nothing can deadlock on a full pipe), with bounds on wall time, CPU time, memory and output.  A
child dies with the process that started it: a worker may be killed while a tool still runs.
"""

from __future__ import annotations

import os
import re
import resource
import select
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import BinaryIO

from shaderlab.errors import InvalidModule, MissingTool, ShaderlabError, ShaderTimeout

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
"""Every program the frontend uses, and the Debian and Ubuntu package that installs it."""

# glslang spends its start on building symbol tables, a third of it on page faults.  Asking the
# allocator for huge pages made a whole compile 20 % faster (54 -> 43 ms); other C libraries
# ignore the variable.
_FAST_MALLOC = "glibc.malloc.hugetlb=1:glibc.malloc.top_pad=67108864"


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
"""Stands in a command for the file that receives the tool's binary output."""


def find(name: str) -> Path | None:
    """The program `name` on PATH, else in `$VULKAN_SDK/bin`; None where there is neither."""
    found = shutil.which(name)
    if found is None and (sdk := os.environ.get("VULKAN_SDK")):
        found = shutil.which(name, path=os.path.join(sdk, "bin"))
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
    """The version a tool tells, e.g. `12.0.0` or `v2023.1`; None where it is missing or mute."""
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
    with ExitStack() as stack:
        source, printed, written = (stack.enter_context(_memory(name)) for _ in range(3))
        source.write(stdin)
        source.seek(0)
        arguments = [
            f"/dev/fd/{written.fileno()}" if part == OUTPUT else part for part in command[1:]
        ]
        process = subprocess.Popen(
            [*_dies_with_parent(), executable, *arguments],
            stdin=source,
            stdout=printed,
            stderr=printed,
            pass_fds=[written.fileno()],
            start_new_session=True,
            env=os.environ | {"GLIBC_TUNABLES": _FAST_MALLOC, "LC_ALL": "C"},
        )
        try:
            _bound(process.pid, timeout_s, output_bytes)
            if not _wait(process, timeout_s):
                raise ShaderTimeout(f"{name} did not finish within {timeout_s:g} s")
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        if process.returncode == -_SIGXCPU:
            raise ShaderTimeout(f"{name} did not finish within {timeout_s:g} s of CPU time")
        if process.returncode == -_SIGXFSZ:
            raise ShaderlabError(f"{name} wrote more than {output_bytes >> 20} MB and was stopped")
        return ToolResult(
            process.returncode,
            _contents(printed, output_bytes).decode("utf-8", errors="replace"),
            _contents(written, output_bytes),
        )


def disassemble(spirv: bytes) -> str:
    """SPIR-V as text with the names the compiler left; raises InvalidModule, MissingTool."""
    result = run(["spirv-dis", "--no-color", "-o", OUTPUT, "-"], spirv)
    if result.returncode != 0:
        raise InvalidModule(f"spirv-dis: {first_line(result.text)}")
    return result.binary.decode("utf-8", errors="replace")


def validate(spirv: bytes) -> None:
    """Raise InvalidModule with the validator's own words unless `spirv` is valid SPIR-V.

    By the rules of Vulkan 1.2; of Vulkan 1.3 for SPIR-V 1.6, which came with it.
    """
    newer = int.from_bytes(spirv[4:8], "little") >= 0x00010600
    environment = "vulkan1.3" if newer else "vulkan1.2"
    result = run(["spirv-val", "--target-env", environment, "-"], spirv)
    if result.returncode != 0:
        raise InvalidModule(f"not valid SPIR-V: {first_line(result.text)}")


def first_line(text: str) -> str:
    """The first line that says something, without the `error: 12: ` some tools begin with."""
    for line in text.splitlines():
        if line.strip():
            return re.sub(r"^(?:error|warning): (?:\d+: )?", "", line.strip())
    return "the tool failed without a message"


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


def _memory(name: str) -> BinaryIO:
    """An anonymous file, in memory where the system has such a thing."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create(name), "w+b")
    return tempfile.TemporaryFile()  # type: ignore[return-value]


def _contents(file: BinaryIO, limit: int) -> bytes:
    file.seek(0)
    return file.read(limit)


def _bound(pid: int, timeout_s: float, output_bytes: int) -> None:
    """Limits that hold even if this process is killed before it can end the child."""
    if not hasattr(resource, "prlimit"):
        return
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
            # The kernel answers CPU time at the hard limit with SIGKILL, which would not say why.
            soft = limit - 1 if kind == resource.RLIMIT_CPU else limit
            resource.prlimit(pid, kind, (soft, limit))
        except (ProcessLookupError, PermissionError):
            return


def _wait(process: subprocess.Popen, timeout_s: float) -> bool:
    """Whether the process ended in time.  `Popen.wait(timeout)` polls, and loses up to 15 ms."""
    if not hasattr(os, "pidfd_open"):
        try:
            process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return False
        return True
    try:
        descriptor = os.pidfd_open(process.pid)
    except OSError:  # a kernel before 5.3, or a sandbox
        try:
            process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return False
        return True
    try:
        poller = select.poll()
        poller.register(descriptor, select.POLLIN)
        ended = bool(poller.poll(timeout_s * 1000))
    finally:
        os.close(descriptor)
    if ended:
        process.wait()
    return ended
