"""The committed data set: times of shaders on several devices, and what their traces came to.

Parquet files in one folder.  `shaders.parquet`, one row per shader: its id, executed instructions
by opcode, priceable operations by kind under each `Execution`, and the context of the additive
model, all at 1024x768.
`untraced.parquet`, the same with every block counted once per pixel (`untraced`);
`static.parquet`, with likely counts (`prediction.static_counts`); `optimized.parquet` and
`compiled.parquet`, of the programs' other forms (`prediction.forms`); `compiled-25.parquet`, of the
published shaders, as the RADV that `packaging/compilers.sh` builds leaves them.
`times.parquet`, one row per shader and device.  No shader's text is in any.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from shaderlab.errors import InvalidModel
from shaderlab.prediction.features.context import CONTEXT
from shaderlab.prediction.features.example import Example
from shaderlab.prediction.features.lane_work import Execution
from shaderlab.prediction.forms import FITTED, Form
from shaderlab.prediction.models.model import CountedShader
from shaderlab.training import tables

SIZE = (1024, 768)
"""Width, height the counts are for, pixels."""
SHADERS, UNTRACED, TIMES = "shaders.parquet", "untraced.parquet", "times.parquet"
STATIC = "static.parquet"
COMPILED_LATER = "compiled-25.parquet"
"""Of compiled programs by Mesa 25 with loops kept, where `FORMS` has Mesa 22.3's."""
FORMS = {form: f"{form}.parquet" for form in FITTED} | {Form.WRITTEN: SHADERS}
"""By form of the programs: the file of their counts."""

_COLUMNS = {execution: execution.value for execution in Execution} | {
    Execution.PREDICATING: "masking"
}
"""By execution: the column of its operations."""
_SHADERS = pa.schema(
    [
        ("id", pa.string()),
        ("executed", pa.map_(pa.string(), pa.int64())),
        *((column, pa.map_(pa.string(), pa.float64())) for column in _COLUMNS.values()),
        ("context", pa.list_(pa.float64())),
        ("reads_undefined", pa.bool_()),
        ("divides_by_zero", pa.bool_()),
    ]
)
_TIMES = pa.schema(
    [
        ("id", pa.string()),
        ("target", pa.string()),
        ("width", pa.int32()),
        ("height", pa.int32()),
        ("time_s", pa.float64()),
        ("pilr_s", pa.float64()),
        ("transformer_s", pa.float64()),
        ("black", pa.bool_()),
    ]
)


@dataclass(frozen=True)
class TimedShader:
    """One shader's time on one device."""

    id: str
    target: str
    """Slug of the device, e.g. `rtx3060`."""
    size: tuple[int, int]
    time_s: float
    """Per draw, mean over trials."""
    pilr_s: float | None
    """What the paper's authors printed as their PILR's prediction; may be negative."""
    transformer_s: float | None
    """Likewise their Transformer's."""
    black: bool | None
    """Whether the picture was all black there; None where unknown."""

    @property
    def full_s(self) -> float:
        """Time at 1024x768; of a smaller picture, as many times as it has fewer pixels.

        Only software devices were timed at a smaller size, whose time grows with the pixels.
        """
        return self.time_s * (SIZE[0] * SIZE[1]) / (self.size[0] * self.size[1])


def write(folder: Path, shaders: Sequence[CountedShader], times: Sequence[TimedShader]) -> None:
    """Write traced counts and times."""
    write_shaders(folder / SHADERS, shaders)
    write_times(folder, times)


def write_times(folder: Path, times: Sequence[TimedShader]) -> None:
    """Write the times; the same data always give the same bytes."""
    rows = [
        {
            "id": each.id,
            "target": each.target,
            "width": each.size[0],
            "height": each.size[1],
            "time_s": each.time_s,
            "pilr_s": each.pilr_s,
            "transformer_s": each.transformer_s,
            "black": each.black,
        }
        for each in sorted(times, key=lambda each: (each.target, each.id))
    ]
    _write(folder / TIMES, rows, _TIMES)


def write_shaders(path: Path, shaders: Sequence[CountedShader]) -> None:
    """Write one file of shaders, whatever their counts come from."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [
        {
            "id": each.id,
            "executed": sorted(each.executed.items()),
            **{
                column: sorted(each.example.spent[execution].items())
                for execution, column in _COLUMNS.items()
            },
            "context": each.example.context.tolist(),
            "reads_undefined": each.reads_uninitialised,
            "divides_by_zero": each.divides_by_zero,
        }
        for each in sorted(shaders, key=lambda each: each.id)
    ]
    _write(path, rows, _SHADERS)


def read(
    folder: Path, counts: str = SHADERS
) -> tuple[dict[str, CountedShader], dict[str, tuple[TimedShader, ...]]]:
    """Shaders by id, and by target the times of those shaders.

    `counts`: which file of shaders, `UNTRACED`, `STATIC` or one of `FORMS`.  Raises
    `InvalidModel` where a file is missing or not of this form.
    """
    shaders = read_shaders(folder / counts)
    times: dict[str, list[TimedShader]] = {}
    for row in tables.read(folder / TIMES, _TIMES, InvalidModel).to_pylist():
        size = (row.pop("width"), row.pop("height"))
        timed = TimedShader(size=size, **row)
        if timed.id in shaders:
            times.setdefault(timed.target, []).append(timed)
    return shaders, {target: tuple(each) for target, each in times.items()}


def read_shaders(path: Path) -> dict[str, CountedShader]:
    """One file of shaders, by id.  Raises `InvalidModel` likewise."""
    shaders = {
        row["id"]: CountedShader(
            row["id"],
            dict(row["executed"]),
            Example(
                {execution: dict(row[column]) for execution, column in _COLUMNS.items()},
                np.array(row["context"], np.float64),
            ),
            row["reads_undefined"],
            row["divides_by_zero"],
        )
        for row in tables.read(path, _SHADERS, InvalidModel).to_pylist()
    }
    for shader in shaders.values():
        if shader.example.context.shape != (len(CONTEXT),):
            raise InvalidModel(f"{path.name}: {shader.id}: not {len(CONTEXT)} context values")
    return shaders


def timed_everywhere(times: Mapping[str, Sequence[TimedShader]]) -> set[str]:
    """Ids of the shaders that every target has a time of."""
    return set.intersection(*({each.id for each in timed} for timed in times.values()))


def _write(path: Path, rows: list[dict], schema: pa.Schema) -> None:
    table = pa.Table.from_pylist(rows, schema)
    pq.write_table(table, path, compression="zstd", compression_level=19)
