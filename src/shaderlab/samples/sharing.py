"""Data sets in a folder that people add to: what is published into it, and what is read from it.

A contribution is a Parquet file with its card (`.md`), the review of its fields (`.review.md`) and
its checksum (`.sha256`, as `sha256sum -c` reads it).  Its name has the device and the beginning of
the checksum, so that contributions of different people lie beside each other, and the same one
twice is one file.
"""

from __future__ import annotations

import hashlib
import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, TypeVar
from urllib.request import url2pathname

from shaderlab import files
from shaderlab.errors import InvalidDataset, ShaderlabError, WrongUse
from shaderlab.frontend.program import Program
from shaderlab.samples import contribution, exchange, review
from shaderlab.samples.choice import FIGURES_LICENCE, Choice
from shaderlab.samples.contribution import Exported
from shaderlab.samples.sample import Sample
from shaderlab.samples.sources import Sources
from shaderlab.system import extras
from shaderlab.system.scratch import TemporaryFolder

_T = TypeVar("_T")

SUFFIX = ".parquet"
_CHECKSUM = re.compile(r"([0-9a-f]{64}) [ *]?(\S[^\r\n]*)\r?\n?")
_CHECKSUM_BYTES = 1024
_CHUNK = 1 << 20
_MOST_FILES = 2000
_DEEPEST = 6
_MOST_BYTES = exchange.MAX_BYTES
"""Of all files together, which are copied before they are read."""
_MOST_LISTED = 200_000
"""Names that are looked through for data."""
_MOST_S = 1800.0
"""For all files together."""
_SILENCE_S = 60.0
"""After which an address that sends nothing is given up."""
_COPYING = ("simplecache", "filecache", "blockcache", "cached")
"""Layers of fsspec that keep whole files before the first byte is given."""


@dataclass(frozen=True)
class Verified:
    """One file of a repository, here, with the checksum it is published with."""

    name: str
    """Its path in the repository."""
    path: Path | None
    """None where it was refused."""
    reason: str = ""
    """Why it was refused."""


def publish(
    store: Path,
    folder: Path,
    choice: Choice | None = None,
    licence: str = FIGURES_LICENCE,
    compile: Callable[[str], Program] | None = None,
) -> list[Exported]:
    """Write a contribution for each device that a store has samples of.

    Raises as `contribution.export` does, and WrongUse where the folder cannot be written to.
    """
    wanted = choice or Choice()
    slugs = sorted({each.device.slug for each in contribution.chosen(store, wanted)})
    done: list[Exported] = []
    written: dict[Path, bytes] = {}
    with files.new_folder(folder):
        files.make_folder(folder)  # whether it can be written to
        for slug in slugs:
            own = replace(wanted, device=slug)
            with TemporaryFolder() as scratch:
                made = contribution.export(
                    store, Path(scratch) / f"{slug}{SUFFIX}", own, licence, compile
                )
                data = made.data.read_bytes()
                described = made.card.read_text("utf-8")
            digest = hashlib.sha256(data).hexdigest()
            name = f"{slug}-{digest[:12]}{SUFFIX}"
            target = folder / name
            samples = contribution.chosen(store, own, Sources(compile))
            described = described.replace(f"# {slug}{SUFFIX}", f"# {name}", 1)
            written |= {
                target: data,
                target.with_suffix(".sha256"): f"{digest}  {name}\n".encode(),
                target.with_suffix(".review.md"): _reviewed(name, samples).encode(),
                target.with_suffix(".md"): described.encode(),
            }
            done.append(replace(made, data=target, card=target.with_suffix(".md")))
        files.save_all(written)
    return done


def _reviewed(name: str, samples: list[Any]) -> str:
    found = review.review(samples)
    rows = [f"| `{each.path}` | {_cell(each.holds)} |" for each in found.fields]
    return "\n".join(
        (f"# What {name} holds, field by field", "", "| field | holds |", "|---|---|", *rows, "")
    )


def _cell(text: str) -> str:
    return re.sub(r"([\\`*_<>|\[\]])", r"\\\1", " ".join(text.split()))


