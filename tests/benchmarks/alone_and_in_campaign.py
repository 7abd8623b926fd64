"""Does a shader take as long alone as inside a campaign?  Run by hand:

    python -m tests.benchmarks.alone_and_in_campaign --shaders 17

Measures shaders (the bundled examples, or a corpus) alone, each in a fresh child, then in a
campaign of two stations that also compiles, traces and keeps them, then alone again.  Prints how
the medians agree by the clock the samples go by, and how the two rounds alone agree with each
other, which is what the machine itself allows.  Exit code 1 where the median over the shaders is
off by more than 3 %.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import numpy as np

from shaderlab.campaigns import corpus
from shaderlab.campaigns.campaign import Campaign
from shaderlab.campaigns.corpus import Shader
from shaderlab.campaigns.measuring import Effort
from shaderlab.campaigns.station import Options, Station
from shaderlab.campaigns.turns import Turns
from shaderlab.errors import ShaderlabError
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.gpu.discovery import discover
from shaderlab.locations import resources
from shaderlab.samples import exchange
from shaderlab.samples.recording import timing_record
from shaderlab.samples.store import Store
from shaderlab.scene.draw import DrawState

AGREES = 0.03
STATIONS = 2


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--corpus", type=Path, default=resources() / "examples")
    parser.add_argument("--shaders", type=int, default=17)
    parser.add_argument("--device")
    parser.add_argument("--size", default="512x384")
    parser.add_argument("--trials", type=int, default=10)
    parser.add_argument("--trial", type=float, default=0.1, help="seconds a trial should take")
    arguments = parser.parse_args()
    width, _, height = arguments.size.partition("x")
    state = DrawState.of((int(width), int(height)))
    effort = Effort(trials=arguments.trials, trial_s=arguments.trial, slowest_s=1.0)
    shaders = corpus.drawn(corpus.read(arguments.corpus), seed=1, limit=arguments.shaders)
    info = discover().choose(arguments.device)
    print(f"{info.name}, load {os.getloadavg()[0]:.1f}")
    before = _alone(info, shaders, state, effort)
    inside = _in_campaign(info, shaders, state, effort)
    after = _alone(info, list(reversed(shaders)), state, effort)
    digests = sorted(before.keys() & inside.keys() & after.keys())
    one, two = (np.array([times[d] for d in digests]) for times in (before, after))
    alone = np.sqrt(one * two)
    campaign = np.array([inside[d] for d in digests])
    _tell("alone, second round / first", two / one)
    _tell("in the campaign / alone", campaign / alone)
    off = abs(float(np.median(campaign / alone)) - 1)
    return int(not digests or off > AGREES)


def _alone(
    info: DeviceInfo, shaders: list[Shader], state: DrawState, effort: Effort
) -> dict[str, float]:
    """Median seconds per draw by the program's digest, each in a child of its own."""
    found = {}
    for shader in shaders:
        with closing(Station(info, Options(state, effort, optimize=False), Turns())) as station:
            try:
                program = station.prepare(shader).program
                measured = station.time(station.draw(program, shader))
                found[program.digest] = timing_record(measured, info).median_s
            except ShaderlabError as error:
                print(f"left out: {error}")
    return found


def _in_campaign(
    info: DeviceInfo, shaders: list[Shader], state: DrawState, effort: Effort
) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store"
        with Store(path) as store:
            Campaign(shaders, info, store, Options(state, effort), stations=STATIONS).run()
        return {s.program.digest: s.timing.median_s for s in exchange.accepted(path)}


def _tell(what: str, ratio: np.ndarray) -> None:
    if not len(ratio):
        print(f"{what}: nothing measured")
        return
    low, median, high = np.quantile(ratio, (0.05, 0.5, 0.95))
    within = np.mean(np.abs(ratio - 1) <= AGREES)
    print(
        f"{what}: {len(ratio)} shaders, median {median:.3f}, 5 to 95 % {low:.3f} to {high:.3f}, "
        f"within 3 %: {within:.0%}"
    )


if __name__ == "__main__":
    sys.exit(main())
