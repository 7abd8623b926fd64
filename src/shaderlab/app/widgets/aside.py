"""Work in a thread of its own, for answers that the interface does not wait for."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from typing import Any

from shaderlab.app.qt import QObject, Signal


class Aside(QObject):
    """One piece of work at a time; of those asked for meanwhile only the newest is begun.

    Belongs to the interface's thread, and answers there.
    """

    _ended = Signal(object, object)
    """What the work returned, and what it raised."""

    def __init__(self, parent: QObject):
        super().__init__(parent)
        self._ended.connect(self._on_ended)
        self._turn = 0
        self._begun: tuple[int, Callable[[Any], object]] | None = None
        self._next: tuple[Callable[[], Any], Callable[[Any], object]] | None = None

    @property
    def busy(self) -> bool:
        return self._begun is not None

    def run(self, work: Callable[[], Any], done: Callable[[Any], object]) -> None:
        """Call `done` with what `work` returns, unless something else is asked for before.

        `work` must not touch the interface.  What it raises is raised in the interface's thread.
        """
        self._turn += 1
        self._next = (work, done)
        if self._begun is None:
            self._begin()

    def drop(self) -> None:
        """Nobody wants the answer any more."""
        self._turn += 1
        self._next = None

    def _begin(self) -> None:
        if self._next is None:
            return
        (work, done), self._next = self._next, None
        self._begun = self._turn, done

        def compute() -> None:
            result, fault = None, None
            try:
                result = work()
            except BaseException as error:  # noqa: BLE001, raised again where it was asked for
                fault = error
            with contextlib.suppress(RuntimeError):  # the window is gone already
                self._ended.emit(result, fault)

        threading.Thread(target=compute, name="work aside", daemon=True).start()

    def _on_ended(self, result: Any, fault: BaseException | None) -> None:
        begun, self._begun = self._begun, None
        self._begin()
        if begun is None or begun[0] != self._turn:
            return
        if fault is not None:
            raise fault
        begun[1](result)
