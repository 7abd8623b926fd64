"""Do a software device's times hold on a loaded machine?  Run by hand:

    python -m tests.benchmarks.timing_under_load CORPUS STORE --shaders 100 --burners 4

Measures shaders again that a campaign recorded in STORE, in another order and one after the other:
once with the machine as it is, once beside `--burners` busy processes.  Prints, for the CPU clock
and for the timestamps, how the two and the campaign's own figure agree.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from shaderlab.campaigns import corpus
from shaderlab.campaigns.measuring import Effort, MeasuringWorker
from shaderlab.campaigns.preparing import Preparation
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.program import Program
from shaderlab.gpu.discovery import choose, discover
from shaderlab.gpu.uniforms import Uniforms
from shaderlab.samples import exchange

SEED = 20240105
_DEADLINE_S = 60.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("store", type=Path)
    parser.add_argument("--shaders", type=int, default=100)
    parser.add_argument("--burners", type=int, default=4)
    parser.add_argument("--device", default="llvmpipe")
    parser.add_argument("--trial", type=float, default=0.03)
    arguments = parser.parse_args()
    recorded = {
        s.program.id: s for s in exchange.accepted(arguments.store) if s.timing.clock == "cpu"
    }
    chosen = random.Random(SEED).sample(sorted(recorded), min(arguments.shaders, len(recorded)))
    shaders = {s.origin.id: s for s in corpus.read(arguments.corpus)}
    with Preparation(optimize=False) as preparation:
        programs = [
            p.program
            for _, p in preparation.each([shaders[i] for i in chosen])
            if not isinstance(p, ShaderlabError)
        ]
    inputs = recorded[chosen[0]].inputs
    uniforms = Uniforms((inputs.width, inputs.height), inputs.time_s, inputs.frame)
    info = choose(discover().devices, arguments.device)
    effort = Effort(trials=5, trial_s=arguments.trial, shader_s=2.0)
    calm = _measure(info, programs, uniforms, effort)
    with multiprocessing.get_context("spawn").Pool(arguments.burners, _burn) as pool:
        loaded = _measure(info, list(reversed(programs)), uniforms, effort)
        pool.terminate()
    both = sorted(calm.keys() & loaded.keys())
    print(f"{len(both)} shaders; load before the burners {os.getloadavg()[0]:.1f}")
    for clock, which in (("CPU clock", 0), ("timestamps", 1)):
        one = np.array([calm[name][which] for name in both])
        other = np.array([loaded[name][which] for name in both])
        _tell(f"{clock}: beside {arguments.burners} burners / without", other / one)
    own = np.array([recorded[name].timing.median_s for name in both])
    _tell(
        "CPU clock: alone / inside the campaign", np.array([calm[name][0] for name in both]) / own
    )


def _measure(info, programs: Sequence[Program], uniforms: Uniforms, effort: Effort) -> dict:
    """Median seconds per draw by CPU clock and by timestamps, by the program's name."""
    found = {}
    worker = MeasuringWorker(info, _DEADLINE_S)
    try:
        for program in programs:
            try:
                measured = worker.time(program, uniforms, effort).result()
            except ShaderlabError as error:
                print(f"left out: {error}")
                continue
            found[program.name] = (
                float(np.median(measured.cpu_trials_s)),
                float(np.median(measured.trials_s)),
            )
    finally:
        worker.close()
    return found


def _burn() -> None:
    """Initialiser of a pool's process that never comes to its work."""
    while True:
        np.sin(np.random.default_rng(0).random(100_000)).sum()


def _tell(what: str, ratio: np.ndarray) -> None:
    low, median, high = np.quantile(ratio, (0.05, 0.5, 0.95))
    within = np.mean(np.abs(ratio - 1) <= 0.03)
    print(
        f"{what}: median {median:.3f}, 5 to 95 % {low:.3f} to {high:.3f}, within 3 %: {within:.0%}"
    )


if __name__ == "__main__":
    main()
