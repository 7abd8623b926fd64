"""The frame that a project's passes and its shader make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from shaderlab.frontend.program import Program
from shaderlab.projects.project import SHOWN_PASS, Project
from shaderlab.scene.draw import Draw, DrawState, Frame, Pass


def frame(project: Project, shown: Draw, programs: Mapping[Path, Program]) -> Frame:
    """The passes in their order, then the shader as it is `shown`.

    Passes run at the time of the shader, and where they have no size of their own at its size.
    `programs`: of every pass, by its shader's path.
    """
    passes = [
        Pass(each.name, Draw(programs[each.shader], _followed(each.state, shown.state, project)))
        for each in project.passes
    ]
    return Frame((*passes, Pass(SHOWN_PASS, shown)))


def _followed(state: DrawState, shown: DrawState, project: Project) -> DrawState:
    if state.size == project.state.size:
        state = replace(state, attachments=replace(state.attachments, size=shown.size))
    return replace(state, inputs=replace(state.inputs, clock=shown.inputs.clock))
