"""What the start of the window's process puts off until the window is on the screen.

A fifth of the time to the first paint went to what serves nothing in it: numpy and psutil, which
many modules name and no widget needs to be made, and Python's searches for unreachable cycles,
which find none while modules and widgets are only added.
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
    """Stands for a module until something of it is asked for, then answers with the module's."""

    def __getattr__(self, name: str) -> Any:
        with _lock:
            if sys.modules.get(self.__name__) is self:
                del sys.modules[self.__name__]
        module = import_module(self.__name__)  # under Python's own lock
        vars(self).update(vars(module))
        return getattr(module, name)


def begin() -> None:
    """To be called before the window's modules are imported."""
    if getattr(sys, "frozen", False):
        return  # a bundle finds its modules in its own way
    gc.disable()
    for name in _PUT_OFF:
        sys.modules.setdefault(name, _Later(name))


def finish() -> None:
    """Do what was put off; nothing where nothing was."""
    for name in _PUT_OFF:
        if isinstance(module := sys.modules.get(name), _Later):
            _ = module.__file__
    gc.enable()
