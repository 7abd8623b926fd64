"""Files written whole or not at all, durable once written.

Temporary file in the same folder, fsync, rename over the old one, fsync of the folder: whenever the
program or the machine stops, the path holds either all of the old bytes or all of the new ones.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path


def write(path: Path, data: bytes, *, mode: int | None = None) -> None:
    """Write `data` to `path`, following symbolic links.  Raises OSError; then nothing has changed.

    A file that is there keeps its permissions and, where the system lets us, its owner; a new one
    gets `mode`, or what the process's umask leaves.
    """
    target = Path(os.path.realpath(path))
    handle, temporary = tempfile.mkstemp(prefix=f".{target.name[:60]}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            _take_after(target, file.fileno(), mode)
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_folder(target.parent)


def _take_after(target: Path, descriptor: int, mode: int | None) -> None:
    try:
        status = target.stat()
    except OSError:
        if mode is None:
            mask = os.umask(0)
            os.umask(mask)
            mode = 0o666 & ~mask
        os.chmod(descriptor, mode)
        return
    if hasattr(os, "fchown"):
        with contextlib.suppress(OSError):
            os.fchown(descriptor, status.st_uid, status.st_gid)
    os.chmod(descriptor, status.st_mode & 0o7777)  # after the owner: chown clears set-id bits


def _sync_folder(folder: Path) -> None:
    """Make the rename itself durable, where folders can be synced."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
