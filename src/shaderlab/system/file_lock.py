"""A lock on a file that ends with the process that holds it, however that process ends."""

from __future__ import annotations

import errno
import os
import stat
import sys
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    _PLACE = 1 << 30
    """The byte that is locked: far behind those that others may want to read."""

    def _lock(descriptor: int) -> None:
        os.lseek(descriptor, _PLACE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def take(path: Path, *, create: bool = True) -> int | None:
    """Descriptor of the locked file, which frees it once closed.

    None where another process holds it, or where it does not exist and `create` is False.  Raises
    OSError, with `create`, where it can be neither opened nor created.
    """
    try:
        descriptor = _opened(path, os.O_CREAT if create else 0)
    except OSError:
        if create:
            raise
        return None
    try:
        _lock(descriptor)
    except OSError:
        os.close(descriptor)
        return None
    if _is_at(descriptor, path):
        return descriptor
    os.close(descriptor)  # whoever held it has removed it
    return take(path, create=create)


def _opened(path: Path, flags: int) -> int:
    """Not what a link leads to, nor a pipe: its holder writes who it is to it."""
    flags |= os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(path, flags, 0o600)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise OSError(errno.EINVAL, "it is not a plain file")


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError:
        return False
