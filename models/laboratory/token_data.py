"""Token sequences of many shaders with their counts and times: what ShaderPerFormer is trained on.

One Parquet file, a row per shader.  It holds the shaders in all but name, so it stays where it was
made; `models.recipes.token_data` makes it again from a corpus.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from shaderlab.errors import InvalidDataset
from shaderlab.training import tables
from shaderlab.training.splits import Split, split_of

_SCHEMA = pa.schema(
    [
        pa.field("id", pa.string()),
        pa.field("tokens", pa.list_(pa.int32())),
        pa.field("counts", pa.list_(pa.int64())),
        pa.field("times_s", pa.map_(pa.string(), pa.float64())),
    ]
)


@dataclass(frozen=True)
class TokenizedShader:
    """One shader's sequence, its counts and its times at 1024x768."""

    id: str
    tokens: np.ndarray
    """(n,) int32 (`spirv.tokens`)."""
    counts: np.ndarray
    """(n,) int64 (`prediction.shaderperformer.token_counts`)."""
    times_s: Mapping[str, float]
    """Seconds per draw by target, of the targets it was measured on."""

    @property
    def split(self) -> Split:
        return split_of(self.id)


def write(path: Path, shaders: Iterable[TokenizedShader]) -> None:
    """Write the file; the same shaders always give the same bytes."""
    rows = [
        {
            "id": each.id,
            "tokens": each.tokens,
            "counts": each.counts,
            "times_s": sorted(each.times_s.items()),
        }
        for each in sorted(shaders, key=lambda each: each.id)
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows, _SCHEMA), path, compression="zstd")


def read(path: Path) -> list[TokenizedShader]:
    """All shaders of the file, by id.  Raises `InvalidDataset` where it is not of this form."""
    table = tables.read(path, _SCHEMA, InvalidDataset)
    shaders = []
    for batch in table.to_batches():
        for row in range(batch.num_rows):
            id, tokens, counts, times_s = (batch.column(name)[row] for name in _SCHEMA.names)
            shader = TokenizedShader(
                id.as_py(),
                tokens.values.to_numpy(),
                counts.values.to_numpy(),
                dict(times_s.as_py()),
            )
            if shader.tokens.shape != shader.counts.shape:
                raise InvalidDataset(f"{path.name}: {shader.id}: not one count for each token")
            shaders.append(shader)
    return shaders
