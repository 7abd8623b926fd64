"""The campaign's loop: measure, keep; a shader that fails does not stop it.

What a shader came to is kept in one transaction with its sample, so that a campaign ended at any
point goes on where it was: nothing finished is measured again, nothing is kept twice.
"""

from __future__ import annotations

import hashlib
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Protocol

from shaderlab.campaigns.corpus import Shader
from shaderlab.campaigns.station import Options, Station
from shaderlab.campaigns.turns import Turns
from shaderlab.errors import (
    DeviceLost,
    DeviceStuck,
    MissingTool,
    NodeStuck,
    NoTimestamps,
    NoVulkan,
    ShaderlabError,
    StartFailed,
    StuckDuring,
)
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.samples import recording
from shaderlab.samples.sample import Sample
from shaderlab.samples.store import Store

_MOST_STARTS = 3
"""A shader during which the campaign itself was ended this often is not tried again."""
_RATE_WINDOW_S = 300.0
_MOST_LOSSES = 10
"""So many devices lost in a row are not the shaders' doing."""


@dataclass(frozen=True)
class Progress:
    """How far a campaign is."""

    total: int
    earlier: int
    """Shaders that an earlier run of the campaign finished."""
    recorded: int
    rejected: int
    """Of this run."""
    elapsed_s: float
    rate_per_s: float
    """Shaders per second over the last five minutes."""
    last: str
    """The shader finished last and what it came to."""

    @property
    def done(self) -> int:
        return self.earlier + self.recorded + self.rejected

    @property
    def left_s(self) -> float | None:
        """Seconds the rest will take at this rate; None before there is one."""
        return (self.total - self.done) / self.rate_per_s if self.rate_per_s else None


class _Suspect(Exception):
    """The device was lost during this shader, or during one in parallel."""


class Measures(Protocol):
    """A place where one shader at a time is measured: here a `Station`, or one of a cluster."""

    def sample(self, shader: Shader) -> Sample:
        """Raises ShaderlabError."""
        ...

    def close(self) -> None:
        """What is under way fails with Abandoned.  From any thread."""
        ...


