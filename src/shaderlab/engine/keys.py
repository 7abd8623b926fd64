"""What an answer is remembered under: a digest of the question and of all it was given."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from shaderlab import files
from shaderlab.engine.coding import encoded
from shaderlab.errors import WrongUse
from shaderlab.frontend.program import Program
from shaderlab.frontend.source import Source
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.scene.geometry import MeshFile
from shaderlab.scene.textures import ImageFile
from shaderlab.spirv.trace import Trace

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_LARGEST_FILE = 1 << 30
_SETTLED_NS = 2_000_000_000
"""Two changes closer together than this may have the same time."""


class NotPlain(Exception):
    """A value without a canonical form: what follows from it is not remembered."""


def key_of(name: str, given: tuple[object, ...]) -> str | None:
    """SHA-256, hex; equal for equal arguments in every process.  None where one is not plain."""
    return _key(name, given, _identity)


def key_of_code(name: str, given: tuple[object, ...]) -> str | None:
    """The same, where only the code of programs counts: not their names, lines and comments."""
    return _key(name, given, _code)


def _key(
    name: str, given: tuple[object, ...], of: Callable[[Program | Source], object]
) -> str | None:
    try:
        text = repr((name, *(_plain(each, of) for each in given)))
    except (NotPlain, WrongUse):  # or a file that cannot be read now
        return None
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def file_digest(path: Path) -> str:
    """SHA-256, hex, of a file's contents, read again where it has changed; empty without one."""
    with suppress(OSError, ValueError, WrongUse):
        status = path.stat()
        of = path, status.st_mtime_ns, status.st_size, status.st_ino
        settled = time.time_ns() - status.st_mtime_ns > _SETTLED_NS
        return _digest(*of) if settled else _digest.__wrapped__(*of)
    return ""


@lru_cache(256)
def _digest(path: Path, *_status: int) -> str:
    with files.open_regular(path, _LARGEST_FILE) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _identity(program: Program | Source) -> object:
    if isinstance(program, Source):
        return program.as_read, program.module_digest
    bound = program.binds_as
    return (
        program.digest,
        program.name,
        program.entry_point,
        program.dialect.value,
        program.stage.value,
        program.given,
        program.made_by,
        program.left_out,
        program.is_part,
        program.origin_upper_left,
        bound and bound.digest,
    )


def _code(program: Program | Source) -> object:
    if isinstance(program, Source):
        if not program.fingerprint:
            raise NotPlain(program.name)
        return program.fingerprint
    return program.fingerprint, program.entry_point, program.stage.value, program.given


def _plain(value: object, of: Callable[[Program | Source], object]) -> object:
    """Nested tuples with the same `repr` for equal values.  Raises NotPlain, WrongUse."""
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Program | Source):
        return (type(value).__name__, _plain(of(value), of))
    if is_dataclass(value) and not isinstance(value, type):
        return _noun(value, of)
    if isinstance(value, Mapping):
        return tuple(sorted((repr(_plain(k, of)), _plain(v, of)) for k, v in value.items()))
    if isinstance(value, frozenset):
        return tuple(sorted(repr(_plain(each, of)) for each in value))
    if isinstance(value, tuple | list):
        return tuple(_plain(each, of) for each in value)
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, bytes):
        return hashlib.sha256(value).hexdigest()
    raise NotPlain(type(value).__name__)


def _noun(value: DataclassInstance, of: Callable[[Program | Source], object]) -> object:
    if isinstance(value, Trace):
        return hashlib.sha256(encoded(value)).hexdigest()
    if isinstance(value, DeviceInfo):
        return ("DeviceInfo", value.slug, value.name, value.driver)
    parts = {each.name: getattr(value, each.name) for each in fields(value) if each.compare}
    if isinstance(value, ImageFile | MeshFile):  # its contents, not where and since when
        del parts["path"], parts["stamp"]
        parts["contents"] = file_digest(value.path)
        if not parts["contents"]:
            raise NotPlain(str(value.path))
    return (type(value).__name__, *((name, _plain(each, of)) for name, each in parts.items()))
