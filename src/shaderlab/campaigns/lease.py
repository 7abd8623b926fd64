"""One store has one measuring process: two would disturb each other's times and measure twice.

The window is none of these: it keeps single samples its user asks for, each in one transaction, and
so records into a store whether or not a campaign measures into it.
"""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from shaderlab import files
from shaderlab.errors import WrongUse
from shaderlab.system import file_lock

_MOST_BYTES = 4096


@contextmanager
def hold(store: Path, what: str) -> Iterator[None]:
    """Be the one process that measures into the store; `what` says what it does, for others.

    The lock file beside the store stays, empty, where there is a store: it is the lock that counts,
    and that ends with the process.  Raises WrongUse, which names the holder, where another process
    measures.
    """
    with files.new_folder(store.parent):
        yield from _held(store, store.with_name(f"{store.name}.measuring"), what)


def _held(store: Path, path: Path, what: str) -> Iterator[None]:
    try:
        lock = file_lock.take(path)
    except OSError as error:
        raise WrongUse(f"cannot write {path}: {files.reason(error)}") from None
    if lock is None:
        raise WrongUse(f"another process measures into {store}: {_holder(path)}")
    owner = {"pid": os.getpid(), "host": platform.node(), "since": time.time(), "what": what}
    try:
        try:
            os.ftruncate(lock, 0)
            os.write(lock, json.dumps(owner).encode())
        except OSError as error:  # a full disk
            raise WrongUse(f"cannot write {path}: {files.reason(error)}") from None
        yield
        os.ftruncate(lock, 0)
    finally:
        if not store.exists():
            with suppress(OSError):  # Windows keeps files that are open
                path.unlink()
        os.close(lock)


def _holder(path: Path) -> str:
    try:
        owner = json.loads(files.read_bytes(path, _MOST_BYTES))
        since = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(float(owner["since"])))
        what, pid, host = str(owner["what"])[:200], int(owner["pid"]), str(owner["host"])[:100]
    except (WrongUse, ValueError, TypeError, KeyError, OverflowError, OSError, RecursionError):
        return "it has not said which"
    return f"{what}, process {pid} on {host}, since {since}"
