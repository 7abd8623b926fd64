"""What the window's process puts off until the window is on screen.

A fifth of the time to the first paint went to work that it does not need: importing numpy and
psutil, which many modules import but no widget needs at first, and searches for unreachable cycles
by Python's garbage collector, which find none while modules and widgets are only added (later the
interface thread makes them: `system.heap.CycleSearch`).
"""

from __future__ import annotations

import gc
import sys
from importlib import import_module
from threading import Lock
from types import ModuleType
from typing import Any

_PUT_OFF = ("numpy", "psutil")
_lock = Lock()


class _Later(ModuleType):
    """Stands in for a module, which is imported once an attribute of it is read."""

    def __getattr__(self, name: str) -> Any:
        with _lock:
            if sys.modules.get(self.__name__) is self:
                del sys.modules[self.__name__]
        module = import_module(self.__name__)  # under Python's own lock
        vars(self).update(vars(module))
        return getattr(module, name)


def begin() -> None:
    """To be called before the window's modules are imported."""
    gc.disable()
    for name in _PUT_OFF:
        sys.modules.setdefault(name, _Later(name))


def finish() -> None:
    """Do what was put off, if anything."""
    for name in _PUT_OFF:
        if isinstance(module := sys.modules.get(name), _Later):
            _ = module.__file__
