"""Pairs of shaders that share most of their lines: what their authors changed, a developer might.

`forks.parquet` has their ids and how much they share, no text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from shaderlab.errors import InvalidModel
from shaderlab.training import tables

TABLE = "forks.parquet"
MOST = 0.5
"""Of the longer one's different lines, more than this are the other's too."""
_LEAST_LINES, _SHORTEST = 5, 4
"""Lines a fork shares at least, and characters of a line that says anything."""

_SCHEMA = pa.schema([("before", pa.string()), ("after", pa.string()), ("shared", pa.float32())])


@dataclass(frozen=True)
class Fork:
    """Ids in alphabetical order: which was first does not matter."""

    before: str
    after: str
    shared: float
    """Share of the longer one's lines."""


def find(texts: Mapping[str, str]) -> Iterator[Fork]:
    """All pairs among these texts by id, ordered."""
    lines = {shader_id: _lines(texts[shader_id]) for shader_id in sorted(texts)}
    for before, after in combinations(lines, 2):
        longer = max(len(lines[before]), len(lines[after]))
        common = len(lines[before] & lines[after])
        if common >= _LEAST_LINES and common > MOST * longer:
            yield Fork(before, after, round(common / longer, 4))


def _lines(text: str) -> frozenset[str]:
    squeezed = (" ".join(line.split()) for line in text.splitlines())
    return frozenset(line for line in squeezed if len(line) >= _SHORTEST)


def write(folder: Path, forks: Iterable[Fork]) -> None:
    """Write what `read` reads; the same forks always give the same bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = pa.Table.from_pylist([asdict(each) for each in forks], _SCHEMA)
    pq.write_table(rows, folder / TABLE, compression="zstd", compression_level=19)


def read(folder: Path) -> list[Fork]:
    """Raises `InvalidModel` where the file is missing or not of this form."""
    rows = tables.read(folder / TABLE, _SCHEMA, InvalidModel).to_pylist()
    return [Fork(**row) for row in rows]
