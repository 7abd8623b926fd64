"""`OtherPasses`: what is drawn in a frame beside the text being edited."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from shaderlab.errors import ShaderlabError, WrongUse
from shaderlab.frontend.program import Program
from shaderlab.projects.frames import frame
from shaderlab.projects.project import SHOWN_PASS, Project, Text
from shaderlab.scene.draw import CANONICAL_SIZE, Draw, DrawState, Frame
from shaderlab.scene.inputs import Inputs


@dataclass(frozen=True)
class OtherPasses:
    """The passes of the document's project.  Without a project, or one without, there are none."""

    project: Project | None = None
    edited: str = ""
    """Name of the pass whose text is the document; empty where there are no passes."""
    programs: Mapping[Text, Program] = field(default_factory=dict)
    """By text: of the passes that are not edited, the latest that compiled."""
    vertices: Mapping[str, Program] = field(default_factory=dict)
    """Of their own vertex stages, by the pass's name."""
    waiting: bool = False
    """Some are being compiled for the first time: without them there is no frame yet."""
    problem: ShaderlabError | None = None
    """Why there is no frame: a pass has never compiled."""

    @property
    def names(self) -> tuple[str, ...]:
        """Of all passes in the order they run; empty where there are none."""
        if self.project is None or not self.edited:
            return ()
        return (*(each.name for each in self.project.passes), SHOWN_PASS)

    def shader(self, name: str) -> Path | None:
        """File of the pass of that name; None where there is no such pass."""
        if self.project is None or name not in self.names:
            return None
        own = (each.shader for each in self.project.passes if each.name == name)
        return next(own, self.project.shader)

    @property
    def digest(self) -> str:
        """Of everything in them that a picture depends on."""
        if self.project is None or not self.edited:
            return ""
        programs = sorted((str(text), each.digest) for text, each in self.programs.items())
        vertices = sorted((name, each.digest) for name, each in self.vertices.items())
        rule = self.project.rule
        around = self.project.state, self.project.passes, rule
        return repr((self.edited, *around, programs, vertices))

    @property
    def _own(self) -> DrawState:
        """What the project has for the edited pass."""
        assert self.project is not None
        own = (each.state for each in self.project.passes if each.name == self.edited)
        return next(own, self.project.state)

    def _parts(self, edited: DrawState) -> tuple[Project, DrawState]:
        """The project with the edited pass drawn so, and what is shown then."""
        project = self.project
        assert project is not None
        if project.rule is not None:
            edited = _with_own(self._own, edited)
        if self.edited == SHOWN_PASS:
            return project, edited
        passes = tuple(
            replace(each, state=replace(each.state, inputs=edited.inputs))
            if each.name == self.edited
            else each
            for each in project.passes
        )
        attachments = replace(project.state.attachments, size=edited.size)
        inputs = replace(project.state.inputs, clock=edited.inputs.clock)
        shown = replace(project.state, inputs=inputs, attachments=attachments)
        return replace(project, passes=passes), shown

    def size_problem(self, edited: DrawState) -> WrongUse | None:
        """Why the frame has no sizes where the edited pass is drawn so."""
        try:
            self.inputs(edited)
        except WrongUse as error:
            return error
        return None

    def inputs(self, edited: DrawState) -> Inputs:
        """What the edited pass is given in the frame.  Raises WrongUse as `FrameRule.states`."""
        if self.project is None or self.project.rule is None or not self.edited:
            return edited.inputs
        project, shown = self._parts(edited)
        return self.project.rule.states(project, shown)[self.names.index(self.edited)].inputs

    def frame(self, edited: Draw) -> Frame:
        """The whole frame with the edited pass drawn so.

        The others run at its time, and at its size where they have none of their own; at a size
        that no frame of them has, all is drawn as large as in the canonical run.  Only while
        nothing is `waiting` and there is no `problem`.
        """
        if self.project is None or not self.edited:
            return Frame.of(edited)
        if self.size_problem(edited.state) is not None:
            edited = edited.of_size(CANONICAL_SIZE)
        project, state = self._parts(edited.state)
        own = next((e.text for e in project.passes if e.name == self.edited), project.text)
        programs = {**self.programs, own: edited.program}
        vertices = dict(self.vertices)
        if edited.vertex is not None:
            vertices[self.edited] = edited.vertex
        shown = Draw(programs[project.text], state, vertices.get(SHOWN_PASS))
        return frame(project, shown, programs, vertices)

    def draw(self, edited: Draw) -> Draw:
        """The edited pass as the frame has it: with its own attachments."""
        return self.frame(edited).named(self.edited) if self.edited else edited


def _with_own(own: DrawState, edited: DrawState) -> DrawState:
    """With what the description gives the pass, and the window keeps for no input."""
    given = edited.inputs
    inputs = replace(
        given,
        values={**own.inputs.values, **given.values},
        textures={**own.inputs.textures, **given.textures},
    )
    attachments = replace(own.attachments, size=edited.size)
    return replace(edited, inputs=inputs, attachments=attachments)


ALONE = OtherPasses()


def edited_pass(project: Project, shader: Path) -> str:
    """Which pass of the project the shader is; empty where it is none, or the only one
    and nothing else decides how it is drawn."""
    if not project.passes and project.rule is None:
        return ""
    if shader == project.shader:
        return SHOWN_PASS
    return next((each.name for each in project.passes if each.shader == shader), "")
