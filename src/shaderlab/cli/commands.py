"""The table of commands."""

from __future__ import annotations

from shaderlab.cli import (
    calibrating,
    campaigning,
    capturing,
    checking,
    compiled,
    compilers,
    dataset,
    doctor,
    evaluating,
    exploring,
    forecasts,
    importing,
    inputs,
    occupying,
    pairing,
    recording,
    reporting,
    scaling,
    serving,
    shaders,
    sweeping,
    version,
)
from shaderlab.cli.command import Command

COMMANDS: dict[str, Command] = {
    command.name: command
    for module in (
        shaders,
        inputs,
        importing,
        forecasts,
        checking,
        capturing,
        scaling,
        sweeping,
        exploring,
        occupying,
        reporting,
        evaluating,
        pairing,
        compiled,
        compilers,
        calibrating,
        recording,
        dataset,
        campaigning,
        serving,
        doctor,
        version,
    )
    for command in module.COMMANDS
}
"""By name, in the order `--help` lists them."""
