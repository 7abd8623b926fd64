"""Times of a campaign's data set, in the form of the data set that models are fitted to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from shaderlab.errors import InvalidModel
from shaderlab.training.shader_data import TimedShader

FEWEST = 30
"""Shaders two campaigns on a device must share for the one's clock to be told by the other's."""


def files(folder: Path) -> list[Path]:
    """The campaigns' data sets in a folder, `x` ahead of `x-second`."""
    return sorted(folder.glob("*.parquet"), key=lambda path: path.stem)


def united(campaigns: Iterable[Path]) -> list[TimedShader]:
    """The times of several campaigns, one of each shader and device.

    A software device is as fast as the machine under it, which differs from campaign to campaign.
    A later campaign's times are brought to the first one's of the same device by the line through
    the logarithms of what both timed; a shader that several timed gets the geometric mean.  Raises
    `InvalidModel` where `read` does, and where two campaigns share fewer than `FEWEST` shaders.
    """
    by_device: dict[str, dict[str, list[TimedShader]]] = {}
    for path in campaigns:
        devices: dict[str, list[TimedShader]] = {}
        for each in read(path):
            devices.setdefault(each.target, []).append(each)
        for device, timed in devices.items():
            known = by_device.setdefault(device, {})
            if known:
                timed = _brought(timed, {i: first for i, (first, *_) in known.items()}, path.name)
            for each in timed:
                known.setdefault(each.id, []).append(each)
    return [_mean(timed) for known in by_device.values() for timed in known.values()]


def _brought(
    timed: Sequence[TimedShader], first: dict[str, TimedShader], name: str
) -> list[TimedShader]:
    """`timed` as the machine of the first campaign would have timed them."""
    pairs = [(each.time_s, first[each.id].time_s) for each in timed if each.id in first]
    if len(pairs) < FEWEST:
        raise InvalidModel(
            f"{name}: shares {len(pairs)} shaders with an earlier campaign on the device, "
            f"{FEWEST} are needed to compare the machines"
        )
    here, there = np.log(pairs).T
    slope, shift = np.polyfit(here, there, 1)
    return [
        replace(each, time_s=float(np.exp(shift + slope * np.log(each.time_s)))) for each in timed
    ]


def _mean(timed: Sequence[TimedShader]) -> TimedShader:
    return replace(timed[0], time_s=float(np.exp(np.mean([np.log(t.time_s) for t in timed]))))


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
