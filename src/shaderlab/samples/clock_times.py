"""Times of one program at the clocks that its samples name."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from shaderlab.errors import WrongUse
from shaderlab.gpu import clocks
from shaderlab.samples import exchange


def clock_points(path: Path, digest: str) -> dict[float, float]:
    """Median seconds of a program by clock, MHz, in a data set or store.

    Raises WrongUse where several devices have it, and InvalidDataset.
    """
    found: dict[float, list[float]] = {}
    devices: set[str] = set()
    for sample in exchange.accepted(path):
        clock = clocks.mhz(sample.device.clocks)
        if sample.program.digest == digest and clock is not None:
            found.setdefault(float(clock), []).append(sample.timing.time_s)
            devices.add(sample.device.slug)
    if len(devices) > 1:
        raise WrongUse(
            f"{path.name} has the shader on several devices ({', '.join(sorted(devices))}): "
            "give samples of one"
        )
    return {clock: float(np.median(times)) for clock, times in found.items()}
