"""Where `multiprocessing` keeps the sockets it names: in a folder whose path is short enough, and
which the next start removes where this process is killed.

A socket's path holds 108 bytes (unix(7)), and the user's temporary folder may take all of them:
build servers nest theirs deep.
"""

from __future__ import annotations

import atexit
import os
import tempfile
import threading
from multiprocessing import process
from pathlib import Path

from shaderlab.system import scratch

_LONGEST = 107  # the 108th byte ends the path
_ADDED = len(f"/{scratch.PREFIX}12345678/listener-12345678")
_LOCK = threading.Lock()
_kept: scratch.TemporaryFolder | None = None


def settle() -> None:
    """Choose the folder, once in a process, before `multiprocessing` does.

    Raises OSError where no short folder can be written to.
    """
    global _kept
    with _LOCK:
        if _kept is not None:
            return
        usual = tempfile.gettempdir()
        _kept = scratch.TemporaryFolder(usual if _fits(usual) else _short(usual))
        atexit.register(_kept.cleanup)
        # Where it keeps its own, which it makes unless there is one.
        process.current_process()._config["tempdir"] = _kept.name  # type: ignore[attr-defined]


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
