"""How the texts of a project are read."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from shaderlab.errors import WrongUse
from shaderlab.frontend.reading import Language, Reading
from shaderlab.frontend.stage import Stage
from shaderlab.projects.project import Project

_Kind = TypeVar("_Kind", Language, Stage)


def reading_of(project: Project, file: str) -> Reading:
    """What the project in `file` says about its texts.

    Raises WrongUse for a language or stage that there is not.
    """
    return Reading(
        _one_of(Language, project.language, "language", file),
        _one_of(Stage, project.stage, "stage", file),
        project.entry,
        project.defines,
        project.includes,
        project.rule is not None,
    )


def of_pass(reading: Reading, entry: str) -> Reading:
    """How the text of a pass is read: as the project's, from its own `entry` if it has one."""
    return replace(reading, entry=entry) if entry else reading


def with_reading(project: Project, reading: Reading) -> Project:
    """The project with its texts read so."""
    return replace(
        project,
        language=str(reading.language or ""),
        stage=str(reading.stage or ""),
        entry=reading.entry,
        defines=reading.defines,
        includes=reading.search,
    )


def _one_of(kind: type[_Kind], value: str, key: str, file: str) -> _Kind | None:
    try:
        return kind(value) if value else None
    except ValueError:
        known = ", ".join(kind)
        raise WrongUse(f'{file}: {key}: "{value[:40]}" is not one of {known}') from None
