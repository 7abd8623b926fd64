"""Every program that shaderlab starts, Pythons among them: how it begins, and what ends with it.

A folder with shaders may be a stranger's, and a Python begun by `-c` or `-m` looks for modules in
the folder it stands in before all others.  So each gets `-P` (Python 3.11) or, where only the
environment reaches it, PYTHONSAFEPATH, and a working folder that nobody puts files into.
`multiprocessing`'s children come through `workers.supervisor.child_process` alone.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

from shaderlab.system import process_tree

_MARK = "SHADERLAB_STARTED"
"""Environment variable of what is started, and of what that starts."""
_LAST_WAIT_S = 2.0
"""A killed program that is not gone by then hangs in the kernel, and is left to it."""
NEUTRAL = Path(sys.executable).anchor
"""Working folder of the programs started: the root of a file system."""
_SAFE_PATH = "PYTHONSAFEPATH"
_lock = threading.Lock()
_isolating = 0
_users_own: str | None = None


def python(module: str, *arguments: str) -> list[str]:
    """The command that runs a module with this interpreter."""
    return [sys.executable, "-P", "-m", module, *arguments]


@contextlib.contextmanager
def isolated_pythons() -> Iterator[None]:
    """Pythons that a library starts in this block find no module in the working folder, nor do
    those they start: `multiprocessing`'s fork server and resource tracker, Ray's processes.

    The variable is in this process's environment no longer than that: the user's own programs,
    such as one that is captured, get the user's own.
    """
    global _isolating, _users_own
    with _lock:
        if not _isolating:
            _users_own = os.environ.get(_SAFE_PATH)
        _isolating += 1
        os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        with _lock:
            _isolating -= 1
            if not _isolating and _users_own is None:
                del os.environ[_SAFE_PATH]
            elif not _isolating:
                os.environ[_SAFE_PATH] = _users_own or ""


def run(command: Sequence[str], stdout: IO[bytes] | int | None = None) -> int:
    """Run a program on this terminal, in the user's folder, to its end: its exit status.

    Raises OSError where it cannot be started.
    """
    return subprocess.run(command, stdout=stdout).returncode


@contextlib.contextmanager
def started(
    command: Sequence[str],
    *,
    stdin: IO[bytes] | int,
    stdout: IO[bytes] | int,
    stderr: IO[bytes] | int,
    env: Mapping[str, str] | None = None,
    folder: Path | str = NEUTRAL,
) -> Iterator[subprocess.Popen[bytes]]:
    """A program in a process group of its own, killed with its group when the block ends.

    What it started and left behind goes too, and all of it when this process dies, however it dies.
    A program that makes a session of its own is found on Linux when the block ends, by a variable
    of its environment; elsewhere it escapes once its parent has ended.  Windows has no such groups:
    there, the program and its descendants are killed if it still runs when the block ends.
    Paths in `command` are absolute: it works in `folder`.
    Raises OSError where the program cannot be started.
    """
    with _group() as group:
        mark = f"{group}-{secrets.token_hex(8)}"
        program = subprocess.Popen(
            command,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            env={**(os.environ if env is None else env), _MARK: mark},
            process_group=group,
            cwd=folder,
        )
        try:
            yield program
        finally:
            if program.poll() is None:
                process_tree.kill(program.pid)
            _kill(group)
            _kill_marked(mark, program.pid)
            with contextlib.suppress(subprocess.TimeoutExpired):
                program.wait(_LAST_WAIT_S)
            for stream in (program.stdin, program.stdout, program.stderr):
                if stream is not None:
                    stream.close()


def _kill_marked(mark: str, first: int) -> None:
    """Kill those who left the group, on Linux.  `first`: the program, before all it started."""
    if sys.platform != "linux":
        return
    entry = f"{_MARK}={mark}".encode()
    running = [int(each.name) for each in Path("/proc").iterdir() if each.name.isdigit()]
    # Numbers go up, but for where they begin again; one reading is 0.02 ms, and most began before.
    for pid in filter(lambda each: each > first, running):
        with contextlib.suppress(OSError):
            if entry in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
                os.kill(pid, signal.SIGKILL)


if sys.platform == "win32":

    @contextlib.contextmanager
    def _group() -> Iterator[None]:
        yield None

    def _kill(group: None) -> None:
        pass

else:

    @contextlib.contextmanager
    def _group() -> Iterator[int]:
        """A new process group, led by a guard that kills it once this process is gone.

        The guard waits for the end of a pipe that only this process holds open.  While it is there
        its number, which is the group's, cannot go to another process.
        """
        theirs, ours = os.pipe()
        try:
            guard = subprocess.Popen(
                ("/bin/sh", "-c", "read -r _; kill -KILL 0"),
                stdin=theirs,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                process_group=0,
                cwd=NEUTRAL,
            )
        except BaseException:
            os.close(ours)
            raise
        finally:
            os.close(theirs)
        try:
            yield guard.pid
        finally:
            guard.kill()
            guard.wait()
            os.close(ours)

    def _kill(group: int) -> None:
        # macOS does not permit it for a group of zombies.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)
