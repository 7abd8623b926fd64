"""Two draws timed in turns, so that what slows the machine for a while slows both alike."""

from __future__ import annotations

import math
import time
from concurrent.futures import Future
from dataclasses import dataclass

import numpy as np

from shaderlab.gpu import drivers
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.scene.draw import Draw
from shaderlab.workers.answering import answering
from shaderlab.workers.supervisor.client import Client

_TRIAL_S = 0.15
"""A trial has as many draws as fit into this, one at least."""
_MOST_DRAWS = 100
_FEWEST, _MOST = 5, 15
"""Turns."""
_SETTLED = 0.005
"""No more turns once the logarithm of the ratio is known so well."""
_START_S, _DEADLINE_S = 60.0, 120.0


@dataclass(frozen=True)
class Compared:
    """Seconds per draw: of a software device processor time."""

    before_s: float
    after_s: float
    uncertainty: float
    """Of the logarithm of their ratio: half the width of a 95 % interval of its median."""


class ComparingServer:
    """Runs in the child.  Vulkan is loaded here and nowhere above."""

    def __init__(self, info: DeviceInfo):
        drivers.select(info.manifest)
        from shaderlab.gpu.vulkan import device, profiling

        self._profiling = profiling
        self._device = device.Device.open(info)

    def compare(self, before: Draw, after: Draw, budget_s: float) -> Compared:
        software = self._device.info.kind == "software"
        timed_draws = self._profiling.TimedDraws
        with timed_draws(self._device, before) as one, timed_draws(self._device, after) as other:
            both = (one, other)
            draws = [draws_of(each.single.gpu_s) for each in both]
            for each, n in zip(both, draws, strict=True):
                each.trial(n)  # not counted: the commands are new
            turns: list[tuple[float, ...]] = []
            end = time.monotonic() + budget_s
            while len(turns) < _MOST and (len(turns) < _FEWEST or time.monotonic() < end):
                trials = [each.trial(n) for each, n in zip(both, draws, strict=True)]
                turns.append(tuple(t.cpu_s if software else t.gpu_s for t in trials))
                if len(turns) >= _FEWEST and uncertainty(turns) < _SETTLED:
                    break
        before_s, after_s = np.median(np.array(turns), axis=0).tolist()
        # The median ratio of a turn, not the ratio of medians: a turn's halves are alike.
        half = math.exp(float(np.median(_logs(turns))) / 2)
        mean_s = math.sqrt(before_s * after_s)
        return Compared(mean_s / half, mean_s * half, uncertainty(turns))


def draws_of(single_s: float) -> int:
    """Of one trial, where one draw takes `single_s`."""
    return min(max(int(_TRIAL_S / max(single_s, 1e-9)), 1), _MOST_DRAWS)


def uncertainty(turns: list[tuple[float, ...]]) -> float:
    """Of the median logarithm of the ratio of turns (two times each): half the width of a 95 %
    interval, from the median distance to it."""
    logs = _logs(turns)
    spread = 1.4826 * float(np.median(np.abs(logs - np.median(logs))))
    return 1.96 * 1.2533 * spread / math.sqrt(len(turns))


def _logs(turns: list[tuple[float, ...]]) -> np.ndarray:
    times = np.log(np.array(turns))
    return times[:, 1] - times[:, 0]


class ComparingWorker(Client[ComparingServer]):
    """A device's child that compares; raises supervision's and `gpu`'s errors."""

    def __init__(self, info: DeviceInfo):
        name = f"worker of {info.name}"
        super().__init__(
            ComparingServer,
            info,
            name=name,
            limits=None,
            start_s=_START_S,
            patient=True,
            device=answering(info),
        )

    def compare(self, before: Draw, after: Draw, budget_s: float) -> Future[Compared]:
        """Time both for about `budget_s` wall seconds."""
        doing = f"timing {after.program.name}"
        return self._request(ComparingServer.compare, _DEADLINE_S, doing)(before, after, budget_s)
