"""Servers that misbehave on request, for the supervisor to deal with in real children."""

from __future__ import annotations

import ctypes
import mmap
import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from shaderlab.errors import DeviceLost, UnsupportedShader
from shaderlab.system.driver_compiling import driver_compiling


class Moody:
    def __init__(self, greeting: str = "hello"):
        if greeting == "refuse":
            raise UnsupportedShader("cannot start")
        if greeting == "die":
            os._exit(3)
        if greeting == "hang":
            self.hang()
        self.greeting = greeting
        self.calls = 0

    def greet(self) -> tuple[str, int, int]:
        self.calls += 1
        return self.greeting, self.calls, os.getpid()

    def variable(self, name: str) -> str | None:
        return os.environ.get(name)

    def hang(self) -> None:
        while True:
            time.sleep(0.01)

    def folder(self) -> str:
        return str(Path.cwd())

    def work(self, seconds: float) -> None:
        time.sleep(seconds)

    def compile_in_driver(self, seconds: float, then_work_s: float) -> None:
        with driver_compiling():
            time.sleep(seconds)
        time.sleep(then_work_s)

    def hold(self) -> None:
        """Python's lock is kept, so no thread of this process notices anything."""
        ctypes.PyDLL(None).sleep(100)

    def crash(self) -> None:
        os.kill(os.getpid(), signal.SIGSEGV)

    def write_where_there_is_no_room(self) -> None:
        """A file's mapping beyond the file's end: what a full disk does to one within it."""
        with tempfile.TemporaryFile() as file:
            file.truncate(2 * mmap.PAGESIZE)
            with mmap.mmap(file.fileno(), 2 * mmap.PAGESIZE) as memory:
                file.truncate(mmap.PAGESIZE)
                memory[mmap.PAGESIZE] = 1

    def grow(self, mebibytes: int, then_hang: bool) -> int:
        self.kept = b"x" * (mebibytes << 20)
        if then_hang:
            self.hang()
        return os.getpid()

    def starve(self) -> None:
        raise MemoryError

    def hang_with_a_tool(self, path: str) -> None:
        tool = subprocess.Popen(["sleep", "1000"])
        Path(path).write_text(str(tool.pid))
        self.hang()

    def refuse(self) -> None:
        raise UnsupportedShader("not this one")

    def lose(self) -> None:
        raise DeviceLost("the device was lost")

    def stumble(self) -> None:
        raise ZeroDivisionError("oops")

    def _secret(self) -> str:
        return "secret"


class OnSharedDevice:
    """What one child does to the device, all that are open meet: as after a GPU's reset."""

    def __init__(self, folder: str):
        self._resets = Path(folder) / "resets"
        self._known = self._count()
        (Path(folder) / f"up-{os.getpid()}").touch()

    def _count(self) -> int:
        return self._resets.stat().st_size if self._resets.exists() else 0

    def hang_it(self) -> None:
        with Path(self._resets).open("a") as file:
            file.write("x")
        while True:
            time.sleep(0.01)

    def lose_it(self) -> None:
        self._known = -1
        self.greet()

    def greet(self) -> int:
        if self._known != self._count():
            raise DeviceLost("the device was lost")
        return os.getpid()
