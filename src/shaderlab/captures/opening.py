"""Opening a capture: RenderDoc's child reads it once, and what it read is kept for the next time.

A cache folder has `contents.bin`, the bytes in pieces, and `capture.jsonl`, the lines of `schema`;
the latter is there only when all of it was read.
"""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import msgspec

from shaderlab import files, locations
from shaderlab.captures import finding, sections
from shaderlab.captures.frame import CapturedDraw, CapturedFrame, Counters, Listed
from shaderlab.captures.reading import Reader, counters
from shaderlab.captures.schema import (
    DECODER,
    MOST_DRAWS,
    UNREADABLE,
    CaptureRecord,
    CountersRecord,
    DrawRecord,
    EndRecord,
    ErrorRecord,
    ProgressRecord,
    Record,
)
from shaderlab.captures.stalls import Stall
from shaderlab.errors import Abandoned, OutOfMemory, ShaderlabError, ShaderTimeout, WrongUse
from shaderlab.spirv.module import printable
from shaderlab.system import file_lock, process_group, process_tree, resource_limits, scratch
from shaderlab.system.scratch import TemporaryFolder

log = logging.getLogger(__name__)

FORMAT = 4
"""Of what is kept; another number reads captures anew."""
PACK, LINES = "contents.bin", "capture.jsonl"
DEADLINE_S = 900.0
MOST_BYTES = 4 << 30
"""Of one capture's contents."""
MOST_RESIDENT = 3 << 30
"""Memory of the RenderDoc child and its processes, for the largest captures."""
_LEAST_RESIDENT, _RESIDENT_PER_BYTE = 400 << 20, 16
MOST_MEMORY = 16 << 30
"""Address space of RenderDoc's child, of which drivers reserve much more than they use."""
LARGEST_CAPTURE = 4 << 30
_LONGEST_LINE = 64 << 20
_MOST_KEPT_LINES = 1 << 30
"""Bytes."""
_MOST_CRASHES = 6
"""Of RenderDoc over one capture; it goes on after the draw that it crashed on."""
_MOST_KEPT, _MOST_KEPT_BYTES = 8, 8 << 30
"""Captures, and their contents; the ones opened longest ago go."""
_LOCK, _ASK_AGAIN_S = ".lock", 0.2

Event = Listed | CapturedDraw | Mapping[int, Counters]
"""What opening reports: all draws by name, each with what it reads, RenderDoc's counters."""


def events(
    path: Path, *, stop: threading.Event | None = None, deadline_s: float = DEADLINE_S
) -> Iterator[Event]:
    """Read a capture, each draw as soon as it is known.

    `stop`: set from another thread, ends the child.  Raises WrongUse for a file that is no capture
    or too large, MissingTool without RenderDoc, ShaderlabError where RenderDoc refuses it or ends,
    ShaderTimeout, Abandoned.
    """
    folder, stop = cache_folder(path), stop or threading.Event()
    with _alone(folder, stop):
        kept: Iterator[Record] | None = None
        with suppress(WrongUse):
            kept = records(folder)
        if kept is not None:
            folder.touch()
            yield from _events(kept, folder)
            return
        python, _ = finding.find()
        shutil.rmtree(folder, ignore_errors=True)
        files.make_folder(folder)
        _forget_oldest(folder)
        yield from _events(_read(python, path, folder, stop, deadline_s), folder)


@contextmanager
def _alone(folder: Path, stop: threading.Event) -> Iterator[None]:
    """Wait while another window or command reads the same capture: what it read is then kept.

    Raises Abandoned.
    """
    files.make_folder(folder.parent)
    held = folder.with_suffix(_LOCK)
    while (lock := file_lock.take(held)) is None:
        if stop.wait(_ASK_AGAIN_S):
            raise Abandoned("opening the capture was stopped")
    try:
        yield
    finally:
        held.unlink(missing_ok=True)
        os.close(lock)


def opened(path: Path) -> CapturedFrame:
    """All of a capture.  Raises as `events` does."""
    return collected(path.name, events(path))


def collected(name: str, found: Iterator[Event]) -> CapturedFrame:
    draws: list[CapturedDraw] = []
    measured: Mapping[int, Counters] = {}
    for each in found:
        if isinstance(each, CapturedDraw):
            draws.append(each)
        elif not isinstance(each, Listed):
            measured = each
    return CapturedFrame(name, tuple(draws), measured)


def saved(folder: Path) -> CapturedFrame:
    """What `captures.saving` wrote to a folder.  Raises WrongUse."""
    return collected(folder.name, _events(records(folder), folder))


