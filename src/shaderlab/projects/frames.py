"""The frame that a project's passes and its shader make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from shaderlab.frontend.program import Program
from shaderlab.projects.project import SHOWN_PASS, Project, Text
from shaderlab.scene.draw import Draw, DrawState, Frame, Pass


def frame(
    project: Project,
    shown: Draw,
    programs: Mapping[Text, Program],
    vertices: Mapping[str, Program] | None = None,
) -> Frame:
    """The passes in their order, then the shader as it is `shown`.

    Passes run at the time of the shader, and where they have no size of their own at its size.
    `programs`: of every pass, by its text; `vertices`: of those with a vertex stage, by
    the pass's name.  Raises WrongUse for a size that cannot be.
    """
    stages = vertices or {}
    if project.rule is not None:
        *states, own = project.rule.states(project, shown.state)
        shown = replace(shown, state=own)
    else:
        states = [_in_step(each.state, shown.state, project) for each in project.passes]
    passes = [
        Pass(each.name, Draw(programs[each.text], state, stages.get(each.name)))
        for each, state in zip(project.passes, states, strict=True)
    ]
    return Frame((*passes, Pass(SHOWN_PASS, shown)))


def followed(project: Project | None, frame: Frame) -> Frame:
    """The frame once more after what is shown was changed, which its other passes may follow.

    Raises WrongUse for a size that cannot be.
    """
    if project is None or project.rule is None:
        return frame
    states = project.rule.states(project, frame.shown.state)
    return Frame(
        tuple(
            replace(each, draw=replace(each.draw, state=state))
            for each, state in zip(frame.passes, states, strict=True)
        )
    )


def _in_step(state: DrawState, shown: DrawState, project: Project) -> DrawState:
    if state.size == project.state.size:
        state = replace(state, attachments=replace(state.attachments, size=shown.size))
    return replace(state, inputs=replace(state.inputs, clock=shown.inputs.clock))
