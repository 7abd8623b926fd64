"""Does reading a capture stand whatever it is given?  Run by hand, on Linux:

    python -m tests.benchmarks.capture_fuzz RESULTS CAPTURE.rdc... [--cases 1000] [--portion 50]

Damages captures in their headers, their tables of sections, compressed, and in what is compressed
(`tests.damaged_captures`), reads each case and writes what became of it to RESULTS, a line each.  A
run goes on where the last one ended, for `--portion` cases; then the table of all of them follows.
Exit code 1 where a case failed or took more than five seconds of processor time or 500 MB.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import msgspec

from tests import damaged_captures
from tests.damaged_captures import Outcome

MOST_S = 5.0
MOST_BYTES = 500 << 20


class Case(msgspec.Struct):
    capture: str
    number: int
    kind: str
    said: str
    cpu_s: float
    peak_bytes: int


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("results", type=Path)
    parser.add_argument("captures", type=Path, nargs="*")
    parser.add_argument("--cases", type=int, default=1000, help="of all captures together")
    parser.add_argument("--portion", type=int, default=1000)
    arguments = parser.parse_args()
    results = arguments.results
    known = [] if not results.exists() else results.read_bytes().splitlines()
    done = [msgspec.json.decode(line, type=Case) for line in known]
    left, each = arguments.portion, arguments.cases // max(1, len(arguments.captures))
    with results.open("ab") as file, tempfile.TemporaryDirectory() as folder:
        for capture in arguments.captures:
            first = sum(case.capture == capture.stem for case in done)
            numbers = range(first, min(each, first + left))
            left -= len(numbers)
            for number, kind, found in damaged_captures.outcomes(capture, numbers, Path(folder)):
                case = Case(capture.stem, number, kind, *found)
                file.write(msgspec.json.encode(case) + b"\n")
                file.flush()
                done.append(case)
    return _table(done)


def _table(cases: list[Case]) -> int:
    by_cause: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        by_cause[_cause(case.said)].append(case)
    print(" cases  worst s  peak MB  outcome")
    for cause, those in sorted(by_cause.items(), key=lambda each: -len(each[1])):
        print(_row(those) + "  " + cause)
    print("\n cases  worst s  peak MB  of")
    for name in sorted({case.capture for case in cases}):
        print(_row([case for case in cases if case.capture == name]) + "  " + name)
    for name in sorted({case.kind for case in cases}):
        print(_row([case for case in cases if case.kind == name]) + "  " + name)
    print(_row(cases) + "  all")
    bad = [
        case
        for case in cases
        if case.said.startswith("FAILED") or case.cpu_s > MOST_S or case.peak_bytes > MOST_BYTES
    ]
    for case in bad:
        print(f"{case.capture} {case.number} ({case.kind}): {case.cpu_s:.1f} s,"
              f" {case.peak_bytes / 1e6:.0f} MB: {case.said}", file=sys.stderr)  # fmt: skip
    return int(bool(bad))


def _row(cases: list[Case]) -> str:
    slowest = max((case.cpu_s for case in cases), default=0.0)
    peak = max((case.peak_bytes for case in cases), default=0)
    return f"{len(cases):6}  {slowest:7.2f}  {peak / 1e6:7.0f}"


def _cause(said: str) -> str:
    """A sentence without what differs from case to case."""
    said = re.sub(r"damaged(-\d+)?(\.rdc)?", "it", said)
    said = re.sub(r"0x[0-9a-fA-F]+|\d+(\.\d+)?", "N", said)
    return said[:150]


__all__ = ["Case", "Outcome", "main"]

if __name__ == "__main__":
    sys.exit(main())
