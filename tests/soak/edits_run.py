"""Random edits at five a second for as long as wanted: no hang, no leak, no child left behind.

QT_QPA_PLATFORM=offscreen nice -n 19 python tests/soak/edits_run.py --minutes 120
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path
from time import monotonic

sys.path.insert(0, str(Path(__file__).parents[1]))

from soak import edits
from soak.hostile_run import rig_settles_children, settings
from soak.rig import Rig, Stuck

from shaderlab.system import heap

EDITS_PER_S = 5
REST_EVERY = 100
"""After so many edits the window gets the time to show what came of the last one."""
PATIENCE_S = 90.0


def drive(rig: Rig, seconds: float, seed: int, told) -> list[str]:
    """Edit for so long; what went wrong.  `told(edits, rig)` is called at every rest."""
    faults: list[str] = []
    end = monotonic() + seconds
    due = monotonic()
    for number, text in enumerate(edits.stream(seed), 1):
        rig.put(text)
        if rig.editor.text != text:
            faults.append(f"edit {number}: the editor holds another text")
        if not rig.session.on_device.pictures.playback.playing:
            rig.session.on_device.toggle_play()
        due = max(due + 1 / EDITS_PER_S, monotonic())
        while monotonic() < due:
            rig.turn()
        if number % REST_EVERY == 0:
            rig.show(text)  # forgets what could be undone: memory shall tell of leaks alone
            try:
                rig.wait(lambda: rig.settled, f"an end of edit {number}", PATIENCE_S)
            except Stuck as error:
                faults.append(str(error))
            told(number, rig)
        if monotonic() > end:
            return faults
    return faults


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="llvmpipe")
    arguments = parser.parse_args()
    began = monotonic()
    sizes: list[int] = []
    slow: Counter[str] = Counter()
    """Work beyond the limit, by what the window was doing."""

    def told(number: int, rig: Rig) -> None:
        sizes.append(rig.resident_bytes)
        print(
            f"{(monotonic() - began) / 60:.1f} min, {number} edits, window {sizes[-1] >> 20} MiB, "
            f"replaced {rig.session.replacements}, "
            f"longest wait of an event {rig.watchdog.longest_s * 1000:.0f} ms, "
            f"{rig.watchdog.longest_work_s * 1000:.0f} ms of it at work",
            flush=True,
        )
        for block in rig.watchdog.blocks:
            if block.work_s <= rig.watchdog.limit_s:
                continue  # the machine was busy
            slow[block.where.splitlines()[-1] if block.where else "?"] += 1
        rig.watchdog.reset()

    with tempfile.TemporaryDirectory() as folder:
        rig = Rig(Path(folder), settings(2.0, 4.0, 4.0))
        rig.use(arguments.device)
        rig.wait(lambda: rig.settled, "the first picture")
        heap.leave_settled_objects_alone()  # as `start.run` does
        faults = drive(rig, arguments.minutes * 60, arguments.seed, told)
        left = rig.children()
        left = left if left and rig_settles_children(rig, left) else set()
        rig.close()
    for fault in faults:
        print("FAULT", fault)
    if len(sizes) >= 4:
        quarter = len(sizes) // 4
        growth = sizes[-1] / sizes[quarter] - 1
        print(
            f"window after a quarter {sizes[quarter] >> 20} MiB, at the end {100 * growth:+.1f} %"
        )
    for place, times in slow.most_common(8):
        print(f"  over {1000 * rig.watchdog.limit_s:.0f} ms {times} times in {place}")
    if left:
        print(f"FAULT {len(left)} processes were left behind")
    return 1 if faults or left else 0


if __name__ == "__main__":
    sys.exit(main())
