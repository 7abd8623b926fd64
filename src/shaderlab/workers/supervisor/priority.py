"""Servers that yield: what they do is for later, what others do is for now."""

from __future__ import annotations

import contextlib
import importlib
import os
from typing import Any

NICE = 10
"""What nice(1) adds by default: about a tenth of the weight of a process that is not nice."""


def server(name: str, arguments: tuple[Any, ...], low: bool) -> tuple[str, tuple[Any, ...]]:
    """What a supervisor runs for the server `module:Class`: itself, or `lowered` with it."""
    return (
        ("shaderlab.workers.supervisor.priority:lowered", (name, arguments))
        if low
        else (name, arguments)
    )


def lowered(name: str, arguments: tuple[Any, ...]) -> object:
    """Runs in the child: the server `module:Class(*arguments)`, with all the threads it makes."""
    with contextlib.suppress(OSError, AttributeError):  # not on every system
        os.nice(NICE)
    module, _, kind = name.partition(":")
    return getattr(importlib.import_module(module), kind)(*arguments)
