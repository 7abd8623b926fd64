"""Which project a shader belongs to."""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path

from shaderlab import files
from shaderlab.errors import ShaderlabError
from shaderlab.projects.project import SUFFIX, beside
from shaderlab.projects.reading import MAX_BYTES, read

_MOST_ENTRIES = 2000
_MOST_FILES = 64


def project_of(shader: Path) -> Path | None:
    """The project file of a shader: the one beside it, else one in its folder with it as a pass.

    Where several have it, the first by name.  Others' project files that cannot be read are
    passed over; the shader's own is not looked into.
    """
    own = beside(shader)
    if own.exists():
        return own
    try:
        entries = list(islice(shader.parent.iterdir(), _MOST_ENTRIES))
    except OSError:
        return None
    found = sorted(each for each in entries if each.name.endswith(SUFFIX))
    return next((each for each in found[:_MOST_FILES] if _names(each, shader)), None)


def _names(project: Path, shader: Path) -> bool:
    try:
        if shader.name.encode() not in files.read_bytes(project, MAX_BYTES):
            return False
        known = read(project)
    except ShaderlabError:
        return False
    resolved = shader.resolve()
    return resolved == known.shader or any(each.shader == resolved for each in known.passes)


def vertex_beside(shader: Path) -> Path | None:
    """The vertex shader that goes with a fragment shader by its name: `sky.vert` with `sky.frag`,
    `sky_vs.hlsl` with `sky_ps.hlsl`."""
    stem = shader.stem if _renamed(shader.name, _TO_VERTEX) is None else ""
    return _beside(shader, _TO_VERTEX, [f"{stem}{each}" for each in (".vert", ".vs", ".vsh")])


def fragment_beside(vertex: Path) -> Path | None:
    """The fragment shader that goes with a vertex shader by its name; None for other files."""
    return _beside(vertex, {**_TO_FRAGMENT, "vs": "fs"}, []) or _beside(vertex, _TO_FRAGMENT, [])


_TO_VERTEX = {"frag": "vert", "fs": "vs", "fsh": "vsh", "ps": "vs", "fragment": "vertex",
              "pixel": "vertex"}  # fmt: skip
_TO_FRAGMENT = {"vert": "frag", "vs": "ps", "vsh": "fsh", "vertex": "fragment"}


def _beside(shader: Path, words: dict[str, str], others: list[str]) -> Path | None:
    renamed = _renamed(shader.name, words)
    names = [renamed] if renamed else others
    found = (shader.with_name(name) for name in names)
    return next((each for each in found if each != shader and each.is_file()), None)


def _renamed(name: str, words: dict[str, str]) -> str | None:
    """The name with the last of its parts that is one of the words replaced; None without one."""
    parts = re.split(r"([._-])", name)
    for at in reversed(range(0, len(parts), 2)):
        if parts[at] in words:
            return "".join([*parts[:at], words[parts[at]], *parts[at + 1 :]])
    return None
