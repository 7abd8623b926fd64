"""A table beside the models, read once for each state of its file."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from shaderlab import files
from shaderlab.errors import InvalidModel, WrongUse

_T = TypeVar("_T")


def read(path: Path, parse: Callable[[bytes], _T], most_bytes: int) -> _T | None:
    """What `parse` makes of a file; None where there is none.  Raises `InvalidModel`."""
    try:
        status = path.stat()
    except OSError:
        return None
    return _read(path, parse, most_bytes, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=8)
def _read(
    path: Path, parse: Callable[[bytes], Any], most_bytes: int, _changed_ns: int, _size: int
) -> Any:
    try:
        return parse(files.read_bytes(path, most_bytes))
    except WrongUse as error:
        raise InvalidModel(str(error)) from None
