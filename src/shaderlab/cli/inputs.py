"""`inputs`: what a shader reads, what it is given, and what that decides."""

from __future__ import annotations

import argparse

from shaderlab.cli import options
from shaderlab.cli.command import Answer, Command
from shaderlab.cli.devices import load
from shaderlab.cli.frame import draw_state
from shaderlab.cli.texts import inputs as texts
from shaderlab.scene.defaults import decided_by, decisions, listed


def inputs(arguments: argparse.Namespace) -> Answer:
    program = load(arguments)
    draw = draw_state(arguments, program).draw(program)
    found = decisions(program)
    rows = [(each, decided_by(found, each)) for each in listed(draw)]
    return Answer(texts.data(rows), texts.text(program.name, rows))


COMMANDS = (
    Command(
        "inputs",
        "List what a shader reads and what it is given.",
        inputs,
        (options.SHADER, options.INPUTS, options.FRAME),
    ),
)
