"""The child's side: one server object, requests answered one at a time until the pipe closes."""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import importlib
import logging
import os
import signal
import sys
import threading
from multiprocessing import parent_process
from multiprocessing.connection import Connection, wait
from typing import Any, NamedTuple

from shaderlab.errors import InternalError, OutOfMemory, ShaderlabError

log = logging.getLogger(__name__)


class Request(NamedTuple):
    """Call `method` of the server with `arguments`."""

    method: str
    arguments: tuple[Any, ...]


class Begun(NamedTuple):
    """The request has arrived: from here on, what happens to the child happens in its course."""


class Reply(NamedTuple):
    """What a request came to: `error` is set where it failed."""

    result: Any
    error: ShaderlabError | None


def serve(connection: Connection, server: str, arguments: tuple[Any, ...]) -> None:
    """Run `module:Class(*arguments)` behind `connection`.

    Sends a Reply for the start, then a Begun and a Reply per Request.

    Ends when the parent closes the pipe or dies.  Methods whose name starts with an underscore
    cannot be called.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is the parent's to handle
    faulthandler.enable()
    _die_with_parent()
    _be_expendable()
    try:
        module, _, name = server.partition(":")
        target = getattr(importlib.import_module(module), name)(*arguments)
    except Exception as error:
        connection.send(Reply(None, _as_answer(error, "start")))
        return
    connection.send(Reply(None, None))
    while True:
        try:
            request = connection.recv()
        except (EOFError, OSError):
            return
        connection.send(Begun())
        connection.send(_answer(target, request))


def _answer(target: object, request: Request) -> Reply:
    if request.method.startswith("_"):
        return Reply(None, InternalError(f"no such request: {request.method}"))
    try:
        return Reply(getattr(target, request.method)(*request.arguments), None)
    except Exception as error:
        return Reply(None, _as_answer(error, request.method))


def _as_answer(error: Exception, doing: str) -> ShaderlabError:
    if isinstance(error, ShaderlabError):
        return error
    log.error("%s failed", doing, exc_info=error)
    if isinstance(error, MemoryError):
        return OutOfMemory(f"no memory was left during {doing}")
    return InternalError(f"shaderlab failed during {doing}: {type(error).__name__}: {error}")


def _die_with_parent() -> None:
    """End with the parent however it ends: a shader may never return, nor the pipe be read again.

    The kernel's own way (prctl(2), PR_SET_PDEATHSIG) holds even inside a driver that keeps
    Python's lock; the thread is for systems without it, and for a parent dead already.
    """
    parent = parent_process()
    if parent is None:
        return
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, name="parent watch", daemon=True).start()


_PR_SET_PDEATHSIG = 1


def _be_expendable() -> None:
    """Where memory runs out, the kernel shall take this process, not the window; no core."""
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
