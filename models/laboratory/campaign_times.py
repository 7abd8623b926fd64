"""Times of a campaign's data set, in the form of the data set that models are fitted to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from shaderlab.campaigns.balance import FEWEST_SHARED
from shaderlab.errors import InvalidModel
from shaderlab.training.shader_data import TimedShader

STEADIEST = 0.03
"""Trials of one visit scatter by as much, so no visit is better."""

_DEVIATION_OF_MEDIAN = 1.4826
"""Standard deviation over the median distance from the mean, of what scatters normally."""


def files(folder: Path) -> list[Path]:
    """The campaigns' data sets in a folder, `x` before `x-second`."""
    return sorted(folder.glob("*.parquet"), key=lambda path: path.stem)


def united(campaigns: Iterable[Path]) -> list[TimedShader]:
    """The times of several campaigns, one of each shader and device.

    On the first campaign's clock (`on_one_clock`); a shader that several timed gets their weighted
    geometric mean, the steadier campaign's counting for more (`noises`).  Raises as `on_one_clock`.
    """
    by_device = on_one_clock(campaigns)
    return [each for visits in by_device.values() for each in _means(list(visits.values()))]


def on_one_clock(campaigns: Iterable[Path]) -> dict[str, dict[str, dict[str, TimedShader]]]:
    """By device and name of the campaign, as given: times by shader.

    A software device is as fast as the machine under it, which differs from campaign to campaign
    and drifts within one.  A later campaign's times are converted to the first one's of the same
    device by the line through the logarithms of what both timed.  Raises `InvalidModel` where
    `read` does, and where two campaigns share fewer than `FEWEST_SHARED` shaders.
    """
    by_device: dict[str, dict[str, dict[str, TimedShader]]] = {}
    for path in campaigns:
        devices: dict[str, dict[str, TimedShader]] = {}
        for each in read(path):
            devices.setdefault(each.target, {})[each.id] = each
        for device, timed in devices.items():
            before = by_device.setdefault(device, {})
            known = _first_of(list(before.values()))
            before[path.stem] = _brought(timed, known, path.name) if before else timed
    return by_device


def noises(visits: Sequence[Mapping[str, float]]) -> list[float]:
    """How far each campaign's times scatter: standard deviations of logarithms on one clock.

    From how far every two disagree on shaders in both: the squares of two scatters add up to that
    of the difference (least squares; two campaigns alone share it evenly).  None is taken for
    better than `STEADIEST`.
    """
    rows, squares = [], []
    for (a, one), (b, other) in combinations(enumerate(visits), 2):
        apart = [abs(one[each] - other[each]) for each in one.keys() & other.keys()]
        if len(apart) >= FEWEST_SHARED:
            rows.append([float(n in (a, b)) for n in range(len(visits))])
            squares.append((_DEVIATION_OF_MEDIAN * float(np.median(apart))) ** 2)
    if not rows:
        return [STEADIEST] * len(visits)
    found, *_ = np.linalg.lstsq(np.array(rows), np.array(squares), rcond=None)
    return np.sqrt(np.maximum(found, STEADIEST**2)).tolist()


def _first_of(visits: Sequence[Mapping[str, TimedShader]]) -> dict[str, TimedShader]:
    """By shader: its time by the first campaign that has it."""
    return {shader_id: each for visit in reversed(visits) for shader_id, each in visit.items()}


def _brought(
    timed: Mapping[str, TimedShader], known: Mapping[str, TimedShader], name: str
) -> dict[str, TimedShader]:
    """`timed` as the machine of the first campaign would have timed them."""
    pairs = [(each.time_s, known[each.id].time_s) for each in timed.values() if each.id in known]
    if len(pairs) < FEWEST_SHARED:
        raise InvalidModel(
            f"{name}: shares {len(pairs)} shaders with an earlier campaign on the device, "
            f"{FEWEST_SHARED} are needed to compare the machines"
        )
    here, there = np.log(pairs).T
    slope, shift = np.polyfit(here, there, 1)
    return {
        each.id: replace(each, time_s=float(np.exp(shift + slope * np.log(each.time_s))))
        for each in timed.values()
    }


def _means(visits: Sequence[Mapping[str, TimedShader]]) -> Iterator[TimedShader]:
    logs = [{each.id: float(np.log(each.time_s)) for each in visit.values()} for visit in visits]
    weights = [noise**-2 for noise in noises(logs)]
    for shader_id in sorted(set().union(*visits)):
        having = [n for n, visit in enumerate(visits) if shader_id in visit]
        mean = np.average(
            [logs[n][shader_id] for n in having], weights=[weights[n] for n in having]
        )
        yield replace(visits[having[0]][shader_id], time_s=float(np.exp(mean)))


def read(path: Path) -> list[TimedShader]:
    """Each row's shader and time, at whatever size, of the canonical instant.

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
