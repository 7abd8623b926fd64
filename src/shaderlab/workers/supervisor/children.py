"""The children of one server: the one at work, a spare, and those that are dying."""

from __future__ import annotations

import contextlib
import logging
import signal
import time

from shaderlab.system import process_tree
from shaderlab.workers.supervisor.child import Server
from shaderlab.workers.supervisor.child_process import ChildProcess

log = logging.getLogger(__name__)

_LAST_BREATH_S = 0.2
"""A killed child that is not gone by then (it gives back much memory, or hangs in the kernel with a
wedged GPU) is not waited for: its successor starts, and it is looked after now and then."""
_EXIT_CODE_S = 2.0
"""What a child that closed its pipe died of is waited for so long: its successor waits too."""
_LAST_WAIT_S = 2.0
_SPARE_AFTER_S = 2.0
"""From a child's first sign of life to its first spare: the start has better things to do."""

_CAUSES = {
    int(getattr(signal, "SIGBUS", 0)): ": shared memory (/dev/shm) or the disk is probably full",
}
"""By signal: what most often leads to it.  Memory mapped from a file gets its room when it is first
written to, and where there is none, the answer is this signal."""
_REMEDIES = {
    int(getattr(signal, "SIGBUS", 0)): "Free some space there; `df -h` shows what is full."
}


class Children:
    """Spawns, replaces and ends them.

    Belongs to the supervising thread, `present`, `pids` and `close` apart.
    """

    def __init__(self, server: Server, name: str, *, spare: bool):
        """With `spare`, a second child that came up stands by to replace the first."""
        self._server = server
        self._name = name
        self._keeps_spare = spare
        self._spare: ChildProcess | None = None
        self._dying: list[ChildProcess] = []
        """Killed, and not gone yet."""
        self._closed = False
        self.present: ChildProcess | None = None
        """The child at work."""
        self.replacements = 0
        """Children killed or found dead so far."""
        self.longest_replacement_s = 0.0
        """Most seconds from finding a child lost to another one in its place."""

    @property
    def pids(self) -> set[int]:
        """Process ids of the present child and its spare."""
        return {child.pid for child in (self.present, self._spare) if child is not None}

    def close(self) -> None:
        """Kill the child at work; no other takes its place.  `end` does the rest."""
        self._closed = True
        child = self.present
        if child is not None and child.is_alive:
            process_tree.kill(child.pid)

    def end(self) -> None:
        """Kill them all."""
        self.bury()
        for child in filter(None, (self._spare, *self._dying)):
            child.end(_LAST_WAIT_S)
        self._spare, self._dying = None, []

    def alive(self) -> ChildProcess | None:
        """The child at work, another one where it died; None once closed.  Raises OSError."""
        if self.present is None or not self.present.is_alive:
            self.bury()
            self._put_in_place()
        return self.present

    def tend(self) -> None:
        """Look after the dying and the spare."""
        self._dying = [child for child in self._dying if not child.end(0.0)]
        ready_at = self.present.ready_at if self.present is not None else None
        if self._spare is not None:
            if not self._spare.is_alive:
                log.warning("the spare %s ended; there will be none", self._name)
                self._keeps_spare = False
                self.drop_spare()
        elif (
            self._keeps_spare
            and not self._closed
            and ready_at is not None
            and time.monotonic() - ready_at > _SPARE_AFTER_S
        ):
            self._add_spare()

    def replace_if_dead(self) -> None:
        """Replace a child that was well and died."""
        child = self.present
        if child is not None and child.ready_at and not self._closed and not child.is_alive:
            log.warning("%s; starting a new one", self.epitaph())
            self.renew()

    def renew(self) -> None:
        """Another child in the place of the present one.

        Where there is none afterwards, the next request tries again and answers for it.
        """
        found_at = time.monotonic()
        self.bury()
        self.replacements += 1
        self.try_to_spawn()
        took_s = time.monotonic() - found_at
        self.longest_replacement_s = max(self.longest_replacement_s, took_s)

    def try_to_spawn(self) -> None:
        """Put a child in place, if that works."""
        try:
            self._put_in_place()
        except Exception as error:  # noqa: BLE001, tried again with the next request
            log.warning("the %s cannot be started: %s", self._name, error)

    def rest(self) -> None:
        """End them all until the next request: what they hold in memory is wanted elsewhere."""
        self.bury()
        self.drop_spare()

    def bury(self) -> None:
        """Kill the present child, and wait for its end for a moment."""
        child, self.present = self.present, None
        if child is not None and not child.end(_LAST_BREATH_S):
            self._dying.append(child)

    def drop_spare(self) -> None:
        """Kill the spare; another one is added later."""
        spare, self._spare = self._spare, None
        if spare is not None and not spare.end(0.0):
            self._dying.append(spare)

    @property
    def lost_their_server(self) -> bool:
        """Whether the present child ended with the process that all are forked from."""
        return self.present is not None and self.present.lost_its_server(_EXIT_CODE_S)

    @property
    def has_crashed(self) -> bool:
        """Whether a signal ended the present child that nobody sends: its own code was at fault."""
        code = self.present.exit_code(0.0) if self.present is not None else None
        sent = (getattr(signal, name, 0) for name in ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"))
        return code is not None and code < 0 and -code not in map(int, sent)

    @property
    def remedy(self) -> str:
        """What to do about the present child's end, where the request did not cause it; empty where
        nothing is known."""
        code = self.present.exit_code(0.0) if self.present is not None else None
        return _REMEDIES.get(-code, "") if code is not None and code < 0 else ""

    def epitaph(self) -> str:
        """What became of the present child, as a clause."""
        if self._closed:
            return f"the {self._name} was shut down"
        if self.present is None:
            return f"the {self._name} cannot be started"
        code = self.present.exit_code(_EXIT_CODE_S)
        if code is not None and code < 0:
            how = "crashed" if self.has_crashed else "was ended"
            return f"the {self._name} {how} ({_signal_name(-code)}){_CAUSES.get(-code, '')}"
        known = "" if code is None else f" (exit code {code})"
        return f"the {self._name} ended unexpectedly{known}"

    def _put_in_place(self) -> None:
        """The spare, else a new child.  Raises OSError."""
        if self._closed:
            return
        spare = self._spare
        if spare is not None and spare.is_alive:
            self._spare, spare.stood_by = None, True
            self.present = spare
        else:
            spare = None
            self.drop_spare()
            self.present = ChildProcess.spawn(self._server)
        if self._closed:  # meanwhile
            self.bury()
        elif spare is not None:
            self._add_spare()  # at once: where one child was lost, another often is

    def _add_spare(self) -> None:
        with contextlib.suppress(OSError):  # no room for another process: there is none, then
            self._spare = ChildProcess.spawn(self._server)


def _signal_name(number: int) -> str:
    known = {s.value: s.name for s in signal.Signals}
    return known.get(number, f"signal {number}")
