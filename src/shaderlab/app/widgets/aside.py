"""Work in a thread of its own, for answers that the interface does not wait for."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache
from typing import Any

from shaderlab.app.qt import QObject, Signal, Slot


class _Relay(QObject):
    """Calls what threads hand it in the interface's thread."""

    came = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.came.connect(self._call)

    @Slot(object)
    def _call(self, call: Callable[[], None]) -> None:
        call()


@cache
def _relay() -> _Relay:
    """The only one, which is never deleted: a thread may end long after whoever started it."""
    return _Relay()


class Aside:
    """One piece of work at a time; of what is asked for meanwhile only the newest is started.

    Belongs to the interface's thread, and answers there.
    """

    def __init__(self, owner: QObject):
        """`owner`: once it is deleted, nothing is answered."""
        owner.destroyed.connect(self.drop)
        self._turn = 0
        self._begun = 0
        """Turn of the work under way; 0 where none is."""
        self._next: tuple[Callable[[], Any], Callable[[Any], object]] | None = None

    @property
    def busy(self) -> bool:
        return bool(self._begun)

    def run(self, work: Callable[[], Any], done: Callable[[Any], object]) -> None:
        """Call `done` with what `work` returns, unless something else is asked for before.

        `work` must not touch the interface.  What it raises is raised in the interface's thread.
        """
        self._turn += 1
        self._next = (work, done)
        if not self._begun:
            self._begin()

    def drop(self) -> None:
        """Nobody wants the answer any more."""
        self._turn += 1
        self._next = None

    def _begin(self) -> None:
        if self._next is None:
            return
        (work, done), self._next = self._next, None
        turn, relay = self._turn, _relay()
        self._begun = turn

        def compute() -> None:
            result, fault = None, None
            try:
                result = work()
            except BaseException as error:  # noqa: BLE001, raised again where it was asked for
                fault = error
            relay.came.emit(lambda: self._end(turn, done, result, fault))

        threading.Thread(target=compute, name="work aside", daemon=True).start()

    def _end(
        self, turn: int, done: Callable[[Any], object], result: Any, fault: BaseException | None
    ) -> None:
        self._begun = 0
        self._begin()
        if turn != self._turn:
            return
        if fault is not None:
            raise fault
        done(result)
