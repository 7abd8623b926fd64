"""What may end a worker, and what for: by which `engine.quarantine` knows it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from enum import StrEnum

from shaderlab import locations
from shaderlab.app.session.given import GivenProgram
from shaderlab.engine.quarantine import Note, Quarantine
from shaderlab.errors import Quarantined, WrongUse
from shaderlab.frontend.program import Program
from shaderlab.system import scratch


class Task(StrEnum):
    """What a worker is asked to do with a program.  The values are in users' files."""

    RENDER = "render"
    HEAT = "heat"
    TRACE = "trace"
    PROFILE = "profile"
    PIXEL = "pixel"
    """Reading the values of one pixel's variables."""
    DISASSEMBLE = "disassemble"


Suspect = Program | GivenProgram
"""What may end a worker."""


class Suspects:
    """What counts is the code: a keystroke in a comment does not bring a program back.

    Belongs to the interface's thread, which waits for the disk only where something is held.
    """

    def __init__(self) -> None:
        """Where the user's data cannot be written, nothing outlives this process."""
        try:
            self._held = Quarantine(locations.user_data() / "quarantine")
        except WrongUse:
            self._held = Quarantine(scratch.of_this_process())
        self._known = self._held.keys()
        self._noting = ThreadPoolExecutor(1, thread_name_prefix="quarantine")

    def reason(self, suspect: Suspect, task: str, place: str = "") -> str:
        """Why it is not to be used for this; empty where it may be."""
        use = _use(task, place)
        if not any(each.startswith(use) for each in self._known):
            return ""  # the usual case, without a hash of the text at every keystroke
        key = _key(suspect, task, place)
        error = self._held.reason(key) if key in self._known else None
        return str(error) if error is not None else ""

    def add(self, suspect: Suspect, task: str, place: str, reason: str) -> None:
        """It must not be used for this automatically again."""
        if suspect.fingerprint:
            key = _key(suspect, task, place)
            self._known.add(key)
            self._held.add(key, Quarantined(reason))

    def release(self, suspect: Suspect) -> None:
        """The user wants to see it run, for whatever task and on whatever device."""
        if not self._known or not suspect.fingerprint:
            return
        released = {each for each in self._known if each.endswith(suspect.fingerprint)}
        if released:
            self._known -= released
            self._held.release(suspect.fingerprint)

    def begin(self, suspect: Suspect, task: str, place: str) -> Callable[[], object]:
        """It is about to be used for this for the first time; called once it came to an answer."""
        note = self._noting.submit(lambda: self._held.begin(_key(suspect, task, place)))
        return lambda: self._noting.submit(_end, note)

    def close(self) -> None:
        """Wait until what came to an answer is noted.  Idempotent."""
        self._noting.shutdown()


def _end(note: Future[Note | None]) -> None:
    if (found := note.result()) is not None:
        found.end()


def _key(suspect: Suspect, task: str, place: str) -> str:
    return f"{_use(task, place)}-{suspect.fingerprint}"


def _use(task: str, place: str) -> str:
    return hashlib.sha256(f"{task} {place}".encode()).hexdigest()[:16]
