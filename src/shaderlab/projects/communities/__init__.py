"""Files of other communities that describe a frame of several passes.

Each module turns one kind of file into a project by `recognises(path, text)` and
`project(path, text)`; what it makes is drawn, counted, predicted and checked as any project is.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

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
