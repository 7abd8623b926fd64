"""`sweep`: a shader at several values of its constants and inputs."""

from __future__ import annotations

import argparse
from contextlib import closing

from shaderlab.cli import options
from shaderlab.cli.command import Answer, Command
from shaderlab.cli.devices import open_device
from shaderlab.cli.frame import reading
from shaderlab.cli.passes import load_frame
from shaderlab.cli.terminal import note, one_line
from shaderlab.cli.texts import sweeping as texts
from shaderlab.errors import WrongUse
from shaderlab.studies.axes import combinations, parse
from shaderlab.studies.forecasting import Workers
from shaderlab.studies.sweep import Effort, Plan, Point, sweep
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.predictor import PredictorWorker


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "axes", nargs="+", metavar="NAME=VALUES",
        help="a #define, constant, specialisation constant or input of the shader, with a list "
        "(8,16,32) or a range (10:50:10, 8:128:x2)",
    )  # fmt: skip
    parser.add_argument(
        "--measure", action="store_true", help="also time every variant on this machine"
    )
    parser.add_argument(
        "--anchor", action="store_true",
        help="time only the reference, and scale this device's predicted curve to pass through it",
    )  # fmt: skip
    parser.add_argument(
        "--reference", metavar="V,…",
        help="values whose picture the others are compared with, one per name (default: the first)",
    )  # fmt: skip
    parser.add_argument("--trials", type=options.natural, default=5, metavar="N")
    parser.add_argument("--draws", type=options.natural, default=10, metavar="N", help="per trial")


def sweep_(arguments: argparse.Namespace) -> Answer:
    axes = tuple(parse(text) for text in arguments.axes)
    combinations(axes)  # report too many before anything is compiled
    chosen, measured = arguments.reference, arguments.measure or arguments.anchor
    if arguments.measure and arguments.anchor:
        raise WrongUse("give --measure or --anchor, not both")
    frame = load_frame(arguments)
    plan = Plan(
        frame,
        axes,
        arguments.file.parent,
        reading(arguments),
        tuple(arguments.target) if arguments.target else None,
        Effort(arguments.trials, arguments.draws) if measured else None,
        tuple(each.strip() for each in chosen.split(",")) if chosen else None,
        anchor_only=arguments.anchor,
    )
    with (
        closing(CompilerWorker()) as compiler,
        closing(PredictorWorker()) as predictor,
        open_device(arguments) as device,
    ):
        predictor.start()
        found = sweep(plan, Workers(device, compiler, predictor), _report)
    failed = any(point.failure for point in found.points)
    return Answer(texts.data(found), texts.text(found), 1 if failed else 0)


def _report(done: int, total: int, point: Point) -> None:
    note(one_line(f"{done}/{total} {', '.join(point.values)}"))


COMMANDS = (
    Command(
        "sweep",
        "Predict and compare a shader at several values of its constants and inputs.",
        sweep_,
        (options.SHADER, options.INPUTS, options.FRAME, options.DEVICE, options.TARGET),
        _options,
    ),
)