@contextmanager
def fetched(source: str) -> Iterator[list[Verified]]:
    """The Parquet files of a folder, a git checkout or an fsspec path, each compared with its
    checksum; files without one, or with another, are refused.

    Copies of remote files last as long as the block.  Raises InvalidDataset where the source cannot
    be read, WrongUse where fsspec, or what it needs for this kind of address, is not installed.
    """
    with TemporaryFolder() as scratch:
        clock = _Clock()
        here = _local_path(source)
        opened = _Local(here, clock) if here is not None else _Remote(source, clock)
        names = opened.names()
        if not names:
            raise InvalidDataset(f"{source}: no {SUFFIX} file is in it")
        found, room = [], _MOST_BYTES
        for n, name in enumerate(names):
            copy = Path(scratch) / f"{n}{SUFFIX}"
            each = _verified(opened, name, copy, room)
            if each.path is not None:
                room -= copy.stat().st_size
            else:
                copy.unlink(missing_ok=True)
            found.append(each)
        yield found


def read(found: list[Verified]) -> tuple[list[Verified], dict[str, Sample]]:
    """The same files, refused if they hold no samples, and by id the samples of all others."""
    read, samples = [], {}
    for each in found:
        if each.path is not None:
            try:
                samples |= {sample.id: sample for sample in exchange.accepted(each.path)}
            except ShaderlabError as error:
                why = str(error).removeprefix(f"{each.path.name}: ")
                each = Verified(each.name, None, why)
        read.append(each)
    return read, samples


def _verified(source: _Local | _Remote, name: str, copy: Path, room: int) -> Verified:
    """`room`: bytes that the copy may take."""
    try:
        with source.open(f"{name.removesuffix(SUFFIX)}.sha256") as stream:
            text = stream.read(_CHECKSUM_BYTES).decode("ascii", "replace")
    except TimeoutError as error:
        return Verified(name, None, f"cannot be read: {_words(error)}")
    except _FAULTS:
        return Verified(name, None, "there is no .sha256 file beside it")
    stated = _CHECKSUM.fullmatch(text)
    if stated is None or stated[2] != name.rpartition("/")[2]:
        return Verified(name, None, "its .sha256 file is not what sha256sum writes for it")
    digest, size = hashlib.sha256(), 0
    try:
        with source.open(name) as stream, copy.open("wb") as kept:
            while chunk := stream.read(_CHUNK):
                size += len(chunk)
                if size > exchange.MAX_BYTES:
                    return Verified(name, None, f"is larger than {exchange.MAX_BYTES:,} bytes")
                if size > room:
                    return Verified(name, None, f"all files take more than {_MOST_BYTES:,} bytes")
                digest.update(chunk)
                kept.write(chunk)
    except _FAULTS as error:
        return Verified(name, None, f"cannot be read: {_words(error)}")
    if digest.hexdigest() != stated[1]:
        return Verified(name, None, "does not match its checksum: it was damaged or changed")
    return Verified(name, copy)


class _Clock:
    """The time that a source may take."""

    def __init__(self) -> None:
        self._until = time.monotonic() + _MOST_S

    def check(self) -> None:
        """Raises TimeoutError."""
        if time.monotonic() > self._until:
            raise TimeoutError(f"its data did not come within {_MOST_S / 60:g} min")

    def wait(self, work: Callable[[], _T]) -> _T:
        """What `work` returns.  It goes on in a thread of its own where it takes too long, since
        nothing else ends a library that waits.  Raises TimeoutError, and what `work` raises."""
        self.check()
        future: Future[_T] = Future()

        def run() -> None:
            try:
                future.set_result(work())
            except BaseException as error:  # noqa: BLE001, it is raised where it is waited for
                future.set_exception(error)

        threading.Thread(target=run, name="pulling", daemon=True).start()
        try:
            return future.result(_SILENCE_S)
        except FutureTimeout:
            if future.done():
                raise  # its own
            raise TimeoutError(f"nothing came for {_SILENCE_S:g} s") from None


@dataclass(frozen=True)
class _Timed:
    """What is read of one file."""

    stream: IO[bytes]
    clock: _Clock

    def read(self, size: int) -> bytes:
        return self.clock.wait(lambda: self.stream.read(size))

    def __enter__(self) -> _Timed:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(TimeoutError):
            self.clock.wait(self.stream.close)


