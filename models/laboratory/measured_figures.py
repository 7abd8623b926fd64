"""Figures that benchmarks measured and REPORT quotes: `models/acceptance.json`.

Each run is kept under its name with the command that made it, the load of the machine and the day,
so that no figure of the report is without its origin.  `models.recipes.acceptance`
writes them into the report.
"""

from __future__ import annotations

import datetime
import json
import os
import sys
from argparse import ArgumentParser
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil

from shaderlab.errors import InvalidModel

FILE = "acceptance.json"
_DIGITS = 6
_CORPORA = ".zst"


@dataclass(frozen=True)
class Measured:
    """One run of a benchmark."""

    command: str
    """As it was typed, but for paths of this machine."""
    load: float
    """Load average over the last minute of the run."""
    cores: int
    date: str
    """Day of the run, UTC."""
    figures: Mapping[str, float]
    """By name; shares as fractions, times in seconds."""


def add_option(parser: ArgumentParser) -> None:
    """`--keep FOLDER`, which `keep` takes."""
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help=f"write the figures into FOLDER/{FILE}"
    )


def keep(folder: Path | None, name: str, figures: Mapping[str, float]) -> None:
    """Keep the figures of the running command under a name; None: nowhere."""
    if folder is None:
        return
    path = folder / FILE
    found = dict(read(folder))
    found[name] = Measured(
        command(sys.argv),
        round(psutil.getloadavg()[0], 1),
        os.cpu_count() or 0,
        datetime.datetime.now(datetime.UTC).date().isoformat(),
        {each: float(f"{value:.{_DIGITS}g}") for each, value in figures.items()},
    )
    data = {each: asdict(found[each]) for each in sorted(found)}
    path.write_text(json.dumps(data, indent=1, allow_nan=False) + "\n", encoding="utf-8")


def read(folder: Path) -> Mapping[str, Measured]:
    """By name; empty where nothing was kept.  Raises `InvalidModel`."""
    path = folder / FILE
    if not path.exists():
        return {}
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return {name: Measured(**each) for name, each in data.items()}
    except (ValueError, TypeError, AttributeError) as error:
        raise InvalidModel(f"{FILE}: {error}") from None


def command(argv: list[str]) -> str:
    """What was typed, without `--keep` and with paths of this machine by what they hold."""
    script = Path(argv[0]).with_suffix("")
    parts = script.parts
    start = parts.index("tests") if "tests" in parts else len(parts) - 1
    words, arguments = [f"python -m {'.'.join(parts[start:])}"], iter(argv[1:])
    for each in arguments:
        if each == "--keep":
            next(arguments, None)
        elif Path(each).is_absolute():
            words.append("CORPUS" if each.endswith(_CORPORA) else "FILE")
        else:
            words.append(each)
    return " ".join(words)
