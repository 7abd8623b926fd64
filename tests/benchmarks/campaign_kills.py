"""Does a campaign lose or double anything when it is killed?  Run by hand:

    python -m tests.benchmarks.campaign_kills --kills 100

Starts a campaign over made-up shaders on a software device, kills it (SIGKILL) a random time after
it finished its first shader (some: after it took up the first, or after its start), and starts it
again, so often.  After each kill every sample found before must still be there and be valid; at the
end the campaign runs through, and every shader must have exactly one sample.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from shaderlab.samples import exchange
from shaderlab.samples.store import Store
from tests.integration.campaigns.shaders import SOUND, write

SEED = 20240105
_EVENTS = {"": 1, "sum(starts)": 2, "sum(outcome IS NOT NULL)": 7}
"""What a kill waits for, and how often: nothing, a shader taken up, a shader finished."""
_PATIENCE_S = 120.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--device", default="llvmpipe")
    parser.add_argument("--longest", type=float, default=2.5, help="seconds before a kill")
    parser.add_argument("--shaders", type=int, help="in the campaign (default 8 per kill)")
    arguments = parser.parse_args()
    dice = random.Random(SEED)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        count = arguments.shaders or 8 * arguments.kills
        shaders = {
            f"shader-{n}": SOUND[f"loop{n % 4}"].replace("iTime", f"iTime + {n}.0")
            for n in range(count)
        }
        corpus = write(folder / "made-up.jsonl", shaders)
        command = [
            sys.executable, "-m", "shaderlab", "campaign", corpus, "--to", folder / "store",
            "--device", arguments.device, "--size", "64x48", "--trials", "3", "--trial", "0.002",
            "--plain", "--json",
        ]  # fmt: skip
        seen: set[str] = set()
        lost = invalid = struck = 0
        for _ in range(arguments.kills):
            running = subprocess.Popen(
                command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            what = dice.choices(list(_EVENTS), _EVENTS.values())[0]
            if what:
                _await(what, folder / "store", running)
            time.sleep(dice.random() * arguments.longest)
            running.send_signal(signal.SIGKILL)
            struck += running.wait() == -signal.SIGKILL
            if not (folder / "store").exists():
                continue
            checked = list(exchange.read(folder / "store"))
            now = {c.sample.id for c in checked if c.sample is not None}
            invalid += len(checked) - len(now)
            lost += len(seen - now)
            seen = now
            if struck % 10 == 0:
                told = f"{struck} kills, {len(seen)} samples, {lost} lost, {invalid} invalid"
                print(told, file=sys.stderr, flush=True)
        print(f"{struck} kills, {len(seen)} of {count} shaders finished meanwhile")
        run = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        (data,) = json.loads(run.stdout)["devices"]
        ids = [s.program.id for s in exchange.accepted(folder / "store")]
        with Store(folder / "store") as store:
            rejections = store.rejections()
    doubled = len(ids) - len(set(ids))
    missing = len(set(shaders) - set(ids))
    print(f"then {data['earlier']} were done before, {data['recorded']} recorded by the last run")
    print(f"lost {lost}, invalid {invalid}, doubled {doubled}, missing at the end {missing}")
    for rejection in rejections:
        print(f"rejected {rejection.shader}: {rejection.reason}")
    return int(bool(lost or invalid or doubled or missing))


def _await(what: str, store: Path, running: subprocess.Popen) -> None:
    """Wait until a number in the store grows, or the campaign ends."""
    before, end = _number(what, store), time.monotonic() + _PATIENCE_S
    while running.poll() is None and _number(what, store) <= before and time.monotonic() < end:
        time.sleep(0.05)


def _number(what: str, store: Path) -> int:
    """Over the attempts so far; read beside the campaign, changing nothing."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as opened:
            return opened.execute(f"SELECT coalesce({what}, 0) FROM attempts").fetchone()[0]
    except sqlite3.Error:  # not there yet
        return 0


if __name__ == "__main__":
    sys.exit(main())
