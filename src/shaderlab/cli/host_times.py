"""`predict --host`: rows that follow from what the frame takes on the device at hand."""

from __future__ import annotations

import argparse
from typing import Any

from shaderlab import units
from shaderlab.cli.devices import open_device
from shaderlab.cli.terminal import note
from shaderlab.cli.texts import forecasts as texts
from shaderlab.errors import WrongUse
from shaderlab.gpu.measurement import own_clock
from shaderlab.prediction.forecast import Forecast, Measured
from shaderlab.scene.draw import Draw
from shaderlab.studies.sweep import Effort


def add_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--host", metavar="DEVICE",
        help="also predict from the frame's time on this device alone, measured here or given by "
        "--measured (the manual's Studies explains pairs)",
    )  # fmt: skip


def by_host(draw: Draw, arguments: argparse.Namespace) -> tuple[Measured, tuple[Forecast, ...]]:
    """Raises `WrongUse` for a device that is not here when no time is given, or other frames than
    the pairs are of."""
    # `campaign` runs where the models' packages are not installed.
    from shaderlab.prediction.forecasts.by_host import forecasts_by_host

    if draw.is_compute or draw != Draw.of(draw.program):
        raise WrongUse("--host is for the canonical run: pairs were timed at 1024x768, iTime 1")
    measured = _measured(draw, arguments)
    return measured, forecasts_by_host(measured, arguments.target)


def _measured(draw: Draw, arguments: argparse.Namespace) -> Measured:
    if arguments.measured:
        return Measured(arguments.host, arguments.measured)
    with open_device(arguments) as device:
        if device.info.slug != arguments.host:
            raise WrongUse(
                f"the device here is {device.info.slug}, not {arguments.host[:80]}: choose it with "
                "--device, or give its time with --measured"
            )
        note(f"timing it on {arguments.host}")
        measured = device.profile(draw, *Effort()).result()
        return Measured(arguments.host, own_clock(measured, device.info.kind)[0].time_s)


def data(measured: Measured, found: tuple[Forecast, ...]) -> dict[str, Any]:
    return {
        "host": measured.device,
        "measured_s": measured.time_s,
        "targets": texts.data(found)["targets"],
    }


def text(measured: Measured, found: tuple[Forecast, ...]) -> str:
    return (
        f"from {units.seconds(measured.time_s)} on {measured.device} alone, without looking at "
        f"the shader\n{texts.text(found)}\nprefer the forecast above where its error is smaller"
    )
