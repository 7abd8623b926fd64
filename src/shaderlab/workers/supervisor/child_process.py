"""A child as its parent holds it: the process, the pipe to it, and how it is ended."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess

from shaderlab.system import process_group, process_tree, socket_folder
from shaderlab.system.pipes import PipeEnd
from shaderlab.workers.supervisor import reloading
from shaderlab.workers.supervisor.child import Server, serve

if sys.platform == "linux":
    # Forked from a process without threads that has imported what most of them need: ten children
    # then take 150 MB less, and come up sooner.
    _CONTEXT = multiprocessing.get_context("forkserver")
    _CONTEXT.set_forkserver_preload(["shaderlab.workers.preloaded"])
else:
    _CONTEXT = multiprocessing.get_context("spawn")


_ORPHANED = 255
"""Exit code that `multiprocessing` gives a child whose own it cannot learn any more."""


class ForkServerEnded(OSError):
    """The process that children are forked from ended, and its children with it."""


@dataclass(eq=False)
class ChildProcess:
    """Ends with the process that spawned it, elsewhere than on Linux as soon as it notices.

    A separate thread waits for its end: the kernel has been seen to take minutes over the rest of a
    dead process (wait4 in `shrink_dcache_parent`), and nothing else may wait for that.
    """

    process: BaseProcess
    pipe: PipeEnd
    pid: int
    ready_at: float | None = None
    """`monotonic` when it was known to have come up well; None before."""
    stood_by: bool = False
    """Whether it was another's spare: what the other did to the device may have met it too."""
    answered: bool = False
    """Whether it ever answered a request without having lost its device."""
    _killed: bool = False
    _code: int | None = None
    _gone: threading.Event = field(default_factory=threading.Event)

    @classmethod
    def spawn(cls, server: Server) -> ChildProcess:
        """Begin to run a server.  Raises OSError, ForkServerEnded among them."""
        if sys.platform == "linux":
            socket_folder.settle()
        pipe, theirs = _CONTEXT.Pipe()
        process = _CONTEXT.Process(
            target=_serve, args=(theirs, server, dict(os.environ)), daemon=True
        )
        try:
            with process_group.isolated_pythons():
                process.start()
        except EOFError as error:
            pipe.close()
            raise ForkServerEnded("the process that children are forked from ended") from error
        except BaseException:
            pipe.close()
            raise
        finally:
            theirs.close()
        assert process.pid is not None  # it was started
        child = cls(process, pipe, process.pid)
        threading.Thread(target=child._await_end, name="end of a child", daemon=True).start()
        return child

    def _await_end(self) -> None:
        self.process.join()
        self._code = self.process.exitcode
        self._gone.set()

    @property
    def is_alive(self) -> bool:
        return not self._gone.is_set()

    def exit_code(self, patience_s: float) -> int | None:
        """What it ended with (the negative number of a signal); None while that is not known."""
        self._gone.wait(patience_s)
        return self._code

    def lost_its_server(self, patience_s: float) -> bool:
        """Whether it ended because the process that it was forked from did: no request's doing."""
        return sys.platform == "linux" and self.exit_code(patience_s) == _ORPHANED

    def end(self, patience_s: float) -> bool:
        """Kill it with all it started; whether it was gone in time.  Can be called again."""
        if self.is_alive and not self._killed:
            process_tree.kill(self.pid)
            self._killed = True
        self.pipe.close()
        return self._gone.wait(patience_s)


def _serve(connection: PipeEnd, server: Server, environment: Mapping[str, str]) -> None:
    """Runs in the child.  `environment`: the parent's as it is now; what the child was forked from
    has that of its own start."""
    _let_go_of_the_fork_server()
    if dict(os.environ) != environment:
        os.environ.clear()
        os.environ.update(environment)
    os.chdir(process_group.NEUTRAL)
    (reloading.serve if server.environment else serve)(connection, server)


def _let_go_of_the_fork_server() -> None:
    """It lives while anyone holds a pipe that it hands to all of them, and its end is what the
    kernel ends this child with: only the parent may hold it, however the parent ends."""
    if sys.platform != "linux":
        return
    from multiprocessing import forkserver

    server = forkserver._forkserver
    held = getattr(server, "_forkserver_alive_fd", None)
    if held is not None:
        os.close(held)
        server._forkserver_alive_fd = None  # type: ignore[attr-defined]