def _events(records: Iterator[Record], folder: Path) -> Iterator[Event]:
    reader = Reader(folder / PACK)
    listed: dict[int, CapturedDraw] = {}
    for record in records:
        if isinstance(record, CaptureRecord):
            draws = tuple(
                CapturedDraw(each.event, printable(each.name), printable(each.marker), each.stage)
                for each in record.draws
            )
            listed = {each.event: each for each in draws}
            yield Listed(draws, printable(record.renderdoc))
        elif isinstance(record, DrawRecord):
            if record.event not in listed:
                raise WrongUse(f"the capture has no draw {record.event}")
            yield reader.draw(record, listed[record.event])
        elif isinstance(record, CountersRecord):
            yield counters(record)


def cache_folder(path: Path) -> Path:
    """Where what is read of a capture is kept: until the end of this process where the user's cache
    cannot be written to.  Raises WrongUse for a file that is none."""
    digest = hashlib.sha256()
    with files.open_regular(path, LARGEST_CAPTURE) as file:
        if file.read(4) != b"RDOC":
            raise WrongUse(f"{path.name} is not a RenderDoc capture")
        file.seek(0)
        while part := file.read(1 << 20):
            digest.update(part)
    return _kept_in(locations.user_cache() / "captures") / f"{digest.hexdigest()[:32]}-{FORMAT}"


@cache
def _kept_in(folder: Path) -> Path:
    try:
        files.make_folder(folder)
    except WrongUse as error:
        log.warning("what is read of captures is not kept: %s", error)
        return scratch.of_this_process()
    return folder


def _forget_oldest(new: Path) -> None:
    others = [each for each in new.parent.iterdir() if each != new and each.is_dir()]
    others.sort(key=lambda each: each.stat().st_mtime, reverse=True)
    left = _MOST_KEPT_BYTES
    for number, old in enumerate(others):
        pack = old / PACK
        left -= pack.stat().st_size if pack.is_file() else 0
        if number >= _MOST_KEPT - 1 or left < 0:
            shutil.rmtree(old, ignore_errors=True)


def records(folder: Path) -> Iterator[Record]:
    """The lines of a folder that is complete.  Raises WrongUse, before the first of them."""
    with files.open_regular(folder / LINES, _MOST_KEPT_LINES) as file:
        lines = islice(files.lines(file, _LONGEST_LINE), MOST_DRAWS + 4)
        found = [_decoded(line) for line in lines]
    if not found or not isinstance(found[-1], EndRecord):
        raise WrongUse(f"{folder} is not complete")
    files.open_regular(folder / PACK, MOST_BYTES).close()
    return iter(found)


