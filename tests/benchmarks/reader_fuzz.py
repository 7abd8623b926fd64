"""Does every reader stand whatever it is given?  Run by hand:

    python -m tests.benchmarks.reader_fuzz [READER]... [--cases 1000]

Damages a sound file of each kind (`tests.fuzz`) and reads each case in a child process.  Every case
must end with the file read or refused in one line, within five seconds, and no child may take more
than 500 MB.  Prints a line for each reader; exit code 1 where one does not hold.
"""

from __future__ import annotations

import argparse
import logging
import multiprocessing
import sys
import tempfile
import time
from collections import Counter
from multiprocessing.connection import Connection
from pathlib import Path

import psutil

from tests import fuzz

DEADLINE_S = 5.0
MEMORY_BYTES = 500 << 20


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("readers", nargs="*", choices=[*fuzz.READERS, []])
    parser.add_argument("--cases", type=int, default=1000)
    arguments = parser.parse_args()
    return max(_try(name, arguments.cases) for name in arguments.readers or fuzz.READERS)


def _try(name: str, count: int) -> int:
    outcomes: Counter[str] = Counter()
    slowest = peak = 0.0
    child = _Child(name)
    with tempfile.TemporaryDirectory() as folder:
        for number, path in enumerate(fuzz.cases(name, count, Path(folder))):
            start = time.monotonic()
            outcome, memory = child.read(path)
            slowest, peak = max(slowest, time.monotonic() - start), max(peak, memory)
            outcomes[outcome] += 1
            if outcome.startswith("FAILED"):
                print(f"{name}, case {number}: {outcome}", file=sys.stderr)
    child.close()
    shown = ", ".join(f"{n} {outcome}" for outcome, n in outcomes.most_common(4))
    print(f"{name:10}  {shown}; slowest {slowest:.2f} s, peak {peak / 1e6:.0f} MB", flush=True)
    failed = any(outcome.startswith("FAILED") for outcome in outcomes)
    return int(failed or peak > MEMORY_BYTES)


class _Child:
    """Reads in a process of its own, which is replaced when a case takes it down."""

    def __init__(self, name: str):
        self._name = name
        self._start()

    def read(self, path: Path) -> tuple[str, int]:
        """What became of the file, and the most memory the child has held."""
        self._pipe.send(path)
        try:
            if self._pipe.poll(DEADLINE_S):
                return self._pipe.recv()
            outcome = f"FAILED: no answer in {DEADLINE_S:g} s"
        except EOFError:
            self._process.join()
            outcome = f"FAILED: the child ended with {self._process.exitcode}"
        self.close()
        self._start()
        return outcome, 0

    def close(self) -> None:
        self._process.kill()
        self._process.join()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, self._name), daemon=True)
        self._process.start()
        theirs.close()
        self._pipe.recv()  # that it is ready


def _serve(pipe: Connection, name: str) -> None:
    logging.disable()
    pipe.send("ready")
    process = psutil.Process()
    while True:
        outcome = fuzz.outcome(fuzz.READERS[name], pipe.recv())
        if sys.platform == "win32":
            memory = process.memory_info().peak_wset
        else:
            import resource

            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        pipe.send((outcome, memory))


if __name__ == "__main__":
    sys.exit(main())
