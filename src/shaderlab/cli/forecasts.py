"""`predict`, `targets`: times on GPUs this machine does not have."""

from __future__ import annotations

import argparse
from contextlib import closing
from dataclasses import replace

from shaderlab.cli import compiled, host_times, options
from shaderlab.cli.command import Answer, Command
from shaderlab.cli.devices import open_device
from shaderlab.cli.passes import load_frame
from shaderlab.cli.terminal import one_line
from shaderlab.cli.texts import compiled as compiled_texts
from shaderlab.cli.texts import forecasts as texts
from shaderlab.cli.texts import passes as pass_texts
from shaderlab.errors import (
    NoVulkan,
    OutOfDeviceMemory,
    ShaderlabError,
    StartFailed,
    UnsupportedShader,
    WrongUse,
)
from shaderlab.prediction.forecast import Forecast, Status
from shaderlab.prediction.forecasts.frame_forecast import frame_forecasts
from shaderlab.scene.draw import Draw, Frame
from shaderlab.studies.forecasting import Workers, forecast_pass
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.predictor import PredictorWorker

_CANNOT_RUN = (UnsupportedShader, NoVulkan, StartFailed, OutOfDeviceMemory)
"""Errors after which a forecast without a run is better than none."""


def _predict_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--method", metavar="M", help="one that `shaderlab targets` lists")
    parser.add_argument(
        "--static", action="store_true", help="do not run it: estimate its counts from the source"
    )
    parser.add_argument(
        "--details", action="store_true", help="what each time is made of and what bounds it"
    )
    parser.add_argument(
        "--measured", type=options.positive, metavar="S",
        help="seconds that this frame takes on the device, as `profile` prints: where that is far "
        "from the forecast for the device, the others are marked",
    )  # fmt: skip
    host_times.add_option(parser)


def predict(arguments: argparse.Namespace) -> Answer:
    frame = load_frame(arguments)
    draw = frame.shown
    if len(frame.passes) > 1:
        return _predict_frame(frame, arguments)
    if arguments.static and draw != Draw(draw.program) and not draw.is_compute:
        raise WrongUse(
            "--static predicts the canonical run: no --size, --time or --frame, no inputs and no "
            "vertex shader"
        )
    reason = None
    if arguments.static:
        forecasts = _forecast_statically(draw, arguments)
    else:
        try:
            (forecasts,) = _forecast(frame, arguments, arguments.target).values()
        except _CANNOT_RUN as error:
            reason = str(error)
            forecasts = _instead(draw, arguments, error)
    none = any(each.status is Status.NONE for each in forecasts)
    data = texts.data(forecasts) | {"reason": reason, "program": draw.program.digest}
    shown = texts.text(forecasts, draw.program.text)
    if arguments.details:
        shown += f"\n\n{texts.details(forecasts)}"
    if arguments.host:
        found = host_times.by_host(draw, arguments)
        data["by_host"] = host_times.data(found)
        shown += f"\n\n{host_times.text(found)}"
    return Answer(data, shown, 1 if none else 0)


def _predict_frame(frame: Frame, arguments: argparse.Namespace) -> Answer:
    if arguments.static or arguments.measured or arguments.host:
        raise WrongUse("--static, --measured and --host are for one shader: name a pass's own file")
    by_pass = _forecast(frame, arguments, arguments.target)
    found = frame_forecasts(by_pass, frame.draws_per_frame)
    none = any(each.status is Status.NONE for each in found)
    return Answer(
        pass_texts.forecast_data(found), pass_texts.forecast_text(found), 1 if none else 0
    )


def _instead(
    draw: Draw, arguments: argparse.Namespace, error: ShaderlabError
) -> tuple[Forecast, ...]:
    """Estimates of a draw that cannot run here; raises `error` where there are none either."""
    try:
        forecasts = _forecast_statically(draw, arguments)
    except ShaderlabError:
        raise error from None
    warning = f"It was not run: {error}"
    if draw.is_compute:
        warning += " The estimate ignores what its buffers hold."
    elif draw != Draw.of(draw.program, draw.size):
        warning += " The estimate ignores what the shader was given."
    return tuple(replace(each, warnings=(warning, *each.warnings)) for each in forecasts)


def targets(_arguments: argparse.Namespace) -> Answer:
    with closing(PredictorWorker()) as predictor:
        installed = predictor.targets().result()
        refused = predictor.problems().result()
    compile_only = compiled.target_data()
    parts = [texts.targets_text(installed)]
    if compile_only:
        parts.append(compiled_texts.targets_text(compile_only))
    if refused:
        parts.append("\n".join(f"not loaded: {one_line(why)}" for why in refused))
    entries = [texts.target_data(t) for t in installed] + compile_only
    return Answer(entries, "\n\n".join(parts))


def _forecast(
    frame: Frame, arguments: argparse.Namespace, wanted: list[str] | None
) -> dict[str, tuple[Forecast, ...]]:
    """By pass: a forecast for each target."""
    with (
        closing(CompilerWorker()) as compiler,
        closing(PredictorWorker()) as predictor,
        open_device(arguments) as device,
    ):
        predictor.start()
        method = getattr(arguments, "method", None)
        seconds = getattr(arguments, "measured", None)
        return {
            each.name: forecast_pass(
                frame, each.name, Workers(device, compiler, predictor), wanted, method, seconds
            )
            for each in frame.passes
        }


def _forecast_statically(draw: Draw, arguments: argparse.Namespace) -> tuple[Forecast, ...]:
    with closing(PredictorWorker()) as predictor:
        ask = predictor.predict_static
        return ask(
            draw.program,
            arguments.target,
            arguments.method,
            size=draw.counted_size,
            dispatch=draw.dispatch,
        ).result()


_SHARES = (options.SHADER, options.INPUTS, options.FRAME, options.DEVICE)

COMMANDS = (
    Command(
        "predict",
        "Predict the time on GPUs that are not here.",
        predict,
        (*_SHARES, options.TARGET),
        _predict_options,
    ),
    Command("targets", "List the targets that can be predicted.", targets),
)
