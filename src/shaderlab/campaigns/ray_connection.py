"""The way into a Ray cluster: for measuring (`cluster`), and for `models.laboratory.ray_engine`."""

from __future__ import annotations

import logging
import re
import socket
from importlib import import_module
from types import ModuleType
from typing import Any

from shaderlab import files
from shaderlab.errors import MissingTool, WrongUse
from shaderlab.system import process_group

LOCAL = "local"
"""The address that starts Ray on this machine alone."""
_CONNECT_S = 10.0


def connect(address: str, **more: Any) -> tuple[ModuleType, str]:
    """Connect this process to a cluster, `more` as `ray.init` takes it: Ray, and the address of its
    dashboard, empty without one.

    Raises MissingTool without Ray, WrongUse where no cluster answers.
    """
    ray = _ray()
    _check_answers(address)
    try:
        with process_group.isolated_pythons():
            context = ray.init(
                address=address, log_to_driver=False, logging_level=logging.ERROR, **more
            )
    except (ConnectionError, ValueError, RuntimeError, OSError) as error:
        raise WrongUse(f"no Ray cluster answers at {address}: {str(error)[:200]}") from None
    url = getattr(context, "dashboard_url", None)
    return ray, f"http://{url}" if url else ""


def _check_answers(address: str) -> None:
    """Raise WrongUse at once where nothing listens: Ray itself tries for minutes."""
    named = re.fullmatch(r"(?:ray://)?\[?([^/\]]+)\]?:(\d{1,5})", address)
    if named is None:
        return
    try:
        socket.create_connection((named[1], int(named[2])), timeout=_CONNECT_S).close()
    except (OSError, OverflowError) as error:
        why = files.reason(error) if isinstance(error, OSError) else "no such port"
        raise WrongUse(f"no Ray cluster answers at {address}: {why}") from None


def _ray() -> ModuleType:
    try:
        import_module("ray.exceptions")
        return import_module("ray")
    except ImportError:
        raise MissingTool("using a cluster needs Ray").with_remedy(
            "Install it on every node: pip install 'shaderlab[cluster]'."
        ) from None
