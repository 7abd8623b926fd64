"""`explore`: a shader on chips of a family with other compute units and clocks."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from contextlib import closing

from shaderlab.cli import options
from shaderlab.cli.command import Answer, Command
from shaderlab.cli.devices import answering, device_of, load_frame
from shaderlab.cli.texts import exploring as texts
from shaderlab.errors import ShaderlabError, UnknownTarget, WrongUse
from shaderlab.gpu.compilers.families import Family
from shaderlab.studies.axes import Axis, combinations, parse
from shaderlab.studies.explore import Space, explore, usual
from shaderlab.studies.frame_parts import costs_of, parts_of
from shaderlab.workers import compiled
from shaderlab.workers.compiled import CompiledWorkers
from shaderlab.workers.frame_costs import CompiledFrame, FrameCosts

_UNITS, _CLOCK = "cu", "clock"
_MOST_UNITS, _MOST_MHZ = 1024, 10_000


def _time(text: str) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d+)?|\.\d+)\s*(s|ms|us|µs)", text)
    if not match or float(match[1]) == 0:
        raise argparse.ArgumentTypeError(f"expected a time such as 16.6ms, not {text!r}")
    return float(match[1]) * {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6}[match[2]]


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--family", action="append", required=True, metavar="FAM",
        help="an AMD chip that `shaderlab targets` lists (navi23, or Radeon RX 6600), "
        "or amd for all",
    )  # fmt: skip
    parser.add_argument(
        "--vary", action="append", default=[], metavar="NAME=VALUES",
        help="cu (compute units) or clock (MHz), with a list or a range (8:96:8)",
    )  # fmt: skip
    parser.add_argument(
        "--budget", type=_time, default=1 / 60, metavar="TIME",
        help="what a frame may take, such as 16.6ms (default: 1/60 s)",
    )  # fmt: skip


def explore_(arguments: argparse.Namespace) -> Answer:
    axes = _axes(arguments.vary)
    targets = compiled.choose_among(compiled.available().result(), arguments.family)
    families = [each.family for each in targets]
    others = [each.slug for each in families if each.vendor.slug != "amd"]
    if others:
        raise WrongUse(f"{', '.join(others)}: explore takes AMD's families only")
    with answering(arguments) as engine, closing(CompiledWorkers(targets)) as compilers:
        frame = load_frame(arguments, engine)
        compilers.start()
        with closing(FrameCosts(engine.crew.compiler, device_of(engine), compilers)) as joined:
            found = costs_of(joined, frame)
    spaces, problems = _spaces(families, found, frame.draws_per_frame, axes)
    data = texts.data(spaces, problems, arguments.budget)
    return Answer(data, texts.text(spaces, problems, arguments.budget), 0 if spaces else 1)


def _axes(given: list[str]) -> dict[str, Axis]:
    axes = {axis.name: axis for axis in map(parse, given)}
    if len(axes) < len(given) or not axes.keys() <= {_UNITS, _CLOCK}:
        raise WrongUse(f"--vary takes {_UNITS}=… and {_CLOCK}=…, each once")
    combinations(list(axes.values()))
    for axis in axes.values():
        most = _MOST_UNITS if axis.name == _UNITS else _MOST_MHZ
        for value in axis.numbers:
            if not 0 < value <= most or (axis.name == _UNITS and value != int(value)):
                kind = "whole numbers" if axis.name == _UNITS else "MHz"
                raise WrongUse(f"{axis.name}: {kind} from 1 to {most}, not {value:g}")
    return axes


def _spaces(
    families: list[Family],
    found: Mapping[str, CompiledFrame],
    draws: Mapping[str, int],
    axes: dict[str, Axis],
) -> tuple[list[Space], dict[str, str]]:
    """`found`: by pass."""
    spaces: list[Space] = []
    problems: dict[str, str] = {}
    for family in families:
        try:
            parts = parts_of(found, draws, family.slug)
        except UnknownTarget as error:
            problems[family.slug] = str(error)
            continue
        units, clocks = usual(family)
        if _UNITS in axes:
            units = tuple(int(value) for value in axes[_UNITS].numbers)
        if _CLOCK in axes:
            clocks = tuple(1e6 * value for value in axes[_CLOCK].numbers)
        try:
            spaces.append(explore(parts, family, units, clocks))
        except ShaderlabError as error:
            problems[family.slug] = str(error)
    return spaces, problems


COMMANDS = (
    Command(
        "explore",
        "Show a shader's time over compute units and clocks of AMD chips.",
        explore_,
        (options.SHADER, options.INPUTS, options.FRAME, options.DEVICE),
        _options,
    ),
)
