"""Does `dataset validate` stand whatever it is given?  Run by hand:

    python -m tests.benchmarks.validate_fuzz [DATASET] --cases 10000

Mutates a data set as Parquet and as JSON Lines (bytes changed, inserted, removed, cut off, swapped;
rows with values replaced by others that do not belong there) and reads each in a child process.
Every case must end with each row accepted or refused with a reason, or the file refused with one;
an accepted row must be one of the original rows.  Prints what became of the cases; exit code 1 if a
child crashed, raised something else, or ran past its deadline.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import sys
import tempfile
import time
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any

from shaderlab.errors import ShaderlabError
from shaderlab.samples import exchange, schema
from tests.unit.samples.builders import sample

SEED = 20240105
DEADLINE_S = 30.0
MEMORY_BYTES = 8 << 30
STRANGE = [None, True, -1, 0, 2**63, 2**63 - 1, 10**30, 1e308, float("nan"), float("inf"), "", "x",
           "\x00", "Op", "\ud800", [], {}, [[]], {"": 1}, [None], "9" * 100, ["a"] * 5]  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("dataset", type=Path, nargs="?", help="made up where left out")
    parser.add_argument("--cases", type=int, default=10_000)
    arguments = parser.parse_args()
    if arguments.dataset:
        samples = list(islice(exchange.accepted(arguments.dataset), 8))
    else:
        samples = [sample(f"shader-{n}", size=(8, 4 + n)) for n in range(8)]
    outcomes: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        cases = _Cases(Path(folder), samples)
        reader = _Reader({s.id for s in samples})
        start = time.monotonic()
        for number in range(arguments.cases):
            path = cases.make(number)
            outcome = reader.read(path)
            outcomes[outcome] += 1
            if outcome.startswith("FAILED"):
                print(f"case {number}: {outcome}", file=sys.stderr)
        seconds = time.monotonic() - start
        reader.close()
    for outcome, n in outcomes.most_common():
        print(f"{n:7}  {outcome}")
    print(f"{arguments.cases} cases in {seconds:.0f} s")
    return int(any(outcome.startswith("FAILED") for outcome in outcomes))


class _Cases:
    """Case `n` is the same on every run."""

    def __init__(self, folder: Path, samples: list):
        self._folder = folder
        parquet = folder / "good.parquet"
        exchange.write(samples, parquet)
        self._rows = [schema.to_row(s) for s in samples]
        self._parquet = parquet.read_bytes()
        self._json = "".join(json.dumps(row) + "\n" for row in self._rows).encode()

    def make(self, number: int) -> Path:
        dice = random.Random(f"{SEED} {number}")
        path = self._folder / "case"
        kind = number % 3
        if kind == 2:
            path.write_text(self._strange_rows(dice), errors="surrogatepass")
        else:
            path.write_bytes(_mutated(dice, self._json if kind else self._parquet))
        return path

    def _strange_rows(self, dice: random.Random) -> str:
        rows = json.loads(json.dumps(self._rows))
        for row in dice.sample(rows, dice.randint(1, 3)):
            place: Any = row
            while True:
                keys = list(place) if isinstance(place, dict) else list(range(len(place)))
                key = dice.choice(keys)
                inside = place[key]
                if isinstance(inside, dict | list) and inside and dice.random() < 0.8:
                    place = inside
                    continue
                if isinstance(place, dict) and dice.random() < 0.2:
                    place[dice.choice(["", "extra", "OpLoad*0", "id"])] = place.pop(key)
                else:
                    place[key] = dice.choice(STRANGE)
                break
        return "".join(json.dumps(row) + "\n" for row in rows)


def _mutated(dice: random.Random, original: bytes) -> bytes:
    data = bytearray(original)
    for _ in range(dice.randint(1, 6)):
        at = dice.randrange(len(data))
        match dice.randrange(5):
            case 0:
                data[at] = dice.randrange(256)
            case 1:
                data[at] ^= 1 << dice.randrange(8)
            case 2:
                data[at:at] = dice.randbytes(dice.randint(1, 8))
            case 3:
                del data[at : at + dice.randint(1, 8)]
            case 4:
                other = dice.randrange(len(data))
                data[at : at + 4] = data[other : other + 4]
        if not data:
            return b""
    if dice.random() < 0.1:
        del data[dice.randrange(len(data)) :]
    return bytes(data)


class _Reader:
    """Reads in a child, which is replaced when a case takes it down."""

    def __init__(self, good: set[str]):
        self._good = good
        self._context = multiprocessing.get_context("spawn")
        self._child = None
        self._start()

    def read(self, path: Path) -> str:
        self._pipe.send(path)
        try:
            if self._pipe.poll(DEADLINE_S):
                return self._pipe.recv()
            outcome = f"FAILED: no answer in {DEADLINE_S:g} s"
        except EOFError:
            self._child.join()
            outcome = f"FAILED: the child ended with {self._child.exitcode}"
        self.close()
        self._start()
        return outcome

    def close(self) -> None:
        self._child.kill()
        self._child.join()

    def _start(self) -> None:
        self._pipe, theirs = self._context.Pipe()
        self._child = self._context.Process(target=_serve, args=(theirs, self._good), daemon=True)
        self._child.start()
        theirs.close()


def _serve(pipe, good: set[str]) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    while True:
        path = pipe.recv()
        try:
            checked = list(exchange.read(path))
        except ShaderlabError as error:
            pipe.send("the file refused" if str(error) else "FAILED: no reason")
        except BaseException as error:  # noqa: BLE001, what the fuzzing looks for
            pipe.send(f"FAILED: {type(error).__name__}: {error}"[:300])
        else:
            if any(c.sample is not None and c.sample.id not in good for c in checked):
                pipe.send("FAILED: accepted a row that was not there")
            elif any(c.sample is None and not c.reason for c in checked):
                pipe.send("FAILED: a row refused without a reason")
            elif all(c.sample for c in checked):
                pipe.send("all rows accepted")
            else:
                pipe.send("some rows refused")


if __name__ == "__main__":
    sys.exit(main())
