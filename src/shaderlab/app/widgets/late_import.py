"""Modules that are slow to import, loaded in the background."""

from __future__ import annotations

import importlib
import logging
import threading
from time import perf_counter

from shaderlab.app.qt import QtCore, QtGui, QTimer, QtWidgets

log = logging.getLogger(__name__)

_SLICE_S = 0.005

_unmade = [(module, name) for module in (QtCore, QtGui, QtWidgets) for name in dir(module)]
"""PySide6 makes a type when its name is first looked up, in Python code that may lose the lock half
way.  A thread that looks up every name, as pyqtgraph's import does, then leaves the interface with
half a type, and the process ends with a segmentation fault.  So the interface's thread makes them
first."""
_waiting: list[threading.Thread] = []


def import_beside(module: str) -> threading.Thread:
    """Import a module in the thread returned, which starts once Qt's types are made; the window
    stays responsive, as Python's lock changes owner every few milliseconds.

    To be called in the interface's thread.  Who needs the module before it is there imports it by
    name, and waits, or has its exception raised.
    """

    def run() -> None:
        try:
            importlib.import_module(module)
        except Exception:
            log.exception("%s cannot be imported", module)

    thread = threading.Thread(target=run, name="late import", daemon=True)
    _waiting.append(thread)
    if len(_waiting) == 1:
        _go_on()
    return thread


def _go_on() -> None:
    """Make types for a moment; start who waits for them when none is left."""
    end = perf_counter() + _SLICE_S
    while _unmade and perf_counter() < end:
        getattr(*_unmade.pop(), None)
    if _unmade:
        QTimer.singleShot(0, _go_on)
        return
    while _waiting:
        _waiting.pop().start()
