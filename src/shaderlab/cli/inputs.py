"""`inputs`: what a shader reads, what it is given, and what that decides."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

from shaderlab.cli import launching, options
from shaderlab.cli.command import Answer, Command
from shaderlab.cli.devices import answering, device_of, load_any_stage, load_draw
from shaderlab.cli.texts import inputs as texts
from shaderlab.engine.crew import Engine
from shaderlab.errors import NoVulkan, StartFailed, UnsupportedShader
from shaderlab.frontend.stage import Stage
from shaderlab.gpu.outputs import BufferNeed
from shaderlab.scene.buffer_contents import run_time_arrays
from shaderlab.scene.defaults import decided_by, decisions, listed
from shaderlab.scene.draw import Draw
from shaderlab.scene.shader_input import InputKind, ShaderInput


def inputs(arguments: argparse.Namespace) -> Answer:
    with answering(arguments) as engine:
        return _inputs(arguments, engine)


def _inputs(arguments: argparse.Namespace, engine: Engine) -> Answer:
    program = load_any_stage(arguments, engine)
    draw = load_draw(arguments, program, engine)
    found = decisions(program)
    rows = [(each, decided_by(found, each)) for each in listed(draw)]
    if program.stage is Stage.VERTEX:
        rows = [(_as_attribute(each), decision) for each, decision in rows]
    data, text = texts.data(rows), texts.text(program.name, rows)
    if program.left_out:
        data["left_out"] = program.left_out
        text += f"\n\nnote: {program.left_out}"
    if draw.is_compute:
        return _with_launch(engine, draw, data, text)
    return Answer(data, text)


def _with_launch(engine: Engine, draw: Draw, data: dict[str, Any], text: str) -> Answer:
    """The same of a compute shader, with its launch and what its buffers need, found by running
    it."""
    needs: tuple[BufferNeed, ...] = ()
    note = ""
    if run_time_arrays(draw.program.interface):
        try:
            needs = device_of(engine).buffers(draw).result()
        except (NoVulkan, StartFailed, UnsupportedShader) as error:
            note = f"The sizes of its buffers are not known: {error}"
    data |= {
        "launch": launching.launch_data(draw.launch),
        "buffers": launching.sizes_data(needs),
        "note": note or None,
    }
    parts = [text, launching.launch_text(draw.launch), launching.sizes_text(needs), note]
    return Answer(data, "\n\n".join(part for part in parts if part))


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
        (options.SHADER, options.INPUTS, options.FRAME, options.DEVICE),
    ),
)
