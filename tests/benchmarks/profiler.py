"""How far the profiler can be trusted, by hand: `python tests/benchmarks/profiler.py [DEVICE]`.

For bundled examples at 256x192: how the medians of 20 repeats scatter, in the order of the examples
and shuffled among one another (by the device's clock, and by CPU time, which a busy machine
disturbs less); and the profiler's time per draw against an independent clock, the slope of wall and
CPU time over the number of draws.
"""

from __future__ import annotations

import os
import platform
import random
import statistics
import sys
import time

import numpy as np

from shaderlab.frontend.compiler import load_program
from shaderlab.frontend.examples import examples
from shaderlab.gpu import discovery, drivers
from shaderlab.gpu.uniforms import Uniforms

UNIFORMS = Uniforms((256, 192))
REPEATS = 20
TRIALS = 5
TRIAL_S = 0.05
"""Draws per trial are chosen for about this long."""


def main(wanted: str | None) -> None:
    info = discovery.choose(discovery.discover().devices, wanted)
    drivers.select(info.manifest)
    from shaderlab.gpu.device import Device
    from shaderlab.gpu.profiling import TimedDraws

    print(f"{info.name}, {info.driver}")
    print(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    programs = [load_program(example.path) for example in examples()][::3]
    with Device.open(info) as device:
        timed = {p.name: TimedDraws(device, p, UNIFORMS) for p in programs}
        draws = {name: max(2, min(60, int(TRIAL_S / t.draw_s))) for name, t in timed.items()}

        def repeat(name: str) -> tuple[float, float]:
            trials = [timed[name].trial(draws[name]) for _ in range(TRIALS)]
            return statistics.median(t.gpu_s for t in trials), statistics.median(
                t.cpu_s for t in trials
            )

        in_order = {name: [repeat(name) for _ in range(REPEATS)] for name in timed}
        mixed: dict[str, list[tuple[float, float]]] = {name: [] for name in timed}
        turns = list(timed) * REPEATS
        random.Random(1).shuffle(turns)
        for name in turns:
            mixed[name].append(repeat(name))

        print("20 repeats: half the central 90 % of medians; shift of the median when shuffled")
        print(f"{'':20} {'ms':>8} {'clock':>15} {'CPU':>15}   slope/profile: wall, CPU")
        for name in timed:
            row = f"{name:20} {_median(in_order[name], 0) * 1e3:8.2f}"
            for column in (0, 1):
                row += f" {_spread(in_order[name], column):7.1%}"
                shift = _median(mixed[name], column) / _median(in_order[name], column) - 1
                row += f" {shift:+7.1%}"
            wall, cpu = _slopes(timed[name], draws[name])
            both = in_order[name] + mixed[name]
            row += f"   {wall / _median(both, 0):6.3f} {cpu / _median(both, 1):6.3f}"
            print(row)
        for one in timed.values():
            one.close()


def _median(repeats: list[tuple[float, float]], column: int) -> float:
    return statistics.median(values[column] for values in repeats)


def _spread(repeats: list[tuple[float, float]], column: int) -> float:
    low, high = np.quantile([values[column] for values in repeats], [0.05, 0.95])
    return float(high - low) / 2 / _median(repeats, column)


def _slopes(timed, draws: int) -> tuple[float, float]:
    """Seconds per draw by wall and CPU clock: least squares over four numbers of draws."""
    counts = [max(1, draws * n // 4) for n in (1, 2, 3, 4)]
    rows = []
    for count in counts:
        timed.trial(count)
        walls, cpus = [], []
        for _ in range(REPEATS // 2):
            start = time.perf_counter()
            cpus.append(timed.trial(count).cpu_s * count)
            walls.append(time.perf_counter() - start)
        rows.append((statistics.median(walls), statistics.median(cpus)))
    return tuple(np.polyfit(counts, np.array(rows), 1)[0])


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
