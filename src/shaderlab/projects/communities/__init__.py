"""Files of other communities that describe a frame of several passes.

Each module turns one kind of file into a project by `recognises(path, text)` and
`project(path, text)`; what it makes is drawn, counted, predicted and checked as any project is.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from shaderlab.locations import resources
from shaderlab.projects.communities import hooks, isf, libretro
from shaderlab.projects.project import Project

_KINDS = (hooks, isf, libretro)


def project_in(path: Path, text: str | None = None) -> Project | None:
    """The frame that a file describes by itself; None for any other file.

    `text`: what it holds once it is saved; None: what it holds.  Raises WrongUse, with the entry
    that is wrong, for a description that cannot be followed.
    """
    for kind in _KINDS:
        if kind.recognises(path, text):
            return kind.project(path, text)
    return None


PRESETS = (".slangp",)
"""Endings of files that describe a frame and have no shader's text themselves."""


def opened_project(path: Path) -> Project:
    """The project that a project file, or a preset, is.  Raises WrongUse."""
    # Loaded with a project's own file only.
    from shaderlab.projects.reading import read

    described = project_in(path) if path.suffix.lower() in PRESETS else None
    return described if described is not None else read(path)


def text_of(project: Project) -> Path:
    """The shader that is opened with a project: its own, or the last one of the author's."""
    is_ours = project.shader.is_relative_to(resources())
    return project.passes[-1].shader if is_ours and project.passes else project.shader


def with_choices(described: Project, kept: Project | None) -> Project:
    """The frame of a file, with the values that its user chose for what is shown."""
    if kept is None:
        return described
    own, chosen = described.state.inputs, kept.state.inputs
    inputs = replace(
        own,
        clock=chosen.clock,
        values={**chosen.values, **own.values},
        textures={**chosen.textures, **own.textures},
    )
    attachments = replace(described.state.attachments, size=kept.state.size)
    return replace(described, state=replace(kept.state, inputs=inputs, attachments=attachments))
