"""Which tool chain this process uses."""

from __future__ import annotations

import logging
import os

from shaderlab.errors import MissingTool
from shaderlab.frontend.toolchain.interface import Toolchain
from shaderlab.frontend.toolchain.libraries import Libraries
from shaderlab.frontend.toolchain.programs import Programs

log = logging.getLogger(__name__)

VARIABLE = "SHADERLAB_COMPILERS"
"""Environment variable; `programs` asks for those on PATH instead of the pinned libraries."""

_in_use: Toolchain | None = None


def toolchain() -> Toolchain:
    """What the front end of this process calls, chosen at the first call.

    Where it is the libraries, a text or module that makes one of them crash, take all memory or
    run on does so to this process: call it in children of a supervisor, not in the window's.
    """
    global _in_use
    if _in_use is None:
        _in_use = chosen()
    return _in_use


def use(other: Toolchain) -> None:
    """Call `other` from here on."""
    global _in_use
    _in_use = other


def chosen() -> Toolchain:
    """The libraries, unless they are missing or the environment asks for programs."""
    if os.environ.get(VARIABLE) == "programs":
        return Programs()
    try:
        return Libraries()
    except MissingTool as error:
        log.info("%s; running glslang and SPIRV-Tools as programs", error)
        return Programs()


def named_versions() -> tuple[str, ...]:
    """`glslang 13.1.1, library` and its like, of what `chosen` chooses."""
    return tuple(f"{name} {version}" for name, version in sorted(chosen().versions().items()))
