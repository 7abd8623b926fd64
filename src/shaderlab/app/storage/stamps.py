"""When a file was last changed: distinguishes one state of it from another."""

from __future__ import annotations

from pathlib import Path

from shaderlab.app.widgets.waiting import apart
from shaderlab.errors import WrongUse


def stamp_of(path: Path) -> tuple[int, int]:
    """Modification time (ns) and size.  Raises WrongUse; does not block the window meanwhile."""
    try:
        found = apart(path.stat)
    except OSError as error:
        raise WrongUse(f"{path.name} cannot be read: {error.strerror or error}") from None
    return found.st_mtime_ns, found.st_size
