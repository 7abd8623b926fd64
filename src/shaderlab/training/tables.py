"""Parquet files of one schema, read as data that may be another program's."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from shaderlab.errors import ShaderlabError


def read(path: Path, schema: pa.Schema, refusal: type[ShaderlabError]) -> pa.Table:
    """The table.  Raises `refusal` where the file cannot be read or has other columns."""
    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowException) as error:
        raise refusal(f"{path.name}: {str(error).splitlines()[0]}") from None
    if not table.schema.equals(schema):
        raise refusal(f"{path.name}: its columns are not {', '.join(schema.names)}")
    return table
