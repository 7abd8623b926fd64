"""Program bundles: shaders compiled to SPIR-V in one Parquet file.

A machine measures one with nothing but a Vulkan driver, the `vulkan` package, numpy and pyarrow.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from shaderlab import files
from shaderlab.campaigns.corpus import Shader
from shaderlab.campaigns.preparing import Prepared
from shaderlab.errors import InvalidDataset, NotWritten
from shaderlab.frontend.program import Dialect, Program
from shaderlab.samples import parquet
from shaderlab.samples.recording import Origin
from shaderlab.spirv.module import MAX_BYTES as MAX_MODULE_BYTES

_VERSION = "1"
_GROUP_ROWS = 256
_LEAST_ROW_BYTES = 32
"""In a file: a SHA-256, which does not compress."""
_MOST_ROW_BYTES = 2 * MAX_MODULE_BYTES + (1 << 20)

SCHEMA = pa.schema(
    [
        pa.field("key", pa.string(), nullable=False),
        pa.field("name", pa.string(), nullable=False),
        pa.field("collection", pa.string()),
        pa.field("id", pa.string()),
        pa.field("dialect", pa.string(), nullable=False),
        pa.field("entry_point", pa.string(), nullable=False),
        pa.field("digest", pa.string(), nullable=False),
        pa.field("spirv", pa.binary(), nullable=False),
        pa.field("optimized", pa.binary()),
    ],
    metadata={"shaderlab.bundle": _VERSION},
)


def write(programs: Iterable[tuple[Shader, Prepared]], path: Path) -> int:
    """Write a bundle in the given order, at once or not at all; the number of programs."""
    try:
        with files.replacing(path) as file:
            return parquet.write(_tables(programs), SCHEMA, file, level=3)
    except OSError as error:
        raise NotWritten(f"cannot write {path}: {files.reason(error)}") from None


def _tables(programs: Iterable[tuple[Shader, Prepared]]) -> Iterator[pa.Table]:
    left = iter(programs)
    while group := [_row(*each) for each in islice(left, _GROUP_ROWS)]:
        yield pa.Table.from_pylist(group, SCHEMA)


def _row(shader: Shader, prepared: Prepared) -> dict[str, object]:
    program = prepared.program
    return {
        "key": shader.key,
        "name": shader.name,
        "collection": shader.origin.collection,
        "id": shader.origin.id,
        "dialect": program.dialect.value,
        "entry_point": program.entry_point,
        "digest": program.digest,
        "spirv": program.spirv,
        "optimized": prepared.optimized.spirv if prepared.optimized else None,
    }


def read(path: Path) -> list[Shader]:
    """The programs of a bundle.  Raises InvalidDataset for what is none, or was changed."""
    rows = parquet.rows(path, [SCHEMA], least_bytes=_LEAST_ROW_BYTES, most_bytes=_MOST_ROW_BYTES)
    return [_shader(row, path.name) for row in rows]


def _shader(row: dict[str, Any], name: str) -> Shader:
    spirv, optimized = row["spirv"], row["optimized"]
    if max(len(spirv), len(optimized or b"")) > MAX_MODULE_BYTES:
        raise InvalidDataset(f"{name}: {row['name']!r} is too large a module")
    if hashlib.sha256(spirv).hexdigest() != row["digest"]:
        raise InvalidDataset(f"{name}: {row['name']!r} is not the module its hash names")
    try:
        dialect = Dialect(row["dialect"])
    except ValueError:
        raise InvalidDataset(f"{name}: {row['name']!r} is of an unknown dialect") from None
    program = Program(row["name"], dialect, "", spirv, row["entry_point"])
    origin = Origin(row["collection"], row["id"])
    return Shader(row["name"], row["key"], origin, program=program, optimized=optimized)
