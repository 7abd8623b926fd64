"""One editor served: over standard input and output, or over a connection of this machine."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from typing import BinaryIO

from shaderlab.lsp.analyst import Analyst
from shaderlab.lsp.server import Server


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
    """Serve the first editor that connects to a port of this machine; 0: any free one.

    `say` gets the sentence that names the port.  Raises OSError for a port that is taken.
    """
    with socket.create_server(("127.0.0.1", port)) as listening:
        say(f"waiting for an editor at 127.0.0.1:{listening.getsockname()[1]}")
        connection, _ = listening.accept()
    with connection:
        _serve(analyst, connection.makefile("rb"), connection.makefile("wb"))


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
