"""`scale`: how the time follows the size of the picture, here and on targets, or the clock."""

from __future__ import annotations

import argparse
from contextlib import closing

import numpy as np

from shaderlab.cli import clock_scaling, options
from shaderlab.cli.command import Answer, Command
from shaderlab.cli.devices import open_device
from shaderlab.cli.passes import load_frame
from shaderlab.cli.shaders import profile_options
from shaderlab.cli.texts import scaling as texts
from shaderlab.errors import WrongUse
from shaderlab.gpu.measurement import own_clock
from shaderlab.prediction.forecast import Forecast
from shaderlab.prediction.scaling import Law, Scaling, fit
from shaderlab.scene.draw import CANONICAL_SIZE, SEVERAL_SIZES, Draw, Frame
from shaderlab.studies.forecasting import Workers, forecast_pass
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.predictor import PredictorWorker

_SHOWN = ((1920, 1080), (2560, 1440), (3840, 2160))


def _sizes(text: str) -> tuple[tuple[int, int], ...]:
    return tuple(options.size(each.strip()) for each in text.split(","))


def _scale_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--over", choices=("size", "clock"), required=True,
        help="what varies: the size of the picture, or the clock of the device",
    )  # fmt: skip
    clock_scaling.add_options(parser)
    parser.add_argument(
        "--at", type=_sizes, default=_SHOWN, metavar="WxH,…",
        help="sizes to project and to predict; " + ",".join(f"{w}x{h}" for w, h in _SHOWN),
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
    frame = load_frame(arguments)
    if len(frame.passes) > 1:
        raise WrongUse("scale is for one shader: name a pass's own file")
    draw = frame.shown
    with (
        closing(CompilerWorker()) as compiler,
        closing(PredictorWorker()) as predictor,
        open_device(arguments) as device,
    ):
        predictor.start()
        law, clock = _measured(device, draw, arguments)
        sizes = sorted({*arguments.at, CANONICAL_SIZE}, key=_pixels)
        forecasts: dict[tuple[int, int], tuple[Forecast, ...]] = {
            size: forecast_pass(
                _at(frame, size), "", Workers(device, compiler, predictor), arguments.target
            )
            for size in sizes
        }  # fmt: skip
        study = texts.Study(
            device.info.slug, clock, law, SEVERAL_SIZES, tuple(arguments.at), forecasts,
            arguments.far,
        )  # fmt: skip
    return Answer(texts.data(study), texts.text(study))


def _measured(
    device: DeviceWorker, draw: Draw, arguments: argparse.Namespace
) -> tuple[Scaling, str]:
    """The line through medians at several sizes, and the clock they are by."""
    seconds, clock = [], ""
    for size in SEVERAL_SIZES:
        measurement = device.profile(draw.of_size(size), arguments.trials, arguments.draws).result()
        measurement, clock = own_clock(measurement, device.info.kind)
        seconds.append(float(np.median(measurement.trials_s)))
    pixels = [_pixels(size) for size in SEVERAL_SIZES]
    return fit(Law.LINEAR, pixels, seconds, relative=True), clock


def _at(frame: Frame, size: tuple[int, int]) -> Frame:
    return Frame.of(frame.shown.of_size(size)) if size != frame.shown.size else frame


def _pixels(size: tuple[int, int]) -> int:
    return size[0] * size[1]


COMMANDS = (
    Command(
        "scale",
        "Show how the time depends on the size, here and on targets, or on the clock.",
        scale,
        (options.SHADER, options.INPUTS, options.FRAME, options.DEVICE, options.TARGET),
        _scale_options,
    ),
)
