"""Do a software device's times hold on a loaded machine?  Run by hand:

    python -m tests.benchmarks.timing_under_load CORPUS --shaders 100 --burners 4 [--store STORE]

Measures each shader in turns with the machine as it is and beside busy processes, which are stopped
and continued.  Prints how the two agree for several estimates of the CPU time per draw (median,
lower quartile and minimum of the trials), for the timestamps, and for the instructions executed,
which tell whether it was the same work.  With STORE, also how the median agrees with what a
campaign recorded there.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import signal
import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np

from shaderlab.campaigns import corpus
from shaderlab.campaigns.preparing import Preparation
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.program import Program
from shaderlab.gpu import drivers
from shaderlab.gpu.discovery import discover
from shaderlab.locations import resources
from shaderlab.samples import exchange
from shaderlab.scene.draw import Draw
from tests.benchmarks.instruction_counter import InstructionCounter

SEED = 20240105
STATES = ("without", "beside")
ESTIMATES = {
    "CPU time, median": lambda t: np.median(t[:, 0]),
    "CPU time, lower quartile": lambda t: np.quantile(t[:, 0], 0.25),
    "CPU time, minimum": lambda t: t[:, 0].min(),
    "timestamps, median": lambda t: np.median(t[:, 1]),
    "cycles, median": lambda t: np.median(t[:, 2]),
    "instructions, median": lambda t: np.median(t[:, 3]),
}
_SLOWEST_S = 0.5
_SETTLE_S = 0.05


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpus", type=Path, nargs="?", default=resources() / "examples")
    parser.add_argument("--shaders", type=int, default=100)
    parser.add_argument("--burners", type=int, default=4)
    parser.add_argument("--device", default="llvmpipe")
    parser.add_argument("--size", default="512x384")
    parser.add_argument("--trial", type=float, default=0.03, help="seconds a trial should take")
    parser.add_argument("--trials", type=int, default=10, help="per round")
    parser.add_argument("--rounds", type=int, default=2, help="with and without, per shader")
    parser.add_argument("--store", type=Path, help="of a campaign over the same corpus")
    arguments = parser.parse_args()
    width, _, height = arguments.size.partition("x")
    size = (int(width), int(height))
    recorded = {}
    if arguments.store:
        recorded = {
            s.program.digest: s.timing.median_s
            for s in exchange.accepted(arguments.store)
            if (s.inputs.width, s.inputs.height) == size and s.timing.clock == "cpu"
        }
    programs = _programs(arguments.corpus, arguments.shaders, recorded)
    info = discover().choose(arguments.device)
    print(f"{info.name}; load before {os.getloadavg()[0]:.1f}")
    found: dict[str, dict[str, np.ndarray]] = {}
    with closing(_Burners(arguments.burners)) as burners:
        try:
            counter = InstructionCounter()
        except OSError as error:
            counter = None
            print(f"no instructions counted: {error.strerror}")
        drivers.select(info.manifest)
        from shaderlab.gpu.vulkan.device import Device
        from shaderlab.gpu.vulkan.profiling import TimedDraws

        with Device.open(info) as device:
            for program in programs:
                try:
                    with TimedDraws(device, Draw.of(program, size)) as timed:
                        measured = _measure(timed, burners, counter, arguments)
                except ShaderlabError as error:
                    print(f"left out: {error}")
                    continue
                if measured:
                    found[program.digest] = measured
    print(f"{len(found)} shaders beside {arguments.burners} burners / without them")
    for name, estimate in ESTIMATES.items():
        pairs = [[estimate(trials[state]) for state in STATES] for trials in found.values()]
        calm, loaded = np.array(pairs).T
        if calm.all():
            _tell(name, loaded / calm)
    both = sorted(found.keys() & recorded.keys())
    if both:
        calm = np.array([np.median(found[d]["without"][:, 0]) for d in both])
        _tell("alone / inside the campaign", calm / np.array([recorded[d] for d in both]))


def _programs(path: Path, most: int, wanted: dict[str, float]) -> list[Program]:
    """Compiled shaders in random order; where some are recorded, those alone."""
    shaders = corpus.read(path)
    random.Random(SEED).shuffle(shaders)
    programs: list[Program] = []
    with Preparation(optimize=False) as preparation:
        for _, prepared in preparation.each(shaders):
            if isinstance(prepared, ShaderlabError):
                continue
            if not wanted or prepared.program.digest in wanted:
                programs.append(prepared.program)
            if len(programs) == most:
                break
    return programs


def _measure(timed, burners: _Burners, counter: InstructionCounter | None, arguments) -> dict:
    """Trials as (CPU s, timestamps s, cycles, instructions) per draw, by the machine's state."""
    burners.rest()
    draw_s = timed.single.cpu_s
    if draw_s > _SLOWEST_S:
        return {}
    draws = max(1, int(arguments.trial / draw_s))
    trials: dict[str, list] = defaultdict(list)
    for _ in range(arguments.rounds):
        for state in STATES:
            burners.work() if state == "beside" else burners.rest()
            time.sleep(_SETTLE_S)
            timed.trial(draws)
            for _ in range(arguments.trials):
                before = counter.read() if counter else (0, 0)
                trial = timed.trial(draws)
                after = counter.read() if counter else (0, 0)
                spent = [(b - a) / draws for a, b in zip(before, after, strict=True)]
                trials[state].append((trial.cpu_s, trial.gpu_s, *spent))
    burners.rest()
    return {state: np.array(rows) for state, rows in trials.items()}


class _Burners:
    """Busy processes that can be stopped and continued."""

    def __init__(self, count: int):
        context = multiprocessing.get_context("spawn")
        self._processes = [context.Process(target=_burn, daemon=True) for _ in range(count)]
        for process in self._processes:
            process.start()
        self.rest()

    def rest(self) -> None:
        self._signal(signal.SIGSTOP)

    def work(self) -> None:
        self._signal(signal.SIGCONT)

    def close(self) -> None:
        for process in self._processes:
            process.kill()

    def _signal(self, number: int) -> None:
        for process in self._processes:
            os.kill(process.pid, number)


def _burn() -> None:
    while True:
        np.sin(np.random.default_rng(0).random(100_000)).sum()


def _tell(what: str, ratio: Sequence[float]) -> None:
    low, median, high = np.quantile(ratio, (0.05, 0.5, 0.95))
    within = np.mean(np.abs(np.asarray(ratio) - 1) <= 0.03)
    print(
        f"{what:28} median {median:.3f}, 5 to 95 % {low:.3f} to {high:.3f}, "
        f"within 3 %: {within:.0%}"
    )


if __name__ == "__main__":
    main()
