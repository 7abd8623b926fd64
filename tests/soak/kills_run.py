"""Kill a typing window with SIGKILL again and again: no edit older than half a second is ever lost.

    QT_QPA_PLATFORM=offscreen python tests/soak/kills_run.py --kills 50

Each round starts a window on what the last one left, lets it type for a random time, and kills it.
The text kept must be the newest, or one typed less than half a second before the kill; the file
saved must be whole; no process may be left.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from time import monotonic, sleep
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from processes import alive
from soak.kills_window import digest

from shaderlab.app.documents import journal
from shaderlab.app.storage.run_folder import RunFolder
from shaderlab.system import process_tree

SAFE_WITHIN_S = 0.5


class Deed(NamedTuple):
    name: str
    digest: str
    at: float


class Round(NamedTuple):
    edits: int
    late_s: float
    """Age of the newest edit that was not kept; 0 where all were."""
    faults: list[str]


def one_round(folder: Path, seed: int, seconds: float) -> Round:
    """Start, let type for so long, kill, and look at what is left."""
    window = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("kills_window.py")), str(folder), str(seed)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        deeds = [_deed(window.stdout.readline())]
        children = ()
        end = monotonic() + seconds
        while monotonic() < end:
            deeds.append(_deed(window.stdout.readline()))
            children = process_tree.descendants(window.pid)
    finally:
        window.kill()
        killed_at = monotonic()
    deeds += [_deed(line) for line in window.stdout.read().splitlines()]
    window.wait()
    return judge(folder, deeds, killed_at, children)


def judge(folder: Path, deeds: list[Deed], killed_at: float, children: tuple[int, ...]) -> Round:
    faults: list[str] = []
    edits = [deed for deed in deeds if deed.name in ("edited", "restored")]
    sleep(0.5)
    left = [pid for pid in children if alive(pid)]
    if left:
        faults.append(f"{len(left)} processes outlived the window")
    file = digest((folder / "shader.frag").read_text())
    known = {deed.digest for deed in deeds} | {_before(folder)}
    if file not in known:
        faults.append("the saved file is none of the texts saved")
    (folder / "before").write_text(file)
    kept = file
    for run in reversed(RunFolder.leftovers(folder / "data" / "runs")):  # the newest last
        draft = journal.read(run.journal)
        if draft is not None:
            kept = digest(draft.text)
        run.release()
    lost = 0.0
    newest = max((n for n, deed in enumerate(edits) if deed.digest == kept), default=-1)
    missing = edits[newest + 1 :]
    if missing:
        lost = killed_at - missing[0].at
        if lost > SAFE_WITHIN_S:
            faults.append(f"an edit {lost:.2f} s old was lost ({len(missing)} in all)")
    return Round(len(edits), lost, faults)


def _deed(line: str) -> Deed:
    name, text, at = line.split()
    return Deed(name, text, float(at))


def _before(folder: Path) -> str:
    """Digest of the file at the end of the round before."""
    path = folder / "before"
    return path.read_text() if path.exists() else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--longest", type=float, default=8.0, help="seconds of typing at most")
    arguments = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    chance = random.Random(arguments.seed)
    total, worst, faults = 0, 0.0, 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "shader.frag").write_text("// nothing yet\n")
        for number in range(arguments.kills):
            done = one_round(folder, arguments.seed + number, chance.uniform(0, arguments.longest))
            total, worst = total + done.edits, max(worst, done.late_s)
            faults += len(done.faults)
            for fault in done.faults:
                print(f"FAULT kill {number}: {fault}", flush=True)
    print(
        f"{arguments.kills} kills, {total} edits, {faults} faults; "
        f"oldest edit not kept was {worst:.2f} s old"
    )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
