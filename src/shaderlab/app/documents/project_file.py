"""The project file beside the shader: read when it is opened, written when it is saved."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from shaderlab import files
from shaderlab.app.documents.text_file import Apart
from shaderlab.app.qt import QObject
from shaderlab.app.session.draw_settings import DrawSettings
from shaderlab.app.session.reading_choice import ReadingChoice
from shaderlab.app.storage.stamps import stamp_of
from shaderlab.app.widgets.notifications import Action, NotificationCentre
from shaderlab.errors import ShaderlabError, WrongUse
from shaderlab.frontend.reading import RECOGNISED, Reading
from shaderlab.projects import writing
from shaderlab.projects.communities import PRESETS, opened_project, project_in, with_choices
from shaderlab.projects.finding import project_of
from shaderlab.projects.manner import reading_of, with_reading
from shaderlab.projects.project import Project, beside
from shaderlab.scene.draw import DrawState
from shaderlab.scene.textures import MOST_IMAGE_BYTES, ImageFile, Texture

_SAVING = "saving inputs"


class Kept(NamedTuple):
    """What a document's user chose that its text does not say."""

    state: DrawState = DrawState()
    reading: Reading = RECOGNISED
    vertex: Path | None = None
    """The file of the vertex stage it is drawn with."""


class ProjectFile(QObject):
    """What is kept of one document beside its text; the rest of its project stays as it was."""

    def __init__(
        self,
        drawing: DrawSettings,
        reading: ReadingChoice,
        vertex: Callable[[], Path | None],
        notices: NotificationCentre,
        parent: QObject,
    ):
        """`vertex`: which file the vertex stage is in now."""
        super().__init__(parent)
        self._drawing, self._reading, self._vertex = drawing, reading, vertex
        self._notices, self._say = notices, notices.say
        self._project: Project | None = None
        self._path: Path | None = None
        """Of the project's file, as it was opened."""
        self._pass: int | None = None
        """Which of the project's passes the document is; None: the shader itself."""
        self._opened = 0
        """Counts documents."""
        self._refused = ""
        """Why a file that is there is not to be overwritten."""
        drawing.carried_over.connect(self._on_carried_over)
        self._described: Project | None = None
        """The frame of several passes that the document's own text describes."""
        self._saved: Kept | None = None
        """What the file has; None for a document without a place on the disk."""

    @property
    def is_modified(self) -> bool:
        """Whether something would be lost that belongs beside the document's file."""
        return self._saved is not None and self.kept != self._saved

    @property
    def kept(self) -> Kept:
        """All that there is to keep now."""
        return Kept(self._drawing.kept, self._reading.value, self._vertex())

    @property
    def path(self) -> Path | None:
        """The file that was read, or written last."""
        return self._path if self._project is not None else None

    @property
    def vertex(self) -> Path | None:
        """The file of the vertex stage that the project names for the document."""
        if self._project is None:
            return None
        own = self._project if self._pass is None else self._project.passes[self._pass]
        return own.vertex

    def settle(self) -> None:
        """What was taken from the file, all of it, is nothing that is to be saved."""
        if self._saved is not None:
            self._saved = self.kept

    def alone(self, shader: Path) -> Project:
        """What is to be kept now, as a project of this shader and nothing else."""
        kept = self.kept
        return with_reading(Project(shader, state=kept.state, vertex=kept.vertex), kept.reading)

    def take(self, project: Project) -> None:
        """Use what such a project has, as what is not saved yet."""
        self._drawing.take(project.state)
        with suppress(WrongUse):
            self._reading.choose(reading_of(project, project.shader.name), by_project=True)

    def has_changed(self, apart: Apart) -> bool:
        """Whether the file is another than was read or written here."""
        path = self.path
        if path is None:
            return False
        if not apart(path.exists):
            self._say("warning", f"{path.name} was deleted on disk; its values are kept here")
            self._saved = Kept()
            return False
        try:
            return apart(lambda: opened_project(path)) != self._project
        except ShaderlabError as error:
            self._say("warning", f"{error}; what was there before is kept")
            return False

    @property
    def opened(self) -> tuple[Project, str] | None:
        """The project and its file's name; None for a document without one."""
        if self._described is not None:
            return with_choices(self._described, self._project), self._described.shader.name
        if self._project is None or self._path is None:
            return None
        return self._project, self._path.name

    def follow(self, shader: Path | None, text: str) -> bool:
        """Whether the document's text, as it stands, describes other passes than before.

        One that cannot be followed leaves those that were.
        """
        if shader is None or (self._project is not None and self._project.passes):
            return False
        try:
            described = project_in(shader, text)
        except ShaderlabError:
            return False
        former, self._described = self._described, described
        return described != former

    def open(self, shader: Path | None, apart: Apart, path: Path | None = None) -> None:
        """Another document: take what its project has, which is in `path` where that is known."""
        former = self._path
        self._project, self._refused, self._saved = None, "", None
        self._path, self._pass, self._described = None, None, None
        self._opened += 1
        self._notices.settle(_SAVING)
        if shader is None:
            return

        def read() -> Project | None:
            nonlocal path
            path = path or project_of(shader)
            if path is None and former is not None and former.parent == shader.parent:
                path = former if former.exists() and has(opened_project(former)) else None
            return opened_project(path) if path is not None else None

        resolved = shader.resolve()

        def has(project: Project) -> bool:
            return resolved in (project.shader, *(each.shader for each in project.passes))

        try:
            found = apart(read)
        except ShaderlabError as error:
            self._refused = str(error)
            self._say("warning", f"{error}. Its values are not used, and it will not be changed")
        else:
            self._project, self._path = found, path
        if self._project is None or not self._project.passes:
            try:
                self._described = apart(lambda: project_in(shader))
            except ShaderlabError as error:
                self._say("warning", f"{error}. Its passes are not drawn together")
        if self._described is not None:
            whole = with_choices(self._described, self._project)
            self._drawing.take(whole.state)
            with suppress(WrongUse):
                self._reading.choose(reading_of(whole, shader.name), by_project=True)
        elif self._project is not None and self._path is not None:
            numbers = [n for n, each in enumerate(self._project.passes) if each.shader == resolved]
            if numbers and self._project.shader != resolved:
                self._pass = numbers[0]
            self._drawing.take(self._state)
            with suppress(WrongUse):  # said where the text is read so
                self._reading.choose(reading_of(self._project, self._path.name), by_project=True)
        self._saved = self.kept

    @property
    def _state(self) -> DrawState:
        """What the project has for the document."""
        assert self._project is not None
        if self._pass is None:
            return self._project.state
        return self._project.passes[self._pass].state

    def _on_carried_over(self) -> None:
        """What another document left is nothing that its user would miss in this one."""
        if self._saved is not None:
            self._saved = self.kept

    def save(self, shader: Path, apart: Apart) -> None:
        """Write what is to be kept beside the shader, which was just saved."""
        kept = self.kept
        is_there = self._has(shader) and self._path is not None and apart(self._path.exists)
        is_same = kept == (self._saved if is_there or self._described else Kept())
        if is_same and (is_there or self._project is None):
            self._saved = kept
            return
        if self._path is not None and self._path.suffix.lower() in PRESETS:
            self._say("warning", f"What was set is not saved: {self._path.name} has its own values")
            return
        if self._refused:
            self._say("error", f"The inputs were not saved: {self._refused}", about=_SAVING)
            return
        path = self._path if is_there and self._path is not None else beside(shader)
        project = self._with_kept(shader, kept, is_there=is_there)
        try:
            apart(lambda: writing.save(path, project))
        except ShaderlabError as error:
            copy = self._copying(shader, apart) if self._elsewhere(shader.parent) else None
            self._say("error", f"The inputs were not saved: {error}", copy, _SAVING)
            return
        self._project, self._path = project, path
        self._drawing.settle()
        self._saved = self.kept
        self._notices.settle(_SAVING)

    def _elsewhere(self, folder: Path) -> list[tuple[str, Texture, ImageFile]]:
        """Textures whose image is not in the folder, by name."""
        folder = folder.resolve()
        return [
            (name, each.value, image)
            for name, each in self.kept.state.inputs.textures.items()
            if isinstance(image := each.value.source, ImageFile)
            and not image.path.resolve().is_relative_to(folder)
        ]

    def _copying(self, shader: Path, apart: Apart) -> Action:
        folder, opened = shader.parent, self._opened

        def copy() -> None:
            if opened != self._opened:  # these are another document's inputs
                return
            for name, texture, image in self._elsewhere(folder):
                try:
                    there = apart(
                        lambda path=image.path: files.copy_into(folder, path, MOST_IMAGE_BYTES)
                    )
                except ShaderlabError as error:
                    self._say("error", f"The inputs were not saved: {error}", about=_SAVING)
                    return
                moved = replace(image, path=there, stamp=stamp_of(there))
                self._drawing.set_texture(name, replace(texture, source=moved))
            self.save(shader, apart)

        return Action("Copy them there", copy)

    def _has(self, shader: Path) -> bool:
        """Whether the document is still the shader that its project names."""
        project = self._project
        if project is None:
            return False
        named = project.shader if self._pass is None else project.passes[self._pass].shader
        return named == shader.resolve()

    def _with_kept(self, shader: Path, kept: Kept, *, is_there: bool) -> Project:
        project = self._project
        state = DrawState() if project is None else self._state
        given = kept.state.inputs
        if self._described is not None:  # what its text says stands there already
            own = self._described.state.inputs
            given = replace(
                given,
                values={n: each for n, each in given.values.items() if n not in own.values},
                textures={n: each for n, each in given.textures.items() if n not in own.textures},
            )
        inputs = replace(state.inputs, values=given.values, textures=given.textures)
        state = replace(state, inputs=inputs)
        if not state.is_captured:
            state = replace(state, geometry=kept.state.geometry, launch=kept.state.launch)
        if project is not None and (self._saved is None or kept.reading != self._saved.reading):
            project = with_reading(project, kept.reading)
        if project is not None and self._pass is not None:
            if is_there:
                own = replace(project.passes[self._pass], state=state)
                passes = (*project.passes[: self._pass], own, *project.passes[self._pass + 1 :])
                return replace(project, passes=passes)
            self._pass = None
            return with_reading(Project(shader, state=state, vertex=kept.vertex), kept.reading)
        project = project or with_reading(Project(shader), kept.reading)
        if self._saved is None or kept.vertex != self._saved.vertex:
            project = replace(project, vertex=kept.vertex)
        return replace(project, shader=shader, state=state)
