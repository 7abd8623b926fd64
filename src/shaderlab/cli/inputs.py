"""`inputs`: what a shader reads, what it is given, and what that decides."""

from __future__ import annotations

import argparse
from dataclasses import replace

from shaderlab.cli import options
from shaderlab.cli.command import Answer, Command
from shaderlab.cli.devices import load_any_stage, load_draw
from shaderlab.cli.texts import inputs as texts
from shaderlab.frontend.stage import Stage
from shaderlab.scene.binding import InputKind, ShaderInput
from shaderlab.scene.defaults import decided_by, decisions, listed


def inputs(arguments: argparse.Namespace) -> Answer:
    program = load_any_stage(arguments)
    draw = load_draw(arguments, program)
    found = decisions(program)
    rows = [(each, decided_by(found, each)) for each in listed(draw)]
    if program.stage is Stage.VERTEX:
        rows = [(_as_attribute(each), decision) for each, decision in rows]
    return Answer(texts.data(rows), texts.text(program.name, rows))


def _as_attribute(each: ShaderInput) -> ShaderInput:
    """What the vertex stage reads comes from the vertices."""
    if each.kind is InputKind.VARYING:
        return replace(each, kind=InputKind.ATTRIBUTE)
    return each


COMMANDS = (
    Command(
        "inputs",
        "List what a shader reads and what it is given.",
        inputs,
        (options.SHADER, options.INPUTS, options.FRAME),
    ),
)
