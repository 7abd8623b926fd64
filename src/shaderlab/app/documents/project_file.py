"""The project file beside the shader: read when it is opened, written when it is saved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Protocol, TypeVar

from shaderlab.app.qt import QObject
from shaderlab.app.session.draw_settings import DrawSettings
from shaderlab.errors import ShaderlabError
from shaderlab.projects import reading, writing
from shaderlab.projects.project import Project, beside
from shaderlab.scene.draw import DrawState

Say = Callable[[str, str], object]
"""Kind and text of a notice."""
T = TypeVar("T")


class Apart(Protocol):
    """Calls what waits for a disk, without blocking the window."""

    def __call__(self, work: Callable[[], T]) -> T: ...


class ProjectFile(QObject):
    """Values, textures and geometry of one document; the rest of its project is kept as it was."""

    def __init__(self, drawing: DrawSettings, say: Say, parent: QObject):
        super().__init__(parent)
        self._drawing, self._say = drawing, say
        self._project: Project | None = None
        self._refused = ""
        """Why a file that is there is not to be overwritten."""
        drawing.carried_over.connect(self._on_carried_over)
        self._saved: DrawState | None = None
        """What the file has; None for a document without a place on the disk."""

    @property
    def is_modified(self) -> bool:
        """Whether something would be lost that belongs beside the document's file."""
        return self._saved is not None and self._drawing.kept != self._saved

    def open(self, shader: Path | None, apart: Apart) -> None:
        """Another document: take what its project has."""
        self._project, self._refused, self._saved = None, "", None
        if shader is None:
            return
        path = beside(shader)
        try:
            self._project = apart(lambda: reading.read(path) if path.exists() else None)
        except ShaderlabError as error:
            self._refused = str(error)
            self._say("warning", f"{error}. Its values are not used, and it will not be changed")
        if self._project is not None:
            self._drawing.take(self._project.state)
        self._saved = self._drawing.kept

    def _on_carried_over(self) -> None:
        """What another document left is nothing that its user would miss in this one."""
        if self._saved is not None:
            self._saved = self._drawing.kept

    def save(self, shader: Path, apart: Apart) -> None:
        """Write what is to be kept beside the shader, which was just saved."""
        kept = self._drawing.kept
        is_there = self._project is not None and self._project.shader == shader
        if (is_there and kept == self._saved) or (self._project is None and kept == DrawState()):
            self._saved = kept
            return
        if self._refused:
            self._say("error", f"The inputs were not saved: {self._refused}")
            return
        path, project = beside(shader), self._project or Project(shader)
        state = replace(project.state, geometry=kept.geometry)
        inputs = replace(project.state.inputs, values=kept.inputs.values)
        inputs = replace(inputs, textures=kept.inputs.textures)
        project = replace(project, shader=shader, state=replace(state, inputs=inputs))
        try:
            apart(lambda: writing.save(path, project))
        except ShaderlabError as error:
            self._say("error", f"The inputs were not saved: {error}")
            return
        self._project = project
        self._drawing.settle()
        self._saved = self._drawing.kept
