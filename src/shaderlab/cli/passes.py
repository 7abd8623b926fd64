"""The frame that a command's arguments describe: a project's passes and the shader itself."""

from __future__ import annotations

import argparse
from pathlib import Path

from shaderlab.cli.devices import compiling, load, load_draw, placed, require_fragment
from shaderlab.cli.frame import opened_project, reading
from shaderlab.errors import CompileFailed
from shaderlab.frontend.program import Program
from shaderlab.projects.frames import frame
from shaderlab.scene.draw import Frame
from shaderlab.workers.compiler import CompilerWorker


def load_frame(arguments: argparse.Namespace, running: CompilerWorker | None = None) -> Frame:
    """The shader in the file that is named, after the passes of its project.

    `running`: a compiler to ask instead of a new one.  Raises as `load` does.
    """
    program = load(arguments, running)
    shown = load_draw(arguments, program, running)
    project = opened_project(arguments)
    if project is None or not project.passes or shown.is_compute:
        return Frame.of(shown)
    programs: dict[Path, Program] = {}
    with compiling(running) as compiler:
        for each in project.passes:
            if each.shader not in programs:
                try:
                    found = compiler.load(each.shader, reading(arguments)).result()
                except CompileFailed as error:
                    raise placed(error, each.shader.name) from None
                require_fragment(found)
                programs[each.shader] = found
    return frame(project, shown, programs)
