"""Modules that take long to import, brought in beside the interface instead of in its way."""

from __future__ import annotations

import contextlib
import importlib
import logging
import threading

from shaderlab.app.qt import QObject, Signal

log = logging.getLogger(__name__)


class LateImport(QObject):
    """Imports one module in a thread: the window answers meanwhile, as Python's lock changes hands
    every few milliseconds."""

    arrived = Signal()
    """The module is there, or will never be: importing it by name returns or raises at once.
    Emitted in the thread that this object lives in."""

    def __init__(self, module: str, parent: QObject | None = None):
        super().__init__(parent)
        self._module = module
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin; again and again is fine."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="late import", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        try:
            importlib.import_module(self._module)
        except Exception:
            log.exception("%s cannot be imported", self._module)
        with contextlib.suppress(RuntimeError):  # the window is gone already
            self.arrived.emit()
