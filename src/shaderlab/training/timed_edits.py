"""Edits of shaders, timed before and after: what forecasts of changes are judged on.

Parquet files in one folder, without any shader's text.  `edits.parquet`: which edit of which
shader, and both times.  `shaders.parquet`, `optimized.parquet` and `compiled.parquet`: what the
edited programs executed, in the form of the model samples, where the shaders before the edit are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from shaderlab.errors import InvalidModel
from shaderlab.training import tables

TABLE = "edits.parquet"

_SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("edit", pa.string()),
        ("target", pa.string()),
        ("before_s", pa.float64()),
        ("after_s", pa.float64()),
        ("uncertainty", pa.float64()),
    ]
)


@dataclass(frozen=True)
class TimedEdit:
    """One edit of one shader, timed in turns with the shader as it was."""

    id: str
    """Of the shader before the edit."""
    edit: str
    """`models.laboratory.edits.Edit`."""
    target: str
    """Slug of the device."""
    before_s: float
    after_s: float
    """Per draw; of a software device processor time, at 512x384."""
    uncertainty: float
    """Of `change`: half a 95 % interval."""

    @property
    def edited_id(self) -> str:
        """Of the shader after it, in the files of counts."""
        return edited_id(self.id, self.edit)

    @property
    def change(self) -> float:
        """Logarithm of the time after over the time before."""
        return float(np.log(self.after_s / self.before_s))


def edited_id(shader_id: str, edit: str) -> str:
    return f"{shader_id} {edit}"


def write(folder: Path, edits: Iterable[TimedEdit]) -> None:
    """Write the times; the same data always give the same bytes."""
    rows = [asdict(each) for each in sorted(edits, key=lambda e: (e.target, e.id, e.edit))]
    folder.mkdir(parents=True, exist_ok=True)
    table = pa.Table.from_pylist(rows, _SCHEMA)
    pq.write_table(table, folder / TABLE, compression="zstd", compression_level=19)


def read(folder: Path) -> list[TimedEdit]:
    """Raises `InvalidModel` where the file is missing or not of this form."""
    rows = tables.read(folder / TABLE, _SCHEMA, InvalidModel).to_pylist()
    return [TimedEdit(**row) for row in rows]