def _local_path(source: str) -> Path | None:
    """That a source names, also as an address; None for an address that fsspec must open."""
    scheme, ends, rest = source.partition("://")
    if not ends:
        return Path(source)
    if scheme.lower() not in ("file", "local"):
        return None
    return Path(url2pathname(rest.removeprefix("localhost") if rest[:1] != "/" else rest))


class _Local:
    """A folder, or one file of it."""

    def __init__(self, path: Path, clock: _Clock):
        self._clock = clock
        self._folder = path if path.is_dir() else path.parent
        self._only = None if path.is_dir() else path.name
        if not path.exists():
            raise InvalidDataset(f"{path}: no such folder or file")

    def names(self) -> list[str]:
        if self._only is not None:
            return [self._only]
        return _chosen(self._listed(), str(self._folder))

    def _listed(self) -> Iterator[str]:
        for at, folders, names in os.walk(self._folder):
            self._clock.check()
            inside = Path(at).relative_to(self._folder)
            if len(inside.parts) + 1 >= _DEEPEST:
                folders.clear()
            for name in names:
                is_data = name.endswith(SUFFIX) and Path(at, name).is_file()
                yield (inside / name).as_posix() if is_data else ""

    def open(self, name: str) -> _Timed:
        stream = files.open_regular(self._folder / name, exchange.MAX_BYTES)
        return _Timed(stream, self._clock)


class _Remote:
    """An address that fsspec knows."""

    def __init__(self, url: str, clock: _Clock):
        self._clock = clock
        for layer in url.split("::"):
            if layer.partition("://")[0].lower() in _COPYING:
                raise WrongUse(f"{url}: {layer} would copy whole files before they are looked at")
        try:
            from fsspec.core import url_to_fs
        except ImportError:
            raise WrongUse(f"{url}: addresses other than folders need fsspec").with_remedy(
                extras.remedy("share")
            ) from None
        try:
            self._system, path = clock.wait(lambda: url_to_fs(url))
            self._only = not clock.wait(lambda: self._system.isdir(path))
            self._folder = path.rpartition("/")[0] if self._only else path.rstrip("/")
            self._name = path.rpartition("/")[2]
        except ImportError as error:
            raise WrongUse(f"{url}: {error}") from None
        except _FAULTS as error:
            raise InvalidDataset(f"{url}: {_words(error)}") from None

    def names(self) -> list[str]:
        if self._only:
            return [self._name] if self._name.endswith(SUFFIX) else []
        try:
            return self._clock.wait(lambda: _chosen(self._listed(), self._folder))
        except InvalidDataset:
            raise
        except _FAULTS as error:
            raise InvalidDataset(f"{self._folder}: {_words(error)}") from None

    def _listed(self) -> Iterator[str]:
        walked = self._system.walk(self._folder, maxdepth=_DEEPEST, on_error="raise")
        for at, _, names in walked:
            inside = str(at).rstrip("/").removeprefix(self._folder).lstrip("/")
            for name in map(str, names):
                yield f"{inside}/{name}".lstrip("/") if name.endswith(SUFFIX) else ""

    def open(self, name: str) -> _Timed:
        path = f"{self._folder}/{name}"
        return _Timed(self._clock.wait(lambda: self._system.open(path, "rb")), self._clock)


def _chosen(listed: Iterator[str], folder: str) -> list[str]:
    """The data's names, sorted, of all names (empty for what is no data) in a folder.

    Raises InvalidDataset as soon as there are too many.
    """
    found: list[str] = []
    for number, name in enumerate(listed):
        if number >= _MOST_LISTED:
            raise InvalidDataset(f"{folder}: more than {_MOST_LISTED:,} files are in it")
        if name:
            found.append(name)
        if len(found) > _MOST_FILES:
            raise InvalidDataset(f"{folder}: more than {_MOST_FILES:,} {SUFFIX} files are in it")
    return sorted(found)


_FAULTS = Exception
"""What comes of a source that is not there, or not what its kind of address says: whatever the
library for that kind raises (`zipfile.BadZipFile`, `aiohttp.ClientResponseError`)."""


def _words(error: Exception) -> str:
    return files.reason(error)[:200] if isinstance(error, OSError) else str(error)[:200]
