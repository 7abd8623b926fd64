"""From the start of the process to the window on screen, and to everything alive in it.

    xvfb-run -a python tests/benchmarks/start_up.py [--rounds N]

Each round is a fresh process; the first one warms the caches and is not counted.  Printed are
medians in milliseconds since the process was asked for: Qt's modules imported, the window painted
for the first time, picture + counts + predictions of the first example there.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

STEPS = ("imported", "painted", "complete")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--child", type=float, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child is not None:
        print(json.dumps(_child(arguments.child)))
        return
    rows = []
    for number in range(arguments.rounds + 1):
        asked_at = time.time()
        child = subprocess.run(
            [sys.executable, __file__, "--child", repr(asked_at)],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        if number:
            rows.append(json.loads(child.stdout.splitlines()[-1]))
    print(f"{platform.machine()}, {os.cpu_count()} cores, {arguments.rounds} starts")
    for step in STEPS:
        print(f"{step:10}{statistics.median(row[step] for row in rows) * 1e3:8.0f} ms")


def _child(asked_at: float) -> dict[str, float]:
    from shaderlab.app import early

    early.begin()
    from shaderlab.app.settings import Settings, SettingsStore
    from shaderlab.app.shell import start

    stamps = {"imported": time.time() - asked_at}
    app = start.application()
    with tempfile.TemporaryDirectory() as folder:
        store = SettingsStore(Path(folder) / "settings.ini")
        window = start.open_window(None, store=store, settings=Settings())
        # The first pass through the event loop paints what `show` asked for.
        app.processEvents()
        stamps["painted"] = time.time() - asked_at
        while not window.session.complete:
            start.process_events(app)
        stamps["complete"] = time.time() - asked_at
        window.close()
    return stamps


if __name__ == "__main__":
    main()
