"""Files of other communities that describe a frame of several passes.

Each module turns one kind of file into a project by `recognises(path)` and `project(path)`; what it
makes is drawn, counted, predicted and checked as any project is.
"""

from __future__ import annotations

from pathlib import Path

from shaderlab.projects.communities import hooks, isf, libretro
from shaderlab.projects.project import Project

_KINDS = (hooks, isf, libretro)


def project_in(path: Path) -> Project | None:
    """The frame that a file describes by itself; None for any other file.

    Raises WrongUse, with the entry that is wrong, for a description that cannot be followed.
    """
    for kind in _KINDS:
        if kind.recognises(path):
            return kind.project(path)
    return None
