"""A child as its parent holds it: the process, the pipe to it, and how it is ended."""

from __future__ import annotations

import contextlib
import multiprocessing
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from shaderlab.workers import process_tree
from shaderlab.workers.child import serve

_SPAWN = multiprocessing.get_context("spawn")


@dataclass(eq=False)
class ChildProcess:
    """Ends with the thread that spawned it: Linux ties its death signal to that (prctl(2))."""

    process: BaseProcess
    pipe: Connection
    pid: int
    ready_at: float | None = None
    """`monotonic` when it was known to have come up well; None before."""
    stood_by: bool = False
    """Whether it was another's spare: what the other did to the device may have met it too."""
    answered: bool = False
    """Whether it ever answered a request without having lost its device."""

    @classmethod
    def spawn(cls, server: str, arguments: tuple[Any, ...]) -> ChildProcess:
        """Begin to run `server` (`module:Class`).  Raises OSError."""
        pipe, theirs = _SPAWN.Pipe()
        process = _SPAWN.Process(target=serve, args=(theirs, server, arguments), daemon=True)
        try:
            process.start()
        except BaseException:
            pipe.close()
            raise
        finally:
            theirs.close()
        return cls(process, pipe, process.pid)

    @property
    def is_alive(self) -> bool:
        return self.process.is_alive()

    def exit_code(self, patience_s: float) -> int | None:
        """What it ended with (the negative number of a signal); None where it has not yet."""
        self.process.join(patience_s)
        return self.process.exitcode

    def end(self, patience_s: float) -> bool:
        """Kill it with all it started; whether it was gone in time.  May be asked again."""
        if self.process.is_alive():
            process_tree.kill(self.pid)
        self.pipe.close()
        self.process.join(patience_s)
        gone = not self.process.is_alive()
        if gone:
            with contextlib.suppress(ValueError):
                self.process.close()
        return gone
