"""Predictions kept as data: of methods that need more than the committed counts to predict again.

One Parquet file per method in `datasets/predictions/`, named after it, a row per shader and target.
The file's metadata say by which command and from what it was made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from shaderlab import locations
from shaderlab.errors import InvalidModel
from shaderlab.training import tables

_SCHEMA = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("target", pa.string(), nullable=False),
        pa.field("time_s", pa.float64(), nullable=False),
    ]
)
_ORIGIN = ("made_by", "about")


@dataclass(frozen=True)
class Record:
    """One method's prediction of one shader on one target."""

    id: str
    target: str
    time_s: float


def folder() -> Path:
    """Where the committed ones are."""
    return locations.models() / "datasets" / "predictions"


def write(path: Path, records: Iterable[Record], *, made_by: str, about: str) -> None:
    """Write one method's predictions; the file's stem is the method's name.

    `made_by`: the command that makes the file again.  `about`: one sentence, which model and what
    it was trained on.  The same records always give the same bytes.
    """
    rows = [
        {"id": each.id, "target": each.target, "time_s": each.time_s}
        for each in sorted(records, key=lambda each: (each.target, each.id))
    ]
    table = pa.Table.from_pylist(rows, _SCHEMA)
    table = table.replace_schema_metadata(dict(zip(_ORIGIN, (made_by, about), strict=True)))
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path, compression="zstd", compression_level=19)


def files(where: Path | None = None) -> list[Path]:
    """One per method, by name; the committed ones by default."""
    return sorted((where or folder()).glob("*.parquet"))


def read(where: Path | None = None) -> Mapping[tuple[str, str], Mapping[str, float]]:
    """Predicted seconds by shader id, by target and method, of all files in a folder.

    The committed ones by default.  Raises `InvalidModel` where a file is not of this form.
    """
    found: dict[tuple[str, str], dict[str, float]] = {}
    for path in files(where):
        for row in tables.read(path, _SCHEMA, InvalidModel).to_pylist():
            found.setdefault((row["target"], path.stem), {})[row["id"]] = row["time_s"]
    return found


def origin(path: Path) -> tuple[str, str]:
    """The command that made a file, and what the predictions are.  Raises `InvalidModel`."""
    metadata = tables.read(path, _SCHEMA, InvalidModel).schema.metadata or {}
    try:
        made_by, about = (metadata[name.encode()].decode() for name in _ORIGIN)
    except KeyError:
        raise InvalidModel(f"{path.name}: does not say how it was made") from None
    return made_by, about
