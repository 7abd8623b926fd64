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


@dataclass(frozen=True)
class OtherPasses:
    """The passes of the document's project.  Without a project, or one without, there are none."""

    project: Project | None = None
    edited: str = ""
    """Name of the pass whose text is the document; empty where there are no passes."""
    programs: Mapping[Text, Program] = field(default_factory=dict)
    """By text: of the passes that are not edited, the latest that compiled."""
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
        programs = sorted((str(path), each.digest) for path, each in self.programs.items())
        rule = self.project.rule
        return repr((self.edited, self.project.state, self.project.passes, rule, programs))

    def size_problem(self, edited: DrawState) -> WrongUse | None:
        """Why the frame has no sizes where the edited pass is drawn so."""
        if self.project is None or self.project.rule is None or not self.edited:
            return None
        try:
            self.project.rule.states(self.project, _with_own(self.project, edited))
        except WrongUse as error:
            return error
        return None

    def frame(self, edited: Draw) -> Frame:
        """The whole frame with the edited pass drawn so.

        The others run at its time, and at its size where they have none of their own; at a size
        that no frame of them has, all is drawn as large as in the canonical run.  Only while
        nothing is `waiting` and there is no `problem`.
        """
        if self.size_problem(edited.state) is not None:
            edited = edited.of_size(CANONICAL_SIZE)
        project = self.project
        if project is None or not self.edited:
            return Frame.of(edited)
        if project.rule is not None:
            edited = replace(edited, state=_with_own(project, edited.state))
        if self.edited == SHOWN_PASS:
            return frame(project, edited, {**self.programs, project.text: edited.program})
        mine = next(each for each in project.passes if each.name == self.edited)
        own = replace(mine, state=replace(mine.state, inputs=edited.inputs))
        passes = tuple(own if each is mine else each for each in project.passes)
        attachments = replace(project.state.attachments, size=edited.size)
        state = replace(project.state, attachments=attachments)
        state = replace(state, inputs=replace(state.inputs, clock=edited.inputs.clock))
        programs = {**self.programs, mine.text: edited.program}
        shown = state.draw(programs[project.text])
        return frame(replace(project, passes=passes), shown, programs)

    def draw(self, edited: Draw) -> Draw:
        """The edited pass as the frame has it: with its own attachments."""
        return self.frame(edited).named(self.edited) if self.edited else edited


def _with_own(project: Project, edited: DrawState) -> DrawState:
    """With what the description gives the shown pass, and the window keeps for no input."""
    own, given = project.state.inputs, edited.inputs
    inputs = replace(
        given,
        values={**own.values, **given.values},
        textures={**own.textures, **given.textures},
    )
    attachments = replace(project.state.attachments, size=edited.size)
    return replace(edited, inputs=inputs, attachments=attachments)


ALONE = OtherPasses()


def edited_pass(project: Project, shader: Path) -> str:
    """Which pass of the project the shader is; empty where it is none, or the only one."""
    if not project.passes:
        return ""
    if shader == project.shader:
        return SHOWN_PASS
    return next((each.name for each in project.passes if each.shader == shader), "")
