"""Whether a driver compiles at the moment, for whoever gives this process time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_listener: Callable[[bool], object] | None = None


def listen(listener: Callable[[bool], object]) -> None:
    """Have `listener` called on this thread, with True where its driver begins to compile and with
    False when it is done.  Other threads' compiling is not reported: nobody waits for it."""
    global _listener
    own = threading.get_ident()

    def report(begins: bool) -> None:
        if threading.get_ident() == own:
            listener(begins)

    _listener = report


@contextmanager
def driver_compiling() -> Iterator[None]:
    """While the driver compiles."""
    if _listener is None:
        yield
        return
    _listener(True)
    try:
        yield
    finally:
        _listener(False)
