"""`scale --over clock`: the law through times at several clocks, from the user or a data set."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from shaderlab.cli.command import Answer
from shaderlab.cli.devices import answering, load
from shaderlab.cli.texts import clock_scaling as texts
from shaderlab.errors import WrongUse
from shaderlab.studies.scaling import clock_study, spans

_UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6}
_NONE = (
    "no times at several clocks are known: shaderlab reads clocks and never sets them.  Hold the "
    "clock with the vendor's tool, `profile` at each, and give the times: --point 500=28.8ms "
    "--point 750=23.7ms; or name a data set that has the shader at several clocks with --samples"
)


def point(text: str) -> tuple[float, float]:
    """MHz and seconds."""
    match = re.fullmatch(
        r"(\d{1,6}(?:\.\d+)?)\s*(?:MHz)?=(\d+(?:\.\d+)?|\.\d+)\s*(s|ms|us|µs)", text
    )
    if not match or not float(match[1]) or not float(match[2]):
        raise argparse.ArgumentTypeError(
            f"expected a clock and a time such as 500=28.8ms, not {text!r}"
        )
    return float(match[1]), float(match[2]) * _UNITS[match[3]]


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--point", type=point, action="append", default=[], metavar="MHZ=TIME",
        help="a time measured at a clock, for --over clock; two or more",
    )  # fmt: skip
    parser.add_argument(
        "--samples", type=Path, metavar="PATH",
        help="a data set or store with the shader at several clocks, for --over clock",
    )  # fmt: skip
    parser.add_argument(
        "--clocks", type=_clocks, default=(), metavar="MHZ,…",
        help="clocks to project to, for --over clock",
    )  # fmt: skip


def check_absent(arguments: argparse.Namespace) -> None:
    """Raise WrongUse where options of clocks stand beside --over size."""
    if arguments.point or arguments.samples or arguments.clocks:
        raise WrongUse("--point, --samples and --clocks are for --over clock")


def scale(arguments: argparse.Namespace) -> Answer:
    """Amdahl's law through the points, with the score's line beside it."""
    if arguments.point and arguments.samples:
        raise WrongUse("give --point or --samples, not both")
    points = dict(arguments.point)
    if len(points) < len(arguments.point):
        raise WrongUse("--point gives a clock twice")
    origin = "given"
    if arguments.samples:
        with answering(arguments) as engine:
            digest = load(arguments, engine).digest
        from shaderlab.samples.clock_times import clock_points  # needs pyarrow

        points, origin = clock_points(arguments.samples, digest), arguments.samples.name
    if not points:
        raise WrongUse(_NONE)
    if not spans(points):
        raise WrongUse(
            f"clocks from {min(points):g} to {max(points):g} MHz: give two that are at least "
            "15 % apart"
        )
    study = clock_study(points, arguments.clocks, origin, far=arguments.far)
    return Answer(texts.data(study), texts.text(study))


def _clocks(text: str) -> tuple[float, ...]:
    parts = [part.strip() for part in text.split(",", 100)]
    if not all(re.fullmatch(r"[1-9]\d{0,5}(?:\.\d+)?", part) for part in parts):
        raise argparse.ArgumentTypeError(f"expected clocks in MHz such as 900,1500, not {text!r}")
    return tuple(map(float, parts))
