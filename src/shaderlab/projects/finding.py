"""Which project a shader belongs to."""

from __future__ import annotations

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
