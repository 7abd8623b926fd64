"""The device and the shader that a command's arguments name."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace

from shaderlab.cli.frame import reading, take_project
from shaderlab.errors import WrongUse
from shaderlab.frontend.program import Program
from shaderlab.frontend.stage import Stage
from shaderlab.gpu.discovery import choose
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.discovery import discover
from shaderlab.workers.supervisor.limits import Limits


def load(arguments: argparse.Namespace) -> Program:
    """The fragment shader in the file that is named, read as the other options say."""
    program = load_any_stage(arguments)
    require_fragment(program)
    return program


def load_any_stage(arguments: argparse.Namespace) -> Program:
    """As `load`, for what concerns every stage."""
    take_project(arguments)
    with closing(CompilerWorker()) as compiler:
        return compiler.load(arguments.file, reading(arguments)).result()


def require_fragment(program: Program) -> None:
    """Raise WrongUse for a program of another stage."""
    if program.stage is not Stage.FRAGMENT:
        raise WrongUse(
            f"{program.name}: only fragment shaders are drawn and counted; compile takes a"
            f" {program.stage.shown} shader"
        )


@contextmanager
def open_device(arguments: argparse.Namespace) -> Iterator[DeviceWorker]:
    limits = Limits(frame=60.0)
    if arguments.deadline is not None:
        limit = arguments.deadline
        limits = replace(limits, frame=limit, trace=limit, profile=limit)
    found = discover().result()
    with closing(DeviceWorker(choose(found.devices, arguments.device), limits)) as worker:
        yield worker
