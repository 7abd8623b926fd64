"""Is the time of a frame the sum of its passes' times?

python -m tests.benchmarks.sum_of_passes --corpus FILE.jsonl.zst [--count 20] [--device D]

Shadertoys with two passes or more: every pass timed by itself, then all of them in one submission,
in turns; the ratio of the sum to the submission.  Exit status 1 where the median is off by more
than 5 %.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from models.laboratory import measured_figures
from shaderlab.errors import ShaderlabError
from shaderlab.gpu.measurement import Measurement
from tests.shadertoy_passes import VARIABLE, Bench, imported, sample

SIZE = (512, 384)
WITHIN = 0.05
EFFORT = 5, 5
"""Trials, and draws in each."""


def seconds(measured: Measurement, is_software: bool) -> float:
    trials = measured.cpu_trials_s if is_software else measured.trials_s
    return statistics.median(trials)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--corpus", type=Path, default=os.environ.get(VARIABLE), metavar="FILE")
    parser.add_argument("--count", type=int, default=20, metavar="N")
    parser.add_argument("--device", default="llvmpipe", metavar="D")
    measured_figures.add_option(parser)
    arguments = parser.parse_args()
    if arguments.corpus is None:
        parser.error(f"which shaders? --corpus FILE, or ${VARIABLE}")
    ratios: list[float] = []
    with closing(Bench(arguments.device)) as bench, tempfile.TemporaryDirectory() as folder:
        software = bench.device.info.kind == "software"
        for shader in sample(Path(arguments.corpus), 4 * arguments.count):
            kinds = [each["type"] for each in shader["renderpass"]]
            if "buffer" not in kinds or "cubemap" in kinds or len(ratios) == arguments.count:
                continue
            place = Path(folder) / shader["id"]
            place.mkdir()
            try:
                frame = bench.frame(imported(shader, place), SIZE)
                device = bench.device
                apart = sum(
                    seconds(device.profile_pass(frame, each.name, *EFFORT).result(), software)
                    for each in frame.passes
                )
                together = seconds(device.profile_frame(frame, *EFFORT).result(), software)
            except ShaderlabError as error:
                print(f"{shader['id']}: left out: {str(error)[:100]}", file=sys.stderr)
                continue
            ratios.append(apart / together)
            print(
                f"{shader['id']}  {len(frame.passes)} passes  sum {apart * 1e3:8.2f} ms  "
                f"together {together * 1e3:8.2f} ms  ratio {ratios[-1]:.3f}"
            )
    off = [abs(ratio - 1) for ratio in ratios]
    within = sum(each <= WITHIN for each in off) / max(1, len(off))
    measured_figures.keep(
        arguments.keep,
        f"sum of passes, {arguments.device}",
        {
            "frames": len(off),
            "median": statistics.median(off),
            "worst": max(off),
            "within": within,
        },
    )
    print(f"median off by {statistics.median(off):.1%}; {within:.0%} within {WITHIN:.0%}")
    return 0 if statistics.median(off) <= WITHIN else 1


if __name__ == "__main__":
    sys.exit(main())
