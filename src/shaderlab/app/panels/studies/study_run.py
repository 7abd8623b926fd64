"""One study at a time, in its own thread, with the answer in the interface's."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.session import Session
from shaderlab.errors import InternalError, ShaderlabError

_T = TypeVar("_T")


class StudyRun(QObject):
    """Runs what it is given, and can be asked to stop."""

    advanced = Signal(str)
    """How far it is, in words."""

    def __init__(self, session: Session, parent: QObject):
        super().__init__(parent)
        self._session = session
        self._stopping = threading.Event()
        self.running = False
        session.bridge.closed.connect(self.stop)

    def start(
        self,
        study: Callable[[Callable[[str], None], Callable[[], bool]], _T],
        done: Callable[[_T], None],
        failed: Callable[[ShaderlabError], None],
    ) -> None:
        """Call `study(report, stopped)` in a thread, then `done` or `failed` here."""
        self._stopping = stopped = threading.Event()
        self.running = True
        finished: Future[_T] = Future()

        def work() -> None:
            try:
                finished.set_result(study(self.advanced.emit, stopped.is_set))
            except ShaderlabError as error:
                finished.set_exception(error)
            except Exception as error:  # noqa: BLE001, a thread has nowhere else to report
                finished.set_exception(InternalError(f"{type(error).__name__}: {error}"))

        def ended(call: Callable, value: object) -> None:
            self.running = False
            call(value)

        self._session.bridge.watch(
            finished, lambda found: ended(done, found), lambda error: ended(failed, error)
        )
        threading.Thread(target=work, name="study", daemon=True).start()

    def stop(self) -> None:
        """Have it end after what is under way."""
        self._stopping.set()

    @property
    def stopping(self) -> bool:
        return self._stopping.is_set()
