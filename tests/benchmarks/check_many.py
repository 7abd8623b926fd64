"""Seconds that `shaderlab check` takes for many files, with empty and with warm caches.

    python tests/benchmarks/check_many.py [--files N] [--rounds N]

The files are the bundled examples, each with an unused function that makes it a module of its own,
in a git repository whose base differs in one of them.  Each run is a process of its own, as on a
build server; the cache of counts is a fresh folder.  Printed: seconds of the first run, and the
median of those after it, without and with a base.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path

from shaderlab.frontend.examples import examples


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "repository")
        _repository(root, arguments.files)
        print(f"{platform.machine()}, {os.cpu_count()} cores, {arguments.files} files")
        print(f"first run      {_run(root):6.1f} s")
        for name, words in (("warm", ()), ("warm, base", ("--base", "HEAD"))):
            times = [_run(root, *words) for _ in range(arguments.rounds)]
            print(f"{name:14} {statistics.median(times):6.1f} s")


def _repository(root: Path, count: int) -> None:
    (root / "shaders").mkdir(parents=True)
    texts = [(each.path.stem, each.path.read_text("utf-8")) for each in examples()]
    for number, (stem, text) in enumerate(islice(cycle(texts), count)):
        # An unused function: another module in each file, at the same cost.
        changed = text + f"\nvoid shaderlab_{number}() {{}}\n"
        (root / "shaders" / f"{stem}-{number}.frag").write_text(changed, "utf-8")
    identity = {f"GIT_{role}_{what}": "a@example.org"
                for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}  # fmt: skip
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "base"]):
        subprocess.run(["git", "-C", root, *words], check=True, env={**os.environ, **identity})
    first = min((root / "shaders").iterdir())
    first.write_text(first.read_text("utf-8") + "\n// edited\n", "utf-8")


def _run(root: Path, *words: str) -> float:
    command = [sys.executable, "-m", "shaderlab", "check", "shaders", "--target", "rtx3060",
               "--target", "rx6600xt", "--device", "llvmpipe", "--json", *words]  # fmt: skip
    environment = {**os.environ, "XDG_CACHE_HOME": str(root.parent / "cache")}
    start = time.perf_counter()
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr or done.stdout[-2000:])
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
