"""What kernels wait for on an H200, and how far off their forecasts are.

python -m tests.benchmarks.compute_waits [--most N]

The kernels of `tests/kernels` at the sizes of `h200-others.json`, counted on llvmpipe.  Those that
use atomics have a lower bound and are left out.  A load's and a barrier's wait are fitted to the
kernels whose data the GPU's caches hold; each kernel is also judged by a fit to the others.  The
launch is as shipped.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from models.recipes import shared
from shaderlab.prediction.catalogue.targets import catalogue
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.forecasts import compute_work
from shaderlab.prediction.forecasts.predict import predict
from shaderlab.scene.launch import MOST_GROUPS
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.discovery import discover
from tests import kernels

TIMES = shared.DATA_SETS / "gpus" / "h200-others.json"
CACHED = 40e6
"""Bytes that the H200's 50 MiB of cache hold."""


class Row(NamedTuple):
    kernel: str
    measured_s: float
    low_s: float
    time_s: float
    high_s: float
    busy_s: float
    """Arithmetic and memory alone."""
    loads: float
    barriers: float
    nbytes: float


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--most", type=int, default=1 << 16, help="elements")
    options = parser.parse_args()
    times = json.loads(TIMES.read_text(encoding="utf-8"))
    rows = []
    with (
        closing(DeviceWorker(discover().result().choose("llvmpipe"))) as device,
        tempfile.TemporaryDirectory() as folder,
    ):
        for name in kernels.KERNELS:
            for n in (1 << 12, 1 << 14, 1 << 16, 1 << 18):
                found = times.get(f"{name} {n}") or times["kernels 65536"].get(name)
                groups = kernels.KERNELS[name](n).groups
                if found is None or n > options.most or groups > MOST_GROUPS:
                    continue
                draw = kernels.draw(name, kernels.KERNELS[name](n), Path(folder))
                traced = TracedProgram(draw.program, device.trace(draw).result())
                row = _row(name, found["time_s"], traced)
                if row is not None:
                    rows.append(row)
                    print(name, n, f"{row.measured_s:.3g} {row.time_s:.3g}", flush=True)
    measured = np.array([row.measured_s for row in rows])
    shown = np.array([row.time_s for row in rows])
    inside = [row.low_s <= row.measured_s <= row.high_s for row in rows]
    _print("as shipped", shown, measured)
    print(f"  in the band {np.mean(inside):.2f}")
    busy = np.array([row.busy_s for row in rows])
    _print("without waits", compute_work._LAUNCH_S + busy, measured)
    out = np.empty(len(rows))
    for name in dict.fromkeys(row.kernel for row in rows):
        rest = [row for row in rows if row.kernel != name]
        prices = _prices(rest)
        for at, row in enumerate(rows):
            if row.kernel == name:
                out[at] = _time_s(row, prices)
    _print("each kernel by a fit to the others", out, measured)
    load_s, barrier_s = _prices(rows)
    print(f"fitted to all: {load_s:.3g} s a load, {barrier_s:.3g} s a barrier")


def _row(name: str, measured_s: float, traced: TracedProgram) -> Row | None:
    """None for a kernel that has no time."""
    (target,) = catalogue().choose(["h200"])
    (found,) = predict(traced.program, traced.trace, targets=["h200"])
    cost, rates = target.stage_cost(traced), compute_work.published("h200", computes=True)
    if found.time_s is None or cost is None or rates is None:
        return None
    nbytes = compute_work._BYTES * traced.memory.total.buffer
    busy_s = np.hypot(compute_work._on_all_units("h200", cost).time_s, nbytes / rates.bytes_per_s)
    loads, barriers = (sum(each.values()) for each in (traced.waits.loads, traced.waits.barriers))
    return Row(name, measured_s, *found.interval_s, float(busy_s), loads, barriers, nbytes)


def _time_s(row: Row, prices: np.ndarray) -> float:
    waited_s = row.loads * prices[0] + row.barriers * prices[1]
    return float(compute_work._LAUNCH_S + np.hypot(row.busy_s, waited_s))


def _prices(rows: list[Row]) -> np.ndarray:
    """Seconds of a load and of a barrier: Huber loss of log time."""
    chosen = [row for row in rows if row.nbytes < CACHED]

    def loss(logs: np.ndarray) -> float:
        off = [abs(np.log(_time_s(row, np.exp(logs)) / row.measured_s)) for row in chosen]
        return sum(e**2 / 0.6 if e < 0.3 else e - 0.15 for e in off)

    return np.exp(minimize(loss, np.log([9e-8, 4e-8]), method="Nelder-Mead").x)


def _print(what: str, time_s: np.ndarray, measured_s: np.ndarray) -> None:
    errors, ratios = np.abs(time_s / measured_s - 1), measured_s / time_s
    print(
        f"{what}: mean {errors.mean():.3f}, median {np.median(errors):.3f}, within 20 % "
        f"{(errors <= 0.2).mean():.2f} (n {len(errors)}); measured over predicted "
        f"{ratios.min():.2f} to {ratios.max():.1f}"
    )


if __name__ == "__main__":
    main()
