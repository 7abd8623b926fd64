"""Modules that are slow to import, loaded in the background."""

from __future__ import annotations

import importlib
import logging
import threading

log = logging.getLogger(__name__)


def import_beside(module: str) -> threading.Thread:
    """Import a module in the thread returned; the window stays responsive, as Python's lock
    changes owner every few milliseconds.

    Who needs it before it is there imports it by name, and waits, or has its exception raised.
    """

    def run() -> None:
        try:
            importlib.import_module(module)
        except Exception:
            log.exception("%s cannot be imported", module)

    thread = threading.Thread(target=run, name="late import", daemon=True)
    thread.start()
    return thread
