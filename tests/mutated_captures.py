"""Damaged captures: each is refused in one line, or read.

    python -m tests.mutated_captures CAPTURE.rdc --count 300

RenderDoc itself may crash on one: its child ends, and what is said of it is counted here.
"""

from __future__ import annotations

import argparse
import random
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from shaderlab.captures import opening
from shaderlab.errors import ShaderlabError

DEADLINE_S = 60.0


def outcomes(capture: Path, count: int, seed: int = 4) -> Iterator[str]:
    """What became of so many damaged copies: the error's sentence, or how many draws were read."""
    data = capture.read_bytes()
    chosen = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="shaderlab-") as folder:
        path = Path(folder) / "damaged.rdc"
        for number in range(count):
            damaged = bytearray(data)
            for _ in range(chosen.randint(1, 30)):
                damaged[chosen.randrange(4, len(damaged))] = chosen.randrange(256)
            if number % 3 == 0:
                del damaged[chosen.randrange(100, len(damaged)) :]
            path.write_bytes(damaged)
            try:
                found = opening.collected("damaged", opening.events(path, deadline_s=DEADLINE_S))
                yield f"read: {len(found.draws)} draws"
            except ShaderlabError as error:
                yield str(error)
            shutil.rmtree(opening.cache_folder(path), ignore_errors=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("capture", type=Path)
    parser.add_argument("--count", type=int, default=300)
    arguments = parser.parse_args()
    found: Counter[str] = Counter()
    slowest = last = 0.0
    begin = time.monotonic()
    for outcome in outcomes(arguments.capture, arguments.count):
        found[outcome] += 1
        slowest = max(slowest, time.monotonic() - begin - last)
        last = time.monotonic() - begin
    for outcome, times in found.most_common():
        print(f"{times:4}  {outcome}")
    print(f"{sum(found.values())} captures, {last:.0f} s, the slowest {slowest:.1f} s")


if __name__ == "__main__":
    main()
