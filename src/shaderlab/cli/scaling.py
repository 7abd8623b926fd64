"""`scale`: how the time follows the size of the picture, here and on targets, or the clock."""

from __future__ import annotations

import argparse

from shaderlab.cli import clock_scaling, options
from shaderlab.cli.command import Answer, Command, code_of
from shaderlab.cli.devices import answering, load_frame
from shaderlab.cli.shaders import profile_options
from shaderlab.cli.terminal import note
from shaderlab.cli.texts import scaling as texts
from shaderlab.errors import WrongUse
from shaderlab.studies.scaling import USUAL, size_study


def _sizes(text: str) -> tuple[tuple[int, int], ...]:
    return tuple(options.size(each.strip()) for each in text.split(","))


def _scale_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--over", choices=("size", "clock"), required=True,
        help="what varies: the size of the picture, or the clock of the device",
    )  # fmt: skip
    clock_scaling.add_options(parser)
    parser.add_argument(
        "--at", type=_sizes, default=USUAL, metavar="WxH,…",
        help="sizes to project and to predict; " + ",".join(f"{w}x{h}" for w, h in USUAL),
    )  # fmt: skip
    parser.add_argument(
        "--far", action="store_true",
        help="project beyond four times the largest size measured, too",
    )  # fmt: skip
    profile_options(parser)


def scale(arguments: argparse.Namespace) -> Answer:
    """Measure at several sizes, fit a line over the pixels; trace at each size for targets."""
    if arguments.over == "clock":
        return clock_scaling.scale(arguments)
    clock_scaling.check_absent(arguments)
    with answering(arguments) as engine:
        frame = load_frame(arguments, engine)
        if len(frame.passes) > 1:
            raise WrongUse("scale is for one shader: name a pass's own file")
        study = size_study(
            frame.shown,
            engine,
            arguments.target,
            effort=(arguments.trials, arguments.draws),
            at=arguments.at,
            far=arguments.far,
            report=note,
        )
    assert study is not None, "nobody stops it"
    made = [each for row in study.forecasts.values() for each in row]
    return Answer(texts.data(study), texts.text(study), code_of(made))


COMMANDS = (
    Command(
        "scale",
        "Show how the time depends on the size, here and on targets, or on the clock.",
        scale,
        options.FORECAST,
        _scale_options,
    ),
)
