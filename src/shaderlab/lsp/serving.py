"""One editor served: over standard input and output, or over a connection of this machine."""

from __future__ import annotations

import contextlib
import hmac
import io
import json
import os
import secrets
import selectors
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from shaderlab.errors import WrongUse
from shaderlab.lsp.analyst import Analyst
from shaderlab.lsp.server import Server

TOKEN = "SHADERLAB_LSP_TOKEN"
"""Environment variable with the token that an editor sends; without it one is made up."""
LEAST_CHARACTERS = 16
"""Of a token."""
_BEGIN = b"Content-"
"""Of every message (Language Server Protocol 3.17, base protocol), and of no HTTP request."""
_MOST_BYTES = 1 << 20
"""Of the first message with its header."""
_PATIENCE_S = 10.0
"""After a connection, for the first message."""
_MOST_WAITING = 32


def serve_stdio(analyst: Analyst) -> None:
    """Serve until the editor says exit, or is gone."""
    reader = os.fdopen(os.dup(0), "rb")
    writer = os.fdopen(os.dup(1), "wb")
    # A driver in a child, or a library here, that prints something must not get between messages.
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.dup2(2, 1)
    os.close(nowhere)
    _serve(analyst, reader, writer)


def serve_tcp(analyst: Analyst, port: int, say: Callable[[str], None]) -> None:
    """Serve the first editor that connects to a port of this machine (0: any free one) and proves
    that it is the user's: any user of the machine, and any page in a browser, can connect.

    Its first message is `initialize`, with the token as `initializationOptions.token`.  `say` gets
    the sentences that name port and token.  Raises OSError for a port that is taken, WrongUse for a
    token of the user's that can be guessed.
    """
    token, is_users = os.environ.get(TOKEN, ""), TOKEN in os.environ
    if is_users and len(token) < LEAST_CHARACTERS:
        raise WrongUse(f"{TOKEN} needs at least {LEAST_CHARACTERS} characters")
    token = token or secrets.token_hex(16)
    with socket.create_server(("127.0.0.1", port), backlog=_MOST_WAITING) as listening:
        say(f"waiting for an editor at 127.0.0.1:{listening.getsockname()[1]}")
        value = f"the value of {TOKEN}" if is_users else token
        say(f"it must send initializationOptions.token: {value}")
        editor = _proven(listening, token)
    with editor.socket:
        reader = io.BufferedReader(_Continued(editor.socket, bytes(editor.received)))
        _serve(analyst, reader, editor.socket.makefile("wb"))


@dataclass(eq=False)
class _Caller:
    """A connection whose first message is on its way."""

    socket: socket.socket
    until: float
    received: bytearray = field(default_factory=bytearray)

    def message(self) -> dict[str, Any] | None:
        """What came, once it is whole.  Raises ValueError for what no editor sends."""
        got = self.received
        if not got.startswith(_BEGIN[: len(got)]) or len(got) > _MOST_BYTES:
            raise ValueError
        head, ends, body = got.partition(b"\r\n\r\n")
        if not ends:
            return None
        lengths = [
            line.partition(b":")[2].strip()
            for line in bytes(head).split(b"\r\n")
            if line.startswith(b"Content-Length:")
        ]
        if len(lengths) != 1 or not lengths[0].isdigit() or int(lengths[0][:9]) > _MOST_BYTES:
            raise ValueError
        if len(body) < int(lengths[0]):
            return None
        found = json.loads(body[: int(lengths[0])])
        if not isinstance(found, dict) or found.get("method") != "initialize":
            raise ValueError
        return found


def _proven(listening: socket.socket, token: str) -> _Caller:
    """The first that sends the token.  The others wait for nobody and hold nobody up: who is late
    is dropped, and so is the oldest of too many."""
    callers: dict[socket.socket, _Caller] = {}

    def drop(caller: _Caller) -> None:
        selector.unregister(caller.socket)
        del callers[caller.socket]
        caller.socket.close()

    with selectors.DefaultSelector() as selector:
        selector.register(listening, selectors.EVENT_READ)
        try:
            while True:
                for key, _ in selector.select(1.0):
                    if key.fileobj is listening:
                        connection, _ = listening.accept()
                        connection.setblocking(False)
                        selector.register(connection, selectors.EVENT_READ)
                        callers[connection] = _Caller(connection, time.monotonic() + _PATIENCE_S)
                        continue
                    caller = callers[key.fileobj]  # type: ignore[index]
                    if _has_proof(caller, token, drop):
                        selector.unregister(callers.pop(caller.socket).socket)
                        caller.socket.setblocking(True)
                        return caller
                late = [each for each in callers.values() if each.until < time.monotonic()]
                for each in {*late, *[*callers.values()][:-_MOST_WAITING]}:
                    drop(each)
        finally:
            for each in [*callers.values()]:
                drop(each)


def _has_proof(caller: _Caller, token: str, drop: Callable[[_Caller], None]) -> bool:
    """Whether a caller, from which something came, has sent the token.  Drops one that has not."""
    try:
        came = caller.socket.recv(1 << 16)
        caller.received += came
        message = caller.message()
        if message is None and came:
            return False
    except (OSError, ValueError, RecursionError):
        message = None
    params = message.get("params") if message else None
    options = params.get("initializationOptions") if isinstance(params, dict) else None
    sent = options.get("token") if isinstance(options, dict) else None
    if isinstance(sent, str) and hmac.compare_digest(sent.encode(errors="replace"), token.encode()):
        return True
    if message is not None:
        _refuse(caller.socket, message.get("id"))
    drop(caller)
    return False


def _refuse(connection: socket.socket, number: object) -> None:
    why = "initializationOptions.token is not the one that shaderlab lsp printed as it started"
    answer = {"jsonrpc": "2.0", "id": number, "error": {"code": -32602, "message": why}}
    body = json.dumps(answer).encode()
    with contextlib.suppress(OSError):
        connection.send(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))


class _Continued(io.RawIOBase):
    """A connection of which the beginning has been read."""

    def __init__(self, connection: socket.socket, begun: bytes):
        super().__init__()
        self._connection, self._begun = connection, begun

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._begun:
            return self._connection.recv_into(buffer)
        size = min(len(buffer), len(self._begun))
        buffer[:size], self._begun = self._begun[:size], self._begun[size:]
        return size


def _serve(analyst: Analyst, reader: BinaryIO, writer: BinaryIO) -> None:
    server = Server(analyst)
    try:
        server.protocol.start_io(reader, writer)
    except (ConnectionError, ValueError):
        print("the editor disconnected", file=sys.stderr)
    except MemoryError:  # a length that no message has
        print("the editor sent a message that is too long", file=sys.stderr)
    finally:
        server.close()
