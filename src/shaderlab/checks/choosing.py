"""Which files are checked: those named, those a pattern matches, and the shaders in a folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from shaderlab.checks import globs
from shaderlab.errors import ShaderlabError, WrongUse
from shaderlab.projects.project import SUFFIX, Project
from shaderlab.projects.reading import read

SUFFIXES = frozenset((".frag", ".fs", ".fsh", ".isf", ".gdshader", ".slangp"))
"""In a folder; others hold vertex shaders or includes as often, and are named or matched."""
_MOST_ENTRIES = 200_000
_MOST_FILES = 10_000


def chosen(
    words: Sequence[str], excludes: Callable[[Path], bool], folder: Path | None = None
) -> list[Path]:
    """In order, each once.  Patterns are relative to `folder`, else to where the command runs.

    A shader that a project names, found in the same folder or by the same pattern, is checked as
    part of the project.  What is excluded stays out even where it is named: hooks name every file
    that changed.  Raises WrongUse for a folder or pattern without a shader.
    """
    found: dict[Path, None] = {}
    for word in words:
        path = folder / word if folder else Path(word)
        if path.is_dir():
            matched = sorted(each for each in _below(path) if _is_shader(each))
        elif globs.has_wildcard(word) and not path.exists():
            matched = _matching(word, folder or Path())
        else:
            if not excludes(path):
                found[path] = None
            continue
        kept = [each for each in matched if not excludes(each)]
        if not kept:
            raise WrongUse(f"no shader in {word}" if path.is_dir() else f"nothing matches {word}")
        named = set(_named_by_projects(kept))
        found.update(dict.fromkeys(each for each in kept if each.resolve() not in named))
    if len(found) > _MOST_FILES:
        raise WrongUse(f"{len(found):,} files; at most {_MOST_FILES:,} are checked in one run")
    return list(found)


def _is_shader(path: Path) -> bool:
    return path.suffix.lower() in SUFFIXES or path.name.endswith(SUFFIX)


def _matching(pattern: str, folder: Path) -> list[Path]:
    """Files below the pattern's folder, that is its part before the first wildcard."""
    parts = pattern.split("/")
    fixed = next(n for n, part in enumerate(parts) if globs.has_wildcard(part))
    start = Path("/".join(parts[:fixed]) or ("/" if pattern.startswith("/") else "."))
    wanted = globs.compiled("/".join(parts[fixed:]))
    at = folder / start
    return sorted(e for e in _below(at) if wanted.fullmatch(e.relative_to(at).as_posix()))


def _below(folder: Path) -> Iterator[Path]:
    """Files of a folder and those in it, hidden ones left out, links to folders not followed."""
    entries = 0
    for at, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        entries += len(names)
        if entries > _MOST_ENTRIES:
            raise WrongUse(f"{folder} holds more than {_MOST_ENTRIES:,} files: name its parts")
        yield from (Path(at, name) for name in names if not name.startswith("."))


def _named_by_projects(paths: Iterable[Path]) -> Iterator[Path]:
    """Shaders of all stages and passes; projects that cannot be read say so when checked."""
    for path in paths:
        if path.name.endswith(SUFFIX):
            try:
                yield from shaders_of(read(path))
            except ShaderlabError:
                continue


def shaders_of(project: Project) -> Iterator[Path]:
    yield project.shader
    yield from (each.shader for each in project.passes)
    if project.vertex is not None:
        yield project.vertex
