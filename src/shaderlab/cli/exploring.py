"""`explore`: the weakest GPU for a shader, of all there are or of a family's chips."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from contextlib import closing

from shaderlab.cli import options
from shaderlab.cli.command import Answer, Command
from shaderlab.cli.devices import answering, device_of, load_frame
from shaderlab.cli.texts import exploring as texts
from shaderlab.engine import questions
from shaderlab.engine.questions import Asked
from shaderlab.errors import ShaderlabError, UnknownTarget, WrongUse
from shaderlab.gpu.compilers.families import Family
from shaderlab.prediction.catalogue.listed import ALL
from shaderlab.studies.axes import Axis, combinations, parse
from shaderlab.studies.explore import Space, explore, on_products, usual
from shaderlab.studies.frame_parts import costs_of, parts_of
from shaderlab.workers import compiled
from shaderlab.workers.compiled import CompiledWorkers
from shaderlab.workers.frame_costs import CompiledFrame, FrameCosts

_UNITS, _CLOCK = "cu", "clock"
_MOST_UNITS, _MOST_MHZ = 1024, 10_000


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--family", action="append", metavar="FAM",
        help="over compute units and clocks of an AMD chip that `shaderlab targets` lists (navi23, "
        "or Radeon RX 6600), or amd for all; without it every product of any vendor is compared",
    )  # fmt: skip
    parser.add_argument(
        "--vary", action="append", default=[], metavar="NAME=VALUES",
        help="cu (compute units) or clock (MHz), with a list or a range (8:96:8)",
    )  # fmt: skip
    parser.add_argument(
        "--budget", type=options.duration, default=1 / 60, metavar="TIME",
        help="what a frame may take, such as 16.6ms (default: 1/60 s)",
    )  # fmt: skip


def explore_(arguments: argparse.Namespace) -> Answer:
    return _every_product(arguments) if arguments.family is None else _families(arguments)


def _every_product(arguments: argparse.Namespace) -> Answer:
    """Forecasts for all products, or those of a vendor or year."""
    if arguments.vary:
        raise WrongUse("--vary is for the chips of a --family")
    wanted = tuple(arguments.target or [ALL])
    with answering(arguments) as engine:
        engine.ask(questions.device)
        frame = load_frame(arguments, engine)
        forecasts = engine.answer(questions.total, frame, Asked(wanted))
        infos = engine.answer(questions.targets, wanted)
    products = on_products(infos, forecasts).products
    if not products:
        raise WrongUse("none of these targets is a product")
    budget_s = arguments.budget
    data = {"budget_s": budget_s} | texts.held_data(products, budget_s)
    return Answer(data, texts.held_text(products, budget_s))


def _families(arguments: argparse.Namespace) -> Answer:
    if arguments.target:
        raise WrongUse("--family names chips; --target, --vendor and --since choose among products")
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
        "Find the weakest GPU that a shader is fast enough on.",
        explore_,
        (options.SHADER, options.INPUTS, options.FRAME, options.DEVICE, options.TARGET),
        _options,
    ),
)
