"""Memory of the window and all its children over an hour's use, in less time than that.

    xvfb-run -a python -m tests.benchmarks.hour_of_use [--rounds 40] [--edits 60]

Each round opens another example, types edits at twenty a second (some do not compile), waits for
all that comes of the last one, opens every panel, heat map and pixel values, pins a version and
switches the theme; every fifth one profiles, sweeps the frame's time and exports an animation.
Forty rounds are 2,400 edits, what an hour at one edit in 1.5 s makes.  Printed after each round:
MiB of the window and of each kind of child (proportional set size, smaps_rollup: pages shared by
n processes count one n-th for each), then how much the second half added, and the longest times
that the interface thread was held, as processor time of that thread.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from time import monotonic

GOAL_MIB = 700


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--edits", type=int, default=60, help="in each round")
    parser.add_argument("--device", default="llvmpipe")
    arguments = parser.parse_args()
    # Not above: each child imports this file, and would have all of Qt.
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from soak.hour import Hour, memory_mib
    from soak.rig import Rig

    from shaderlab.app.settings import Settings
    from shaderlab.system import heap

    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(preview_size="640x360", trials=3, draws=2)
        rig = Rig(Path(folder), settings)
        rig.window.resize(1280, 720)
        rig.use(arguments.device)
        rig.wait(lambda: rig.settled and rig.session.complete, "the first picture and forecasts")
        heap.leave_settled_objects_alone()  # as `start.run` does
        hour = Hour(rig, Path(folder), arguments.edits)
        totals: list[float] = []
        began = monotonic()
        for number in range(arguments.rounds):
            hour.round(number)
            found = memory_mib(rig.session)
            totals.append(sum(found.values()))
            kinds = ", ".join(f"{kind} {mib:.0f}" for kind, mib in found.most_common())
            print(
                f"{(monotonic() - began) / 60:5.1f} min  {(number + 1) * arguments.edits:6} edits"
                f"  {totals[-1]:6.0f} MiB: {kinds}",
                flush=True,
            )
        hour.rest()
        rested = sum(memory_mib(rig.session).values())
        slow = sorted(rig.watchdog.blocks, key=lambda block: block.work_s, reverse=True)
        rig.close()
    for what, times in hour.failed.items():
        print(f"waited in vain {times} times for {what}")
    half = totals[len(totals) // 2 :]
    print(
        f"at the end {totals[-1]:.0f} MiB, at most {max(totals):.0f} (goal {GOAL_MIB}); "
        f"the second half added {half[-1] - half[0]:+.0f}; after a minute's rest {rested:.0f}"
    )
    for block in slow[:5]:
        print(f"interface thread at work for {1000 * block.work_s:.0f} ms:\n{block.where}")
    return 0 if max(totals) < GOAL_MIB else 1


if __name__ == "__main__":
    sys.exit(main())
