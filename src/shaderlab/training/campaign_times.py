"""Times of a campaign's data set, in the form of the data set that models are fitted to."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from shaderlab.errors import InvalidModel
from shaderlab.training.shader_data import TimedShader


def read(path: Path) -> list[TimedShader]:
    """Each row's shader and time, at whatever size, of the canonical instant (design §3).

    `path`: Parquet as `shaderlab dataset export` writes it.  Raises `InvalidModel` where it is
    missing or of another form.
    """
    try:
        rows = pq.read_table(path, columns=["program", "device", "inputs", "timing", "picture"])
    except (OSError, pa.ArrowException) as error:
        raise InvalidModel(f"{path.name}: {str(error).splitlines()[0]}") from None
    return [
        TimedShader(
            row["program"]["id"],
            row["device"]["slug"],
            (row["inputs"]["width"], row["inputs"]["height"]),
            row["timing"]["time_s"],
            None,
            None,
            row["picture"] == "black",
        )
        for row in rows.to_pylist()
        if (row["inputs"]["time_s"], row["inputs"]["frame"]) == (1.0, 1)
    ]