class Campaign:
    """Shaders measured on one device into one store."""

    def __init__(
        self,
        shaders: Sequence[Shader],
        device: DeviceInfo,
        store: Store,
        options: Options,
        *,
        stations: int = 1,
        turns: Turns | None = None,
        made: Callable[[int], Sequence[Measures]] | None = None,
        recorded: Callable[[Sample], None] = lambda _: None,
    ):
        """`stations`: shaders in progress at once.  `turns`: shared with campaigns that run at the
        same time and would disturb this one's times.  `made`: makes so many stations, at most, in
        place of those of this machine (`campaigns.cluster`).  `recorded` gets each sample
        kept, from several threads."""
        self._shaders = shaders
        self._device = device
        self._store = store
        self._options = options
        self._stations = stations
        self._made = made or self._here
        self._turns = turns or Turns()
        self._recorded = recorded
        self._book = threading.Lock()
        """Held by the station that reads or writes the store or what follows."""
        self._losses = 0
        self._stuck: list[NodeStuck] = []
        """By shader that was in flight on one of several devices when that got stuck."""
        self._progress = Progress(0, 0, 0, 0, 0.0, 0.0, "")

    def run(
        self,
        report: Callable[[Progress], None] = lambda _: None,
        *,
        retry: bool = False,
    ) -> Progress:
        """Measure what is left; `report` is called after every shader, by one station at a time.

        `retry`: retry what an earlier run rejected.  Raises NoVulkan, NoTimestamps and MissingTool,
        which would meet every shader alike, and DeviceLost when it happens again and again; and
        DeviceStuck, which says what was in flight: nothing is rejected for it, and another run goes
        on where this one was.  Where one of several devices gets stuck, that comes at the end.
        """
        self._stuck = []
        left = self.left(retry=retry)
        starts = self._store.interrupted()
        if retry:
            starts |= dict.fromkeys(self._store.ended_workers(), 0)
        interrupted = [shader for shader in left if self.job(shader) in starts]
        interrupted.sort(key=lambda shader: starts[self.job(shader)])
        fresh = [shader for shader in left if self.job(shader) not in starts]
        total = len(self._shaders)
        self._progress = Progress(total, total - len(left), 0, 0, 0.0, 0.0, "")
        clock = _Clock()
        suspects = self._side_by_side(fresh, self._stations, clock, report)
        # What the campaign or the device was lost during may have done that, and so may what was
        # rejected for a limit: everything else comes first, and then each of these alone.
        self._side_by_side(interrupted + suspects, 1, clock, report)
        if self._stuck:
            raise DeviceStuck("; ".join(map(str, self._stuck))).with_remedy(self._stuck[0].remedy)
        return self._progress

    def left(self, *, retry: bool = False) -> list[Shader]:
        """The shaders that have no outcome yet; `retry`: or were rejected."""
        finished = self._store.finished(also_rejected=not retry)
        return [shader for shader in self._shaders if self.job(shader) not in finished]

    def job(self, shader: Shader) -> str:
        """What is one measurement: the shader, the device with its driver, the inputs."""
        info = self._device
        device = (info.name, info.driver, info.uuid)
        parts = (shader.key, *device, *astuple(recording.inputs_record(self._options.state)))
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:32]

    def _side_by_side(
        self,
        shaders: Sequence[Shader],
        stations: int,
        clock: _Clock,
        report: Callable[[Progress], None],
    ) -> list[Shader]:
        """Measure shaders; returned is what a device was lost during, where several were on it."""
        waiting = deque(shaders)
        suspects: list[Shader] = []
        serving = self._made(min(stations, len(shaders)))
        ended: queue.SimpleQueue[BaseException | None] = queue.SimpleQueue()
        stopped = threading.Event()

        def serve(station: Measures) -> None:
            error = None
            try:
                while not stopped.is_set():
                    try:
                        shader = waiting.popleft()
                    except IndexError:
                        break
                    try:
                        reason = self._attempt(shader, station, stopped, alone=stations == 1)
                    except _Suspect:
                        suspects.append(shader)
                        continue
                    except NodeStuck as stuck:
                        with self._book:
                            self._stuck.append(stuck)
                        continue
                    with self._book:
                        self._note(shader, reason, clock)
                        report(self._progress)
            except BaseException as fault:  # noqa: BLE001, raised again by `run`
                error = fault
            finally:
                ended.put(error)

        threads = [
            threading.Thread(target=serve, args=(station,), daemon=True) for station in serving
        ]
        try:
            for thread in threads:
                thread.start()
            _await_end(ended, len(threads), waiting.clear)
        finally:
            stopped.set()
            for station in serving:
                station.close()
            for thread in threads:
                thread.join()
        return suspects

    def _here(self, count: int) -> Sequence[Measures]:
        return [Station(self._device, self._options, self._turns) for _ in range(count)]

    def _attempt(
        self, shader: Shader, station: Measures, stopped: threading.Event, *, alone: bool
    ) -> str | None:
        """Keep the shader's sample, or the reason there is none, which is returned.

        Raises _Suspect where the device was lost and another shader's station may have done it,
        DeviceLost when it is time to give up, and DeviceStuck, or NodeStuck of one of several.
        """
        job = self.job(shader)
        with self._book:
            starts = self._store.begin(job, shader.name, self._device.slug)
        try:
            if starts > _MOST_STARTS:
                raise ShaderlabError(f"the campaign was ended during it {_MOST_STARTS} times")
            sample = station.sample(shader)
        except (NoVulkan, NoTimestamps, MissingTool):
            raise
        except DeviceStuck as error:
            with self._book:
                if not isinstance(error, StuckDuring):
                    self._store.withdraw(job, suspect=False)
                elif not alone:
                    self._store.withdraw(job, suspect=True)
            raise
        except StartFailed as error:
            with self._book:
                self._store.withdraw(job, suspect=False)
                self._losses += 1
                if stopped.is_set() or alone or self._losses >= _MOST_LOSSES:
                    raise
            raise _Suspect from error
        except ShaderlabError as error:
            if stopped.is_set():
                raise  # the station was closed under it: it says nothing about the shader
            lost = isinstance(error, DeviceLost)
            reason = f"{type(error).__name__}: {error}"
            with self._book:
                self._losses = self._losses + 1 if lost else 0
                if lost and not alone and self._losses < _MOST_LOSSES:
                    raise _Suspect from error
                self._store.rejected(job, reason)
                if self._losses >= _MOST_LOSSES:
                    raise DeviceLost(
                        f"{_MOST_LOSSES} shaders in a row, the last of them {reason}"
                    ) from error
            return reason
        with self._book:
            self._losses = 0
            self._store.recorded(job, sample)
        self._recorded(sample)
        return None

    def _note(self, shader: Shader, reason: str | None, clock: _Clock) -> None:
        progress = self._progress
        self._progress = replace(
            progress,
            recorded=progress.recorded + (reason is None),
            rejected=progress.rejected + (reason is not None),
            elapsed_s=clock.elapsed_s,
            rate_per_s=clock.tick(),
            last=f"{shader.name}: {reason or 'recorded'}",
        )


def _await_end(
    ended: queue.SimpleQueue[BaseException | None], stations: int, stop: Callable[[], object]
) -> None:
    """Raises what a station ended with.

    A device that answers nothing meets all stations: each notices with the shader it is on, and
    they `stop` beginning others.
    """
    stuck = None
    for _ in range(stations):
        error = ended.get()
        if isinstance(error, DeviceStuck):
            stop()
            stuck = stuck or error
        elif error is not None and stuck is None:
            raise error
    if stuck is not None:
        raise stuck


class _Clock:
    """The rate over the last minutes, so that a slow start does not spoil the forecast."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._ticks: deque[float] = deque([self._start])

    @property
    def elapsed_s(self) -> float:
        return time.monotonic() - self._start

    def tick(self) -> float:
        """Note that a shader is done; shaders per second."""
        now = time.monotonic()
        self._ticks.append(now)
        while len(self._ticks) > 2 and self._ticks[0] < now - _RATE_WINDOW_S:
            self._ticks.popleft()
        span = now - self._ticks[0]
        return (len(self._ticks) - 1) / span if span else 0.0
