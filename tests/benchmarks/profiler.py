"""How far the profiler can be trusted.  Run by hand:

    python -m tests.benchmarks.profiler --examples 6 --repeats 20

For bundled examples: how the medians of the repeats scatter, one example after the other and
shuffled among one another, and the profiler's time per draw against an independent clock, the slope
of wall time over the number of draws.  On a software device also by CPU time, which a busy machine
disturbs less.  Exit code 1 where a figure misses its mark: repeats and order within 2 %, the slope
within 3 % for shaders over 5 ms.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import statistics
import sys
import time
from contextlib import ExitStack

import numpy as np

from shaderlab.frontend.compiler import load_program
from shaderlab.frontend.examples import examples
from shaderlab.gpu import discovery, drivers
from shaderlab.scene.draw import Draw
from shaderlab.stats import line_through

REPEATABLE = 0.02
LINEAR = 0.03
LINEAR_FROM_S = 5e-3
CLOCKS = ("timestamps", "CPU time")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--device")
    parser.add_argument("--examples", type=int, default=6)
    parser.add_argument("--size", default="1024x768")
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--trials", type=int, default=5, help="of a repeat")
    parser.add_argument("--trial", type=float, default=0.1, help="seconds a trial should take")
    arguments = parser.parse_args()
    width, _, height = arguments.size.partition("x")
    size = (int(width), int(height))
    info = discovery.discover().choose(arguments.device)
    drivers.select(info.manifest)
    from shaderlab.gpu.vulkan.device import Device
    from shaderlab.gpu.vulkan.profiling import TimedDraws

    print(f"{info.name}, {info.driver}")
    print(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    found = examples()
    step = max(1, len(found) // arguments.examples)
    programs = [load_program(example.path) for example in found[::step]][: arguments.examples]
    bench = _Bench(arguments.repeats, arguments.trials)
    with Device.open(info) as device, ExitStack() as stack:
        for program in programs:
            timed = stack.enter_context(TimedDraws(device, Draw.of(program, size)))
            bench.add(
                program.name, timed, max(4, min(60, int(arguments.trial / timed.single.gpu_s)))
            )
        bench.run()
    print(
        f"{arguments.repeats} repeats: half the central 90 % of their medians, the furthest of "
        "them, the shift of the median when shuffled; slope of wall time over draws / profile"
    )
    clocks = (0, 1) if info.kind == "software" else (0,)
    met = [bench.tell(column) for column in clocks]
    judged = met[-1]  # CPU time where cores are shared
    print(f"by {CLOCKS[clocks[-1]]}: {'every figure within its mark' if judged else 'missed'}")
    return int(not judged)


class _Bench:
    """Programs ready to be drawn, and their repeats: (timestamps, CPU) seconds per draw."""

    def __init__(self, repeats: int, trials: int):
        self._repeats, self._trials = repeats, trials
        self._timed: dict[str, object] = {}
        self._draws: dict[str, int] = {}
        self._in_order: dict[str, list[tuple[float, float]]] = {}
        self._mixed: dict[str, list[tuple[float, float]]] = {}
        self._slopes: dict[str, tuple[float, float]] = {}

    def add(self, name: str, timed, draws: int) -> None:
        self._timed[name], self._draws[name] = timed, draws
        self._in_order[name], self._mixed[name] = [], []

    def run(self) -> None:
        for name in self._timed:
            self._in_order[name] = [self._repeat(name) for _ in range(self._repeats)]
        turns = list(self._timed) * self._repeats
        random.Random(1).shuffle(turns)
        for name in turns:
            self._mixed[name].append(self._repeat(name))
        for name in self._timed:
            self._slopes[name] = self._slope(name)

    def _repeat(self, name: str) -> tuple[float, float]:
        timed, draws = self._timed[name], self._draws[name]
        trials = [timed.trial(draws) for _ in range(self._trials)]
        return (
            statistics.median(t.gpu_s for t in trials),
            statistics.median(t.cpu_s for t in trials),
        )

    def _slope(self, name: str) -> tuple[float, float]:
        """Seconds per draw by the wall's clock and by CPU time, over four numbers of draws."""
        timed, draws = self._timed[name], self._draws[name]
        counts = [max(1, draws * n // 4) for n in (1, 2, 3, 4)]
        walls, cpus = [], []
        for count in counts:
            timed.trial(count)
            rows = []
            for _ in range(max(3, self._repeats // 2)):
                start = time.perf_counter()
                cpu = timed.trial(count).cpu_s * count
                rows.append((time.perf_counter() - start, cpu))
            walls.append(statistics.median(wall for wall, _ in rows))
            cpus.append(statistics.median(cpu for _, cpu in rows))
        return line_through(counts, walls).slope_s, line_through(counts, cpus).slope_s

    def tell(self, column: int) -> bool:
        """Print the figures of one clock; whether all are within their marks."""
        met = True
        print(f"{CLOCKS[column]:20} {'ms':>8} {'central':>8} {'furthest':>8} {'shuffled':>8} slope")
        for name in self._timed:
            ordered = np.array([values[column] for values in self._in_order[name]])
            mixed = np.array([values[column] for values in self._mixed[name]])
            median = float(np.median(ordered))
            low, high = np.quantile(ordered, [0.05, 0.95])
            central = float(high - low) / 2 / median
            furthest = float(np.abs(ordered / median - 1).max())
            shift = float(np.median(mixed)) / median - 1
            slope = self._slopes[name][column] / float(np.median(np.concatenate([ordered, mixed])))
            judged = median > LINEAR_FROM_S
            met &= central <= REPEATABLE and abs(shift) <= REPEATABLE
            met &= not judged or abs(slope - 1) <= LINEAR
            print(
                f"{name[:20]:20} {median * 1e3:8.2f} {central:8.1%} {furthest:8.1%} {shift:+8.1%} "
                f"{slope:6.3f}" + ("" if judged else "  (under 5 ms: not judged)")
            )
        return met


if __name__ == "__main__":
    sys.exit(main())
