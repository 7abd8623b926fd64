"""The device and the shader that a command's arguments name."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from shaderlab.cli.frame import (
    drawn,
    opened_project,
    reading,
    take_project,
    vertex_path,
    vertex_reading,
)
from shaderlab.engine import questions
from shaderlab.engine.crew import Crew, Engine
from shaderlab.errors import CompileFailed, WrongUse
from shaderlab.frontend.program import Program
from shaderlab.frontend.stage import Stage
from shaderlab.projects.frames import frame
from shaderlab.projects.manner import of_pass
from shaderlab.projects.project import Text
from shaderlab.scene.draw import Draw, Frame
from shaderlab.studies.pace import pace
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.supervisor.limits import Limits


@contextmanager
def answering(arguments: argparse.Namespace) -> Iterator[Engine]:
    """What answers the questions of one command, with the device and limits it names."""
    crew = Crew(getattr(arguments, "device", None), device_limits(arguments))
    with closing(Engine(crew, kept=not getattr(arguments, "no_cache", False))) as engine:
        yield engine


def load(arguments: argparse.Namespace, engine: Engine) -> Program:
    """The fragment or compute shader in the file that is named, read as the other options say."""
    program = load_any_stage(arguments, engine)
    if program.stage is not Stage.COMPUTE:
        require_fragment(program)
    return program


def load_any_stage(arguments: argparse.Namespace, engine: Engine) -> Program:
    """As `load`, for what concerns every stage."""
    take_project(arguments)
    return engine.answer(questions.program, arguments.file, reading(arguments))


def load_draw(arguments: argparse.Namespace, program: Program, engine: Engine) -> Draw:
    """The program with its vertex stage, if any, and what they are given."""
    path = vertex_path(arguments)
    if path is not None and program.stage is Stage.COMPUTE:
        raise WrongUse(f"{program.name} is a compute shader, which has no vertex stage")
    if path is None:
        return drawn(arguments, program)
    return drawn(arguments, program, _vertex(arguments, path, program, engine))


def _vertex(arguments: argparse.Namespace, path: Path, program: Program, engine: Engine) -> Program:
    """The vertex stage in a file, as the program needs it."""
    try:
        vertex = engine.answer(questions.program, path, vertex_reading(arguments))
    except CompileFailed as error:
        raise placed(error, path.name) from None
    if vertex.stage is not Stage.VERTEX:
        raise WrongUse(f"{path.name} is a {vertex.stage.shown} shader, not a vertex shader")
    from shaderlab.frontend.stage_linking import linked  # with the front end, which takes a while

    return linked(vertex, program)


def load_frame(arguments: argparse.Namespace, engine: Engine) -> Frame:
    """The shader in the file that is named, after the passes of its project.

    Raises as `load` does.
    """
    program = load(arguments, engine)
    shown = load_draw(arguments, program, engine)
    project = opened_project(arguments)
    if project is None or shown.is_compute or not (project.passes or project.rule):
        return Frame.of(shown)
    programs: dict[Text, Program] = {}
    vertices: dict[str, Program] = {}
    for each in project.passes:
        try:
            found = engine.answer(
                questions.program, each.shader, of_pass(reading(arguments), each.entry)
            )
        except CompileFailed as error:
            raise placed(error, each.shader.name) from None
        require_fragment(found)
        programs[each.text] = found
        if each.vertex is not None:
            vertices[each.name] = _vertex(arguments, each.vertex, found, engine)
    return frame(project, shown, programs, vertices)


def placed(error: CompileFailed, file: str) -> CompileFailed:
    """The same error with the file named where it was the only one."""
    found = tuple(replace(each, file=each.file or file) for each in error.diagnostics)
    return CompileFailed(str(error), found)


def require_fragment(program: Program) -> None:
    """Raise WrongUse for a program of another stage."""
    if program.stage is not Stage.FRAGMENT:
        raise WrongUse(
            f"{program.name}: only fragment shaders are drawn here; compile takes a"
            f" {program.stage.shown} shader"
        )


def device_limits(arguments: argparse.Namespace) -> Limits:
    """What a command waits for."""
    limits = Limits(frame=60.0)
    if (limit := getattr(arguments, "deadline", None)) is not None:
        limits = replace(limits, frame=limit, trace=limit, profile=limit)
    return limits


def device_of(engine: Engine) -> DeviceWorker:
    """The device that the command names, as a worker."""
    return engine.crew.device(engine.answer(questions.device))


def pace_here(engine: Engine) -> float | None:
    """How fast this processor is beside the one of the device's prices (`studies.pace`)."""
    return engine.answer(pace, engine.answer(questions.device))


@contextmanager
def open_device(arguments: argparse.Namespace) -> Iterator[DeviceWorker]:
    """The same for commands that ask no questions."""
    with answering(arguments) as engine:
        yield device_of(engine)
