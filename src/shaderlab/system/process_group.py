"""A program that ends together with all it starts."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

from shaderlab.system import process_tree

_MARK = "SHADERLAB_STARTED"
"""Environment variable of what is started, and of what that starts."""
_LAST_WAIT_S = 2.0
"""A killed program that is not gone by then hangs in the kernel, and is left to it."""


@contextlib.contextmanager
def started(
    command: Sequence[str],
    *,
    stdin: IO[bytes] | int,
    stdout: IO[bytes] | int,
    stderr: IO[bytes] | int,
    env: Mapping[str, str] | None = None,
) -> Iterator[subprocess.Popen[bytes]]:
    """A program in a process group of its own, killed with its group when the block ends.

    What it started and left behind goes too, and all of it when this process dies, however it dies.
    A program that makes a session of its own is found on Linux when the block ends, by a variable
    of its environment; elsewhere it escapes once its parent has ended.  Windows has no such groups:
    there, the program and its descendants are killed if it still runs when the block ends.
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
