"""Capturing a frame of a program: it is started under RenderDoc and ended afterwards."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from shaderlab import files
from shaderlab.captures import finding
from shaderlab.captures.opening import ending
from shaderlab.errors import Abandoned, ShaderlabError, WrongUse
from shaderlab.frontend import tools
from shaderlab.spirv.module import printable
from shaderlab.system import process_group

DEADLINE_S = 300.0
_LONGEST_LINE = 1 << 16


@dataclass(frozen=True)
class Launch:
    """What to start, and which frame to take."""

    command: Sequence[str]
    """Program and arguments."""
    folder: Path
    """It works in."""
    delay_s: float | None = 2.0
    """After its start; None: when `Run.take` is called."""
    frame: int | None = None
    """Its number instead of a delay."""

    @property
    def is_taken_by_hand(self) -> bool:
        return self.delay_s is None and self.frame is None


class Run:
    """A program that runs until its frame is captured.  Used from two threads: `capture` waits."""

    def __init__(self, launch: Launch, into: Path):
        """`into`: a folder that the capture is written to."""
        self._launch, self._into = launch, into
        self._stop = threading.Event()
        self._program: subprocess.Popen[bytes] | None = None

    def take(self) -> None:
        """Take the frame now; for a launch without delay and frame."""
        if self._program is not None and self._program.stdin is not None:
            self._program.stdin.write(b"\n")
            self._program.stdin.flush()

    def stop(self) -> None:
        """End the program without a frame."""
        self._stop.set()

    def capture(self, deadline_s: float = DEADLINE_S) -> Path:
        """Start it, wait for the frame, end it; the capture's path.

        Raises MissingTool without RenderDoc, WrongUse for a program that is not there,
        ShaderlabError where it gives no frame, ShaderTimeout, Abandoned.
        """
        python, _ = finding.find()
        executable = tools.find(self._launch.command[0])
        if executable is None:
            raise WrongUse(f"{self._launch.command[0]}: program not found")
        files.make_folder(self._into)
        its = self._launch
        command = (
            str(python), "-I", "-B", str(Path(__file__).with_name("renderdoc_capture.py")),
            str(self._into.absolute() / "frame"),
            "-" if its.delay_s is None else f"{its.delay_s:g}",
            "-" if its.frame is None else str(its.frame),
            str(its.folder.absolute()), str(executable.absolute()), *its.command[1:],
        )  # fmt: skip
        begin = time.monotonic()
        answer, code = self._started(command, deadline_s)
        if code < 0 and not (answer and its.is_taken_by_hand):
            # RenderDoc itself crashes now and then while it connects; the next start rarely does.
            answer, code = self._started(command, begin + deadline_s - time.monotonic())
        if answer.get("kind") != "captured":
            how = f"crashed by signal {-code}" if code < 0 else f"ended with status {code}"
            reason = printable(answer.get("message", f"RenderDoc {how}"))
            raise ShaderlabError(f"no frame of {its.command[0]} was captured: {reason}")
        return Path(answer["path"])

    def _started(self, command: Sequence[str], deadline_s: float) -> tuple[dict[str, str], int]:
        """The last that RenderDoc's child said, empty if nothing, and its exit status."""
        answer: dict[str, str] = {}
        with (
            process_group.started(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                # `-I` keeps our modules from RenderDoc's Python; the program gets the user's own.
                env={name: each for name, each in os.environ.items() if name != "LD_PRELOAD"},
            ) as program,
            ending(program.pid, self._stop, deadline_s) as why,
        ):
            self._program = program
            assert program.stdout is not None
            for line in files.lines(program.stdout, _LONGEST_LINE):
                answer = json.loads(line)
            self._program = None
            code = program.wait()
        if self._stop.is_set():
            raise Abandoned(f"capturing {self._launch.command[0]} was stopped")
        if why:
            raise why[0]
        return answer, code
