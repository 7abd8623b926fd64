"""Programs that ended a worker are remembered, and not run again unless the user asks for it.

What counts is the code: a keystroke in a comment does not bring a program back, a changed loop
does.  Kept in the user's data, so that the next start does not walk into the same trap; a request
that was under way when the window or the machine went down counts as well.
"""

from __future__ import annotations

import json
import logging
import re
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

from shaderlab import files, locations
from shaderlab.app.session.given import GivenProgram
from shaderlab.app.session.source import Source
from shaderlab.app.storage.background_writer import BackgroundWriter
from shaderlab.errors import WrongUse
from shaderlab.frontend.program import Program

log = logging.getLogger(__name__)

MOST_ENTRIES = 500
_MOST_BYTES = 2 << 20
_VERSION = 1
_HEX = re.compile(r"[0-9a-f]{64}")


class Task(StrEnum):
    """What a worker is asked to do with a program.  The values are in users' files."""

    COMPILE = "compile"
    RENDER = "render"
    HEAT = "heat"
    TRACE = "trace"
    PROFILE = "profile"
    PIXEL = "pixel"
    """Reading the values of one pixel's variables."""
    PREDICT = "predict"
    OPTIMIZE = "optimize"
    DISASSEMBLE = "disassemble"
    COMPILED = "compiled"
    """By a vendor's compiler, for a GPU that need not be here."""
    COMPILED_FRAME = "compiled frame"
    """Counting a frame of what such a compiler made."""
    ANALYSE = "analyse"


_DOING = {
    Task.COMPILE: "compiled",
    Task.RENDER: "drawn",
    Task.TRACE: "counted",
    Task.PREDICT: "predicted",
}
_FORMER_NAMES = {"amd": Task.COMPILED, "amd frame": Task.COMPILED_FRAME}
"""In files of earlier versions."""


Suspect = Program | GivenProgram | Source
"""What may end a worker."""


@dataclass(frozen=True)
class Entry:
    """A program and what it must not be used for automatically."""

    key: str
    """SHA-256, hex: fingerprint or digest of the suspect."""
    task: str
    """A `Task`."""
    place: str
    """Slug of the device; empty where it does not matter."""
    reason: str
    at: float
    """Seconds since the epoch."""


class Quarantine:
    """Belongs to the interface's thread; files are written by the writer's."""

    def __init__(
        self,
        writer: BackgroundWriter | None = None,
        *,
        path: Path | None = None,
        running: Path | None = None,
    ):
        """Without a `writer` nothing outlives this object.

        `running`: the run's file for what is under way (`RunFolder.running`).
        """
        self._writer, self._running = writer, running
        self._path = path or locations.user_data() / "quarantine.json"
        self._entries: dict[tuple[str, str, str], Entry] = {}
        self._spared: set[tuple[str, str, str]] = set()
        """Released by the user in this run: another window's file must not add them again."""
        if writer is not None:
            self._take(_read(self._path))

    def reason(self, suspect: Suspect, task: str, place: str = "") -> str:
        """Why it is not to be used for this; empty where it may be."""
        held = {e.key: e for e in self._entries.values() if (e.task, e.place) == (task, place)}
        if not held:  # the usual case, without a hash of the text at every keystroke
            return ""
        entry = held.get(suspect.digest) or held.get(suspect.fingerprint)
        return entry.reason if entry is not None else ""

    def add(self, suspect: Suspect, task: str, place: str, reason: str) -> None:
        """It must not be used for this automatically again."""
        if suspect.fingerprint:
            self._add(Entry(suspect.fingerprint, task, place, reason, time.time()))

    def release(self, suspect: Suspect) -> None:
        """The user wants to see it run, for whatever task and on whatever device."""
        if self._entries:
            self._release({suspect.digest, suspect.fingerprint})

    def begin(self, suspect: Suspect, task: str, place: str) -> None:
        """It is about to be used for this for the first time."""
        if self._writer is not None and self._running is not None:
            entry = Entry(suspect.digest, task, place, suspect.name, time.time())
            self._writer.write(self._running, _encode([entry]))

    def end(self) -> None:
        """What was under way came to an answer."""
        if self._writer is not None and self._running is not None:
            self._writer.remove(self._running)

    def inherit(self, running: Path) -> list[Entry]:
        """Take in what was under way when an earlier run ended: it may be why."""
        found = _read(running)
        for entry in found:
            when = time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.at))
            doing = _DOING.get(Task(entry.task), "used")
            reason = f"{entry.reason} was being {doing} when shaderlab ended on {when}"
            self._add(Entry(entry.key, entry.task, entry.place, reason, entry.at))
        return found

    # -- keeping ----------------------------------------------------------------------------

    def _add(self, entry: Entry) -> None:
        self._spared.discard((entry.key, entry.task, entry.place))
        self._take([entry])
        self._save()

    def _release(self, keys: Iterable[str]) -> None:
        gone = [name for name in self._entries if name[0] in keys]
        for name in gone:
            del self._entries[name]
        self._spared.update(gone)
        if gone:
            self._save()

    def _take(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            name = (entry.key, entry.task, entry.place)
            if name not in self._spared:
                self._entries.pop(name, None)
                self._entries[name] = entry
        while len(self._entries) > MOST_ENTRIES:
            del self._entries[next(iter(self._entries))]

    def _save(self) -> None:
        if self._writer is not None:
            own = list(self._entries.values())
            self._take(_read(self._path))  # another window may have added to it
            self._take(own)
            self._writer.write(self._path, _encode(self._entries.values()))


def _encode(entries: Iterable[Entry]) -> bytes:
    return json.dumps({"version": _VERSION, "entries": [asdict(e) for e in entries]}).encode()


def _read(path: Path) -> list[Entry]:
    """Entries of a file; what is damaged, foreign or too large counts as empty."""
    try:
        data = json.loads(files.read_bytes(path, _MOST_BYTES))
        if data["version"] != _VERSION:
            return []
        entries = [
            Entry(**fields | {"task": _FORMER_NAMES.get(fields["task"], fields["task"])})
            for fields in data["entries"][-MOST_ENTRIES:]
        ]
    except (WrongUse, ValueError, KeyError, TypeError, RecursionError):
        return []
    return [e for e in entries if _is_sound(e)]


def _is_sound(entry: Entry) -> bool:
    return (
        isinstance(entry.key, str)
        and _HEX.fullmatch(entry.key) is not None
        and entry.task in tuple(Task)
        and isinstance(entry.place, str)
        and isinstance(entry.reason, str)
        and len(entry.reason) <= 2000
        and isinstance(entry.at, int | float)
        and 0 <= entry.at < 1e11
    )
