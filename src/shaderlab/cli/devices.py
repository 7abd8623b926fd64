"""The device and the shader that a command's arguments name."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace

from shaderlab.cli.frame import drawn, reading, take_project, vertex_path, vertex_reading
from shaderlab.errors import CompileFailed, WrongUse
from shaderlab.frontend.program import Program
from shaderlab.frontend.stage import Stage
from shaderlab.frontend.stage_linking import linked
from shaderlab.scene.draw import Draw
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.discovery import discover
from shaderlab.workers.supervisor.limits import Limits


@contextmanager
def compiling(running: CompilerWorker | None = None) -> Iterator[CompilerWorker]:
    """A compiler: the one that runs already, else one of its own."""
    if running is not None:
        yield running
        return
    with closing(CompilerWorker()) as compiler:
        yield compiler


def load(arguments: argparse.Namespace, running: CompilerWorker | None = None) -> Program:
    """The fragment or compute shader in the file that is named, read as the other options say."""
    program = load_any_stage(arguments, running)
    if program.stage is not Stage.COMPUTE:
        require_fragment(program)
    return program


def load_any_stage(arguments: argparse.Namespace, running: CompilerWorker | None = None) -> Program:
    """As `load`, for what concerns every stage."""
    take_project(arguments)
    with compiling(running) as compiler:
        return compiler.load(arguments.file, reading(arguments)).result()


def load_draw(
    arguments: argparse.Namespace, program: Program, running: CompilerWorker | None = None
) -> Draw:
    """The program with its vertex stage, if any, and what they are given."""
    path = vertex_path(arguments)
    if path is not None and program.stage is Stage.COMPUTE:
        raise WrongUse(f"{program.name} is a compute shader, which has no vertex stage")
    if path is None:
        return drawn(arguments, program)
    with compiling(running) as compiler:
        try:
            vertex = compiler.load(path, vertex_reading(arguments)).result()
        except CompileFailed as error:
            raise placed(error, path.name) from None
    if vertex.stage is not Stage.VERTEX:
        raise WrongUse(f"{path.name} is a {vertex.stage.shown} shader, not a vertex shader")
    return drawn(arguments, program, linked(vertex, program))


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
    if arguments.deadline is not None:
        limit = arguments.deadline
        limits = replace(limits, frame=limit, trace=limit, profile=limit)
    return limits


@contextmanager
def open_device(arguments: argparse.Namespace) -> Iterator[DeviceWorker]:
    found = discover().result()
    device = found.choose(arguments.device)
    with closing(DeviceWorker(device, device_limits(arguments))) as worker:
        yield worker
