"""Servers that misbehave on request, for the supervisor to deal with in real children."""

from __future__ import annotations

import os
import signal
import subprocess
import time

from shaderlab.errors import DeviceLost, UnsupportedShader


class Moody:
    def __init__(self, greeting: str = "hello"):
        if greeting == "refuse":
            raise UnsupportedShader("cannot start")
        if greeting == "die":
            os._exit(3)
        self.greeting = greeting
        self.calls = 0

    def greet(self) -> tuple[str, int, int]:
        self.calls += 1
        return self.greeting, self.calls, os.getpid()

    def hang(self) -> None:
        while True:
            time.sleep(0.01)

    def crash(self) -> None:
        os.kill(os.getpid(), signal.SIGSEGV)

    def grow(self, mebibytes: int, then_hang: bool) -> int:
        self.kept = b"x" * (mebibytes << 20)
        if then_hang:
            self.hang()
        return os.getpid()

    def starve(self) -> None:
        raise MemoryError

    def hang_with_a_tool(self, path: str) -> None:
        tool = subprocess.Popen(["sleep", "1000"])
        with open(path, "w") as file:
            file.write(str(tool.pid))
        self.hang()

    def refuse(self) -> None:
        raise UnsupportedShader("not this one")

    def lose(self) -> None:
        raise DeviceLost("the device was lost")

    def stumble(self) -> None:
        raise ZeroDivisionError("oops")

    def _secret(self) -> str:
        return "secret"
