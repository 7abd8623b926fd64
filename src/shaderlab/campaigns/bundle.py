"""Program bundles: shaders compiled to SPIR-V in one Parquet file.

A machine measures one with nothing but a Vulkan driver, the `vulkan` package, numpy and pyarrow.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from shaderlab.campaigns.corpus import Shader
from shaderlab.campaigns.preparing import Prepared
from shaderlab.errors import InvalidDataset, ShaderlabError
from shaderlab.frontend.program import Dialect, Program
from shaderlab.samples.recording import Origin
from shaderlab.spirv.module import MAX_BYTES as MAX_MODULE_BYTES

_VERSION = "1"
_GROUP_ROWS = 256
_MAX_ROW_GROUP_BYTES = 2 << 30

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
    temporary = path.with_name(f"{path.name}.part")
    written = 0
    try:
        with pq.ParquetWriter(temporary, SCHEMA, compression="zstd") as writer:
            group: list[dict] = []
            for shader, prepared in programs:
                group.append(_row(shader, prepared))
                if len(group) == _GROUP_ROWS:
                    writer.write_table(pa.Table.from_pylist(group, SCHEMA))
                    written += len(group)
                    group = []
            writer.write_table(pa.Table.from_pylist(group, SCHEMA))
            written += len(group)
        os.replace(temporary, path)
    except OSError as error:
        raise InvalidDataset(f"cannot write {path}: {error.strerror or error}") from None
    finally:
        temporary.unlink(missing_ok=True)
    return written


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
    try:
        with pq.ParquetFile(path) as file:
            metadata = file.schema_arrow.metadata or {}
            if metadata.get(b"shaderlab.bundle") != _VERSION.encode():
                raise InvalidDataset(f"{path.name}: is no program bundle of version {_VERSION}")
            if not file.schema_arrow.equals(SCHEMA):
                raise InvalidDataset(f"{path.name}: its columns are not those of a bundle")
            for number in range(file.metadata.num_row_groups):
                if not 0 <= file.metadata.row_group(number).total_byte_size <= _MAX_ROW_GROUP_BYTES:
                    raise InvalidDataset(f"{path.name}: row group {number} is too large")
            return list(_shaders(file, path.name))
    except ShaderlabError:
        raise
    except (pa.ArrowException, OSError, ValueError, KeyError, MemoryError) as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise InvalidDataset(f"{path.name}: {lines[0][:200]}") from None


def _shaders(file: pq.ParquetFile, name: str) -> Iterator[Shader]:
    for batch in file.iter_batches(batch_size=_GROUP_ROWS):
        batch.validate(full=True)
        for row in batch.to_pylist():
            spirv, optimized = row["spirv"], row["optimized"]
            if max(len(spirv), len(optimized or b"")) > MAX_MODULE_BYTES:
                raise InvalidDataset(f"{name}: {row['name']!r} is too large a module")
            if hashlib.sha256(spirv).hexdigest() != row["digest"]:
                raise InvalidDataset(f"{name}: {row['name']!r} is not the module its hash names")
            program = Program(row["name"], Dialect(row["dialect"]), "", spirv, row["entry_point"])
            origin = Origin(row["collection"], row["id"])
            yield Shader(row["name"], row["key"], origin, program=program, optimized=optimized)
