"""How far the order of our times of captured draws agrees with RenderDoc's EventGPUDuration.

    python -m tests.benchmarks.captured_times F.rdc [REPEATS]

RenderDoc reads the capture REPEATS times (3), each with times of its own; how far these agree among
themselves is the most that any other time can reach.  Draws above 0.1 ms, by the medians.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections import defaultdict
from contextlib import closing
from itertools import combinations
from pathlib import Path
from statistics import median

import numpy as np

from shaderlab.captures import opening
from shaderlab.captures.frame import CapturedFrame
from shaderlab.gpu import discovery
from shaderlab.stats import spearman
from shaderlab.workers.captured_frames import FrameAnalyser
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.device import DeviceWorker

LEAST_S = 1e-4


def main() -> int:
    path, repeats = Path(sys.argv[1]), max(2, int(sys.argv[2]) if len(sys.argv) > 2 else 3)
    theirs: defaultdict[int, list[float]] = defaultdict(list)
    frame = CapturedFrame("", ())
    with tempfile.TemporaryDirectory() as folder:
        for number in range(repeats):
            os.environ["XDG_CACHE_HOME"] = f"{folder}/{number}"
            frame = opening.opened(path)
            for event, each in frame.counters.items():
                if each.time_s is not None:
                    theirs[event].append(each.time_s)
        return report(theirs, measured(frame), repeats)


def measured(frame: CapturedFrame) -> dict[int, float]:
    """Seconds by event, on lavapipe."""
    info = discovery.discover().choose("llvmpipe")
    with closing(CompilerWorker()) as compiler, closing(DeviceWorker(info)) as device:
        analyser = FrameAnalyser(compiler, device)
        found = [analyser.analyse(each) for each in frame.draws]
    return {each.draw.event: each.replayed.time_s for each in found if each.replayed is not None}


def report(theirs: dict[int, list[float]], ours: dict[int, float], repeats: int) -> int:
    events = [
        event
        for event, times in sorted(theirs.items())
        if len(times) == repeats and event in ours and max(median(times), ours[event]) > LEAST_S
    ]
    runs = [[theirs[event][n] for event in events] for n in range(repeats)]
    middle = [median(theirs[event]) for event in events]
    between = [spearman(np.array(a), np.array(b)) for a, b in combinations(runs, 2)]
    print(f"{len(events)} draws above {LEAST_S * 1e3:g} ms here or in RenderDoc")
    print("RenderDoc's runs among themselves:", ", ".join(f"{each:.2f}" for each in between))
    own = spearman(np.array(middle), np.array([ours[event] for event in events]))
    print(f"our times against the median of {repeats}: {own:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
