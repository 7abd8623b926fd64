"""`predict --host`: rows that follow from what the frame takes on the device at hand."""

from __future__ import annotations

import argparse
from typing import Any, NamedTuple

from shaderlab import units
from shaderlab.cli.devices import device_of
from shaderlab.cli.terminal import note
from shaderlab.cli.texts import forecasts as texts
from shaderlab.engine.crew import Engine
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


class ByHost(NamedTuple):
    """What follows from one measured time."""

    measured: Measured
    forecasts: tuple[Forecast, ...]
    without: tuple[str, ...]
    """Targets without a pair table from this device."""


def by_host(draw: Draw, arguments: argparse.Namespace, engine: Engine) -> ByHost:
    """Raises `WrongUse` for a device that is not here when no time is given, or other frames than
    the pairs are of."""
    # `campaign` runs where the models' packages are not installed.
    from shaderlab.prediction.forecasts.by_host import forecasts_by_host, without_pair

    if draw.is_compute or draw != Draw.of(draw.program):
        raise WrongUse("--host is for the canonical run: pairs were timed at 1024x768, iTime 1")
    measured = _measured(draw, arguments, engine)
    found = forecasts_by_host(measured, arguments.target)
    return ByHost(measured, found, without_pair(measured.device, found, arguments.target))


def _measured(draw: Draw, arguments: argparse.Namespace, engine: Engine) -> Measured:
    if arguments.measured:
        return Measured(arguments.host, arguments.measured)
    device = device_of(engine)
    if device.info.slug != arguments.host:
        raise WrongUse(
            f"the device here is {device.info.slug}, not {arguments.host[:80]}: choose it with "
            "--device, or give its time with --measured"
        )
    note(f"timing it on {arguments.host}")
    measured = device.profile(draw, *Effort()).result()
    return Measured(arguments.host, own_clock(measured, device.info.kind)[0].time_s)


def data(found: ByHost) -> dict[str, Any]:
    return {
        "host": found.measured.device,
        "measured_s": found.measured.time_s,
        "targets": texts.data(found.forecasts)["targets"],
        "without_pair": list(found.without),
    }


def text(found: ByHost) -> str:
    device, seconds = found.measured.device, units.seconds(found.measured.time_s)
    missing = ", ".join(found.without)
    return (
        f"from {seconds} on {device} alone, without looking at the shader\n"
        f"{texts.text(found.forecasts)}\nprefer the forecast above where its error is smaller"
        + (f"\nno forecast for {missing}: no pair table from {device}" if missing else "")
    )
