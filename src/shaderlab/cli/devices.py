"""The device and the shader that a command's arguments name."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from shaderlab.frontend.program import Program
from shaderlab.gpu.discovery import choose
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.discovery import discover
from shaderlab.workers.supervisor.limits import Limits


def load(path: Path) -> Program:
    with closing(CompilerWorker()) as compiler:
        return compiler.load(path).result()


@contextmanager
def open_device(arguments: argparse.Namespace) -> Iterator[DeviceWorker]:
    limits = Limits(frame=60.0)
    if arguments.deadline is not None:
        limit = arguments.deadline
        limits = replace(limits, frame=limit, trace=limit, profile=limit)
    found = discover().result()
    with closing(DeviceWorker(choose(found.devices, arguments.device), limits)) as worker:
        yield worker
