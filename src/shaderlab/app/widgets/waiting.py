"""Waiting for a disk without blocking the window."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from shaderlab.app.qt import QObject, QtCore, Signal

T = TypeVar("T")


class _Done(QObject):
    came = Signal()


def apart(work: Callable[[], T]) -> T:
    """What `work` returns or raises; it runs in a thread, and must not touch the interface.

    Meanwhile windows are painted and timers run, but keys and clicks wait: what the user would
    change stays as it was.
    """
    loop, done = QtCore.QEventLoop(), _Done()
    done.came.connect(loop.quit, QtCore.Qt.ConnectionType.QueuedConnection)
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:  # noqa: BLE001, raised again by the caller
            errors.append(error)
        done.came.emit()

    thread = threading.Thread(target=run, name="waiting for a disk", daemon=True)
    thread.start()
    loop.exec(QtCore.QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
    thread.join()
    if errors:
        raise errors[0]
    return results[0]