def _decoded(line: bytes) -> Record:
    """Raises WrongUse.  A draw with a value out of its range is one that is not replayed."""
    try:
        return DECODER.decode(line)
    except msgspec.ValidationError as error:
        with suppress(msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            found = UNREADABLE.decode(line)
            why = " ".join(str(error).split())[:200]
            return DrawRecord(found.event, found.pieces, f"its state cannot be read: {why}")
        raise _misread(error) from None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise _misread(error) from None


def _misread(error: Exception) -> WrongUse:
    reason = " ".join(str(error).split())[:200]
    return WrongUse(f"the capture has a record that is not valid: {reason}")


@dataclass
class _Reached:
    """How far a capture was read, by one child after the other."""

    events: list[int] | None = None
    """Of all draws, in the order in which they are read."""
    done: int = 0
    """Of them."""
    pieces: int = 0
    is_complete: bool = False

    def take(self, record: Record) -> None:
        if isinstance(record, CaptureRecord):
            self.events = [each.event for each in record.draws]
        elif isinstance(record, DrawRecord):
            self.done += 1
            self.pieces += len(record.pieces)
        self.is_complete = isinstance(record, EndRecord)

    def without_lost(self, how: str) -> Record | None:
        """What stands for the part that RenderDoc crashed on; None where nothing can go on."""
        if self.events is None:
            return None
        if self.done >= len(self.events):  # only its counters are missing
            return EndRecord()
        why = f"RenderDoc {how} while it read this draw"
        return DrawRecord(self.events[self.done], [], why)


def _read(
    python: Path, path: Path, folder: Path, stop: threading.Event, deadline_s: float
) -> Iterator[Record]:
    """All records, which are kept in the folder.  A draw that RenderDoc crashes on is left out."""
    part, reached = folder / f"{LINES}.part", _Reached()
    end = time.monotonic() + deadline_s
    with part.open("wb") as kept:
        for _ in range(_MOST_CRASHES):
            left_s = max(1.0, end - time.monotonic())
            how = yield from _child(python, path, folder, stop, left_s, reached, kept)
            if reached.is_complete:
                break
            instead = reached.without_lost(how)
            if instead is None:
                raise ShaderlabError(f"RenderDoc {how} while it read {path.name}")
            reached.take(instead)
            kept.write(msgspec.json.encode(instead) + b"\n")
            yield instead
            if reached.is_complete:
                break
        else:
            raise ShaderlabError(
                f"RenderDoc crashed {_MOST_CRASHES} times while it read {path.name}"
            )
    part.replace(folder / LINES)


def _child(
    python: Path,
    path: Path,
    folder: Path,
    stop: threading.Event,
    deadline_s: float,
    reached: _Reached,
    kept: BinaryIO,
) -> Generator[Record, None, str]:
    """What one child reads, from where the one before ended; how it ended."""
    script = Path(__file__).with_name("renderdoc_reader")
    command = (
        # -B: what is installed is not written into.
        str(python), "-I", "-B", str(script), str(path.absolute()), str(folder / PACK),
        str(MOST_BYTES), str(-1 if reached.events is None else reached.done), str(reached.pieces),
    )  # fmt: skip
    quiet = subprocess.DEVNULL
    most_bytes = most_resident(sections.contents_bytes(path, LARGEST_CAPTURE))
    size = path.stat().st_size
    with (
        TemporaryFolder() as log,
        process_group.started(
            command,
            stdin=quiet,
            stdout=subprocess.PIPE,
            stderr=quiet,
            # Where it writes its log, which nobody else would remove.
            env=finding.clean_environment() | {"RENDERDOC_TEMP": log},
        ) as program,
        ending(program.pid, stop, deadline_s, stall := Stall(program.pid, size), most_bytes) as why,
    ):
        resource_limits.bound(
            program.pid,
            cpu_s=int(4 * deadline_s),
            memory_bytes=MOST_MEMORY,
            file_bytes=MOST_BYTES + (64 << 20),
        )
        assert program.stdout is not None
        for line in files.lines(program.stdout, _LONGEST_LINE):
            record = _decoded(line)
            stall.progressed()
            if isinstance(record, ProgressRecord):
                continue
            if isinstance(record, ErrorRecord):
                raise ShaderlabError(
                    f"RenderDoc cannot open {path.name}: "
                    + printable(" ".join(record.message.split()))
                )
            kept.write(line)
            reached.take(record)
            yield record
        code = program.wait()
    if stop.is_set():
        raise Abandoned(f"opening {path.name} was stopped")
    if why:
        raise why[0]
    return f"crashed by signal {-code}" if code < 0 else f"ended with status {code}"


def most_resident(contents: int) -> int:
    """Memory of RenderDoc's child for a capture with so many bytes of contents.

    RenderDoc with a software driver takes 90 to 170 MiB for the smallest; 2 more for each byte of
    contents (seen), and attachments, which need not be in the file.
    """
    return min(MOST_RESIDENT, _LEAST_RESIDENT + _RESIDENT_PER_BYTE * contents)


@contextmanager
def ending(
    pid: int,
    stop: threading.Event,
    deadline_s: float,
    stall: Stall | None = None,
    most_bytes: int = MOST_RESIDENT,
) -> Iterator[list[ShaderlabError]]:
    """Kill a program when `stop` is set, its time is up, it stalls or it holds too much memory.

    The list given then has the error that says so, unless it was stopped.
    """
    why: list[ShaderlabError] = []
    done = threading.Event()
    begin = time.monotonic()

    def watch() -> None:
        while not done.wait(0.1):
            if time.monotonic() - begin > deadline_s:
                why.append(ShaderTimeout(f"RenderDoc was stopped after {deadline_s:g} s"))
            elif stall is not None and stall.found():
                why.append(
                    ShaderTimeout(
                        f"RenderDoc made no progress in {stall.allowed_s:.0f} s of processor time: "
                        "the file may be damaged"
                    )
                )
            elif process_tree.resident_bytes(pid) > most_bytes:
                limit = f"{most_bytes >> 20:,} MiB"
                why.append(OutOfMemory(f"RenderDoc was stopped when it held more than {limit}"))
            if why or stop.is_set():
                process_tree.kill(pid)
                return

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield why
    finally:
        done.set()
        watcher.join()
