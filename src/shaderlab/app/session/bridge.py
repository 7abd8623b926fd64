"""Futures of worker threads into the interface's thread."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from shaderlab.app.qt import QObject, Signal, Slot
from shaderlab.errors import Abandoned, InternalError, ShaderlabError


class Bridge(QObject):
    """Calls back in the thread it was made in, which is the interface's."""

    closed = Signal()
    """Nothing is delivered any more: what still runs may end."""
    _arrived = Signal(object)

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self.is_closed = False
        """Whether nothing is delivered, nor to be asked, any more."""
        self._arrived.connect(self._deliver)

    def watch(
        self,
        future: Future,
        done: Callable[[Any], None],
        failed: Callable[[ShaderlabError], None],
    ) -> None:
        """Call `done(result)` or `failed(error)` once; a cancelled future fails with Abandoned.

        An exception that is no ShaderlabError is a fault of ours: `failed` gets an InternalError,
        and it is raised in the interface's thread, where the exception hook reports it.
        """

        def arrived(finished: Future) -> None:
            with contextlib.suppress(RuntimeError):  # the window is gone already
                self._arrived.emit((finished, done, failed))

        future.add_done_callback(arrived)

    def close(self) -> None:
        """Deliver nothing from now on."""
        self.is_closed = True
        self.closed.emit()

    @Slot(object)
    def _deliver(self, delivery: tuple) -> None:
        future, done, failed = delivery
        if self.is_closed:
            return
        if future.cancelled():
            failed(Abandoned("the request was cancelled before it began"))
            return
        try:
            result = future.result()
        except ShaderlabError as error:
            failed(error)
        except Exception as fault:
            failed(InternalError(f"a fault in shaderlab: {type(fault).__name__}: {fault}"))
            raise
        else:
            done(result)
