"""Work of the parent's own that waits for children or tools, in a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

_T = TypeVar("_T")


def in_background(work: Callable[[], _T], name: str) -> Future[_T]:
    """What `work` returns or raises, run in its own thread; it cannot be cancelled."""
    found: Future[_T] = Future()
    found.set_running_or_notify_cancel()

    def run() -> None:
        try:
            found.set_result(work())
        except Exception as error:  # noqa: BLE001, the future carries it
            found.set_exception(error)

    threading.Thread(target=run, name=name, daemon=True).start()
    return found
