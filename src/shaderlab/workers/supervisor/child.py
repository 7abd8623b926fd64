"""The child's side: one server object, requests answered one at a time until the pipe closes."""

from __future__ import annotations

import importlib
import logging
import signal
from collections.abc import Mapping
from time import monotonic
from typing import Any, NamedTuple

from shaderlab.errors import InternalError, OutOfMemory, ShaderlabError
from shaderlab.system import driver_compiling, expendable, heap, orphans, priority
from shaderlab.system.pipes import PipeEnd

log = logging.getLogger(__name__)

_REST_S = 1.0
"""Time without a request after which a child gives memory back."""
_BUSY_S = 5.0
"""The same for a child that is never idle, such as the one that draws the preview."""


class Server(NamedTuple):
    """What a child runs: `module:Class(*arguments)`."""

    name: str
    arguments: tuple[Any, ...] = ()
    low_priority: bool = False
    """It yields to everything else."""
    environment: tuple[tuple[str, str], ...] = ()
    """Variables its process is loaded with, where only the dynamic linker reads them."""


class Request(NamedTuple):
    """Call `method` of the server with `arguments` and `keywords`."""

    method: str
    arguments: tuple[Any, ...]
    keywords: Mapping[str, Any]


class Begun(NamedTuple):
    """The request has arrived: from now on, a child that dies did so while working on it."""


class DriverCompiles(NamedTuple):
    """The driver begins to compile for a request, or is done: that has a limit of its own."""

    begins: bool


class Reply(NamedTuple):
    """What a request came to: `error` is set where it failed."""

    result: Any
    error: ShaderlabError | None


def serve(connection: PipeEnd, server: Server) -> None:
    """Run a server behind `connection`.

    Sends a Reply for the start, then a Begun and a Reply per Request, with DriverCompiles between.

    Ends when the parent closes the pipe or dies.  Methods whose name starts with an underscore
    cannot be called.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is the parent's to handle
    orphans.die_with_parent()
    expendable.be_expendable()
    heap.keep_large_blocks_apart()
    if server.low_priority:
        priority.lower_process()
    try:
        module, _, name = server.name.partition(":")
        target = getattr(importlib.import_module(module), name)(*server.arguments)
    except Exception as error:  # noqa: BLE001, whatever it is, the parent gets an answer
        connection.send(Reply(None, _as_answer(error, "start")))
        return
    connection.send(Reply(None, None))
    driver_compiling.listen(lambda begins: connection.send(DriverCompiles(begins)))
    gave_back = monotonic()
    while True:
        try:
            if not connection.poll(_REST_S) or monotonic() > gave_back + _BUSY_S:
                heap.give_back()
                gave_back = monotonic()
            request = connection.recv()
        except (EOFError, OSError):
            return
        connection.send(Begun())
        connection.send(_answer(target, request))


def _answer(target: object, request: Request) -> Reply:
    if request.method.startswith("_"):
        return Reply(None, InternalError(f"no such request: {request.method}"))
    try:
        method = getattr(target, request.method)
        return Reply(method(*request.arguments, **request.keywords), None)
    except Exception as error:  # noqa: BLE001, whatever it is, the parent gets an answer
        return Reply(None, _as_answer(error, request.method))


def _as_answer(error: Exception, doing: str) -> ShaderlabError:
    if isinstance(error, ShaderlabError):
        return error
    if isinstance(error, MemoryError):
        return OutOfMemory(f"no memory was left during {doing}")
    log.error("%s failed", doing, exc_info=error)
    return InternalError(f"shaderlab failed during {doing}: {type(error).__name__}: {error}")
