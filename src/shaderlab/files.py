"""Files of others read within bounds, and files of ours written whole or not at all.

Reading: regular files of bounded size only, opened without blocking, so that a named pipe, a device
or an endless file is refused instead of waited for.

Writing: temporary file in the same folder, fsync, rename over the old one, fsync of the folder.
Whenever the program or the machine stops, the path holds either all of the old bytes or all of the
new ones; without the fsyncs that holds when the program stops, but not when the machine does.  A
device or pipe (`/dev/stdout`) cannot be replaced and is written to as it is.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from io import BufferedReader
from pathlib import Path
from typing import IO, BinaryIO

from shaderlab.errors import WrongUse

_noted: ContextVar[dict[str, str] | None] = ContextVar("files read", default=None)
_SPECIAL = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_READ_ONLY = os.O_RDONLY | _SPECIAL


def open_regular(path: Path, limit: int) -> BufferedReader:
    """A regular file of at most `limit` bytes, opened for reading.

    Raises WrongUse for a file that cannot be read, is not a regular one or is larger.
    """
    try:
        descriptor = os.open(path, _READ_ONLY)
    except (OSError, ValueError) as error:
        raise WrongUse(f"cannot read {path}: {reason(error)}") from None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            kind = "a folder" if stat.S_ISDIR(status.st_mode) else "not a plain file"
            raise WrongUse(f"cannot read {path}: it is {kind}")
        if status.st_size > limit:
            raise WrongUse(
                f"cannot read {path}: it has {status.st_size:,} bytes, the limit is {limit:,}"
            )
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_bytes(path: Path, limit: int) -> bytes:
    """All of a regular file, at most `limit` bytes.  Raises WrongUse as `open_regular` does."""
    with open_regular(path, limit) as file:
        try:
            data = file.read(limit)
        except OSError as error:
            raise WrongUse(f"cannot read {path}: {reason(error)}") from None
    if (noted := _noted.get()) is not None:
        noted[str(path)] = hashlib.sha256(data).hexdigest()
    return data


@contextlib.contextmanager
def noting() -> Iterator[dict[str, str]]:
    """SHA-256, hex, of each file that `read_bytes` reads meanwhile, by its path; empty of those
    that `looked_for` did not find."""
    noted: dict[str, str] = {}
    token = _noted.set(noted)
    try:
        yield noted
    finally:
        _noted.reset(token)


def looked_for(path: Path, limit: int) -> bool:
    """Whether there is such a file, of at most `limit` bytes, which decides what comes of the rest
    (`noting`)."""
    there = os.path.isfile(path)  # noqa: PTH113, of a name that is too long too
    if (noted := _noted.get()) is not None and str(path) not in noted:
        noted[str(path)] = ""
        if there:
            with contextlib.suppress(WrongUse):
                read_bytes(path, limit)
    return there


def lines(file: IO[bytes], longest: int) -> Iterator[bytes]:
    """The lines of a file.  Of one that is longer than `longest` bytes, so many and one more."""
    while line := file.readline(longest + 1):
        yield line
        while len(line) > longest and not line.endswith(b"\n"):  # passed over, not held
            line = file.readline(longest + 1)
            if not line:
                return
            if len(line) <= longest:
                break


def write(path: Path, data: bytes, *, mode: int | None = None, durable: bool = True) -> None:
    """Write `data` to `path`, following symbolic links.  Raises OSError; then nothing has changed.

    A file that exists keeps its permissions and, where the system allows it, its owner; a new one
    gets `mode`, or what the process's umask leaves.  Not `durable`: without waiting for the disk.
    """
    with replacing(path, mode=mode, durable=durable) as file:
        file.write(data)


@contextlib.contextmanager
def replacing(path: Path, *, mode: int | None = None, durable: bool = True) -> Iterator[BinaryIO]:
    """A file whose contents take the place of `path`'s once the block ends without an error."""
    if _is_special(path):
        with _opened_special(path) as file:
            yield file
        return
    target = Path(os.path.realpath(path))
    handle, temporary = tempfile.mkstemp(prefix=f".{target.name[:60]}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            _take_after(target, Path(temporary), mode)
            if durable:
                os.fsync(file.fileno())
        Path(temporary).replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        raise
    if durable:
        _sync_folder(target.parent)


def save(path: Path, data: bytes) -> None:
    """`write` for a file that the user named.  Raises WrongUse."""
    try:
        write(path, data)
    except OSError as error:
        raise WrongUse(f"cannot write {path}: {reason(error)}") from None


def copy_into(folder: Path, path: Path, limit: int) -> Path:
    """Copy a file of at most `limit` bytes, under a name that is free there; a copy that is there
    already is taken.  Raises WrongUse."""
    data, there, number = read_bytes(path, limit), folder / path.name, 2
    while there.exists():
        if read_bytes(there, limit) == data:
            return there
        there, number = folder / f"{path.stem}-{number}{path.suffix}", number + 1
    save(there, data)
    return there


def save_all(contents: Mapping[Path, bytes]) -> None:
    """Write several files that the user named: all of them or, where the disk is full, none.

    Makes the folders they are in, and removes the new ones on an error.  Raises WrongUse.
    """
    path = Path()
    try:
        with contextlib.ExitStack() as stack:
            for folder in dict.fromkeys(path.parent for path in contents):
                stack.enter_context(new_folder(folder))
            for path, data in contents.items():
                file = stack.enter_context(replacing(path))
                file.write(data)
                file.flush()  # before any of them takes its place
    except OSError as error:
        raise WrongUse(f"cannot write {path}: {reason(error)}") from None


@contextlib.contextmanager
def new_folder(path: Path) -> Iterator[None]:
    """Made, with its parents, if missing; what was made is removed if the block fails.

    Raises WrongUse where it cannot be made.
    """
    missing = [each for each in (path, *path.parents) if not os.path.lexists(each)]
    try:
        if missing:
            make_folder(path)
        yield
    except BaseException:
        for each in missing:
            with contextlib.suppress(OSError):  # something was put there meanwhile
                each.rmdir()
        raise


def check_target(path: Path) -> None:
    """Raise WrongUse, before any work is done for it, if a file cannot be written to `path`."""
    try:
        if path.is_dir():
            raise WrongUse(f"cannot write {path}: it is a folder")
        if _is_special(path):
            return
        with tempfile.TemporaryFile(dir=path.resolve().parent):
            pass
    except (OSError, ValueError) as error:
        raise WrongUse(f"cannot write {path}: {reason(error)}") from None


def make_folder(path: Path) -> None:
    """Make a folder and those above it.  Raises WrongUse where it cannot be written to."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except (OSError, ValueError) as error:
        raise WrongUse(f"cannot write to {path}: {reason(error)}") from None


def reason(error: OSError | ValueError) -> str:
    """What the system says went wrong, without the path."""
    return getattr(error, "strerror", None) or str(error)


def _is_special(path: Path) -> bool:
    """Whether it exists and is neither a regular file nor a folder."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _opened_special(path: Path) -> BinaryIO:
    """For writing.  A pipe that nobody reads raises OSError instead of waiting for a reader."""
    try:
        handle = os.open(path, os.O_WRONLY | _SPECIAL)
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise OSError(error.errno, "it is a pipe that no program reads") from None
        raise
    if sys.platform != "win32":
        os.set_blocking(handle, True)
    return os.fdopen(handle, "wb")


def _take_after(target: Path, new: Path, mode: int | None) -> None:
    try:
        status = target.stat()
    except OSError:
        if mode is None:
            mask = os.umask(0)
            os.umask(mask)
            mode = 0o666 & ~mask
        new.chmod(mode)
        return
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            os.chown(new, status.st_uid, status.st_gid)
    new.chmod(status.st_mode & 0o7777)  # after the owner: chown clears set-id bits


def _sync_folder(folder: Path) -> None:
    """Make the rename itself durable, where folders can be synced."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
