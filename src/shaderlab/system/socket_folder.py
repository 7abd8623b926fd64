"""Where `multiprocessing` keeps the sockets it names: in a folder whose path is short enough.

A socket's path holds 108 bytes (unix(7)), and the user's temporary folder may take all of them:
build servers nest theirs deep.
"""

from __future__ import annotations

import os
import tempfile
import threading
from multiprocessing import util
from pathlib import Path

_LONGEST = 107  # the 108th byte ends the path
_ADDED = len("/pymp-12345678/listener-12345678")
_LOCK = threading.Lock()


def settle() -> None:
    """Choose the folder, once in a process, before `multiprocessing` does.

    Raises OSError where no short folder can be written to.
    """
    with _LOCK:
        usual = tempfile.gettempdir()
        if _fits(usual):
            return
        # `multiprocessing` keeps the first folder it makes and removes it in the end; it asks for
        # no folder but the usual one.
        tempfile.tempdir = _short(usual)
        try:
            util.get_temp_dir()
        finally:
            tempfile.tempdir = usual


def _short(usual: str) -> str:
    for folder in (os.environ.get("XDG_RUNTIME_DIR", ""), "/tmp", "/var/tmp", "/dev/shm"):
        if _fits(folder) and _is_usable(Path(folder)):
            return folder
    raise OSError(
        f"the path of the temporary folder {usual} is too long for a socket, and no other works: "
        f"set TMPDIR to a folder of at most {_LONGEST - _ADDED} bytes"
    )


def _is_usable(folder: Path) -> bool:
    return folder.is_absolute() and folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)


def _fits(folder: str) -> bool:
    return len(os.fsencode(folder)) + _ADDED <= _LONGEST
