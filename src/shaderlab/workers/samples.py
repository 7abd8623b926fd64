"""The samples' worker: the local store, reviews and exports, away from the interface."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from shaderlab.workers.supervisor.client import Client

if TYPE_CHECKING:
    from shaderlab.frontend.program import Program
    from shaderlab.gpu.device_info import DeviceInfo
    from shaderlab.gpu.measurement import Measurement
    from shaderlab.samples.choice import Choice
    from shaderlab.samples.contribution import Exported
    from shaderlab.samples.recording import SharedText
    from shaderlab.samples.review import Review
    from shaderlab.samples.statistics import DeviceStatistics
    from shaderlab.scene.draw import Draw
    from shaderlab.spirv.trace import Trace

_START_S = 60.0
_STORE_S = 120.0
_EXPORT_S = 1800.0


@dataclass(frozen=True)
class Measured:
    """What a sample is made of."""

    draw: Draw
    measured: Measurement
    device: DeviceInfo
    trace: Trace | None = None
    optimized: tuple[Program, Trace] | None = None
    """The program after `spirv-opt -O` and its trace, where there is one."""
    shared: SharedText | None = None
    """Source to keep with it."""


@dataclass(frozen=True)
class Recorded:
    """One sample of the list."""

    id: str
    name: str
    """Empty where it was not noted."""
    at: float | None
    """Seconds since the epoch."""
    device: str
    """Name."""
    slug: str
    time_s: float
    """Mean seconds per draw over the trials kept, by `clock`."""
    clock: str
    """`device` or `cpu`."""
    size: tuple[int, int]
    trials: int
    traced: bool
    license: str | None
    """Of the source that is kept with it; None without source."""


@dataclass(frozen=True)
class Listing:
    """What the store holds, and the samples recorded last."""

    rows: int
    shaders: int
    devices: dict[str, int]
    """Samples by device name."""
    recorded: tuple[Recorded, ...]
    """Newest first; not all of them where there are many."""


EMPTY = Listing(0, 0, {}, ())


class SampleServer:
    """Runs in the child.  The store is opened per request: its file may come and go."""

    def __init__(self, path: Path):
        self._path = path

    def record(self, what: Measured) -> str:
        import time

        from shaderlab.samples import contribution, recording, validation
        from shaderlab.samples.store import Store

        if what.shared is not None:
            contribution.check_licence(what.shared.license)
        optimized = what.optimized
        sample = recording.record(
            what.draw,
            what.measured,
            what.device,
            trace=what.trace,
            optimized=(optimized[0].module, optimized[1]) if optimized else None,
            shared=what.shared,
        )
        validation.check(sample)
        with Store(self._path) as store:
            store.keep(sample, what.draw.program.name, time.time())
        return sample.id

    def listing(self, most: int) -> Listing:
        from shaderlab.errors import InvalidSample
        from shaderlab.samples import schema
        from shaderlab.samples.store import Store

        if not self._path.exists():
            return EMPTY
        with Store(self._path) as store:
            stats, entries = store.stats(), store.entries(most)
        recorded = []
        for entry in entries:
            try:
                sample = schema.from_row(entry.row)
            except InvalidSample:
                continue  # counted above, and refused by any export
            timing, inputs = sample.timing, sample.inputs
            recorded.append(
                Recorded(
                    id=entry.id,
                    name=entry.name,
                    at=entry.at,
                    device=sample.device.name,
                    slug=sample.device.slug,
                    time_s=timing.time_s,
                    clock=timing.clock,
                    size=(inputs.width, inputs.height),
                    trials=len(timing.trials_s),
                    traced=sample.trace is not None,
                    license=sample.program.license,
                )
            )
        return Listing(stats.rows, stats.shaders, stats.devices, tuple(recorded))

    def statistics(self, path: Path | None) -> tuple[DeviceStatistics, ...]:
        from shaderlab.samples import exchange, statistics

        path = path or self._path
        return statistics.statistics(exchange.accepted(path)) if path.exists() else ()

    def clock_points(self, digest: str) -> dict[float, float]:
        from shaderlab.samples import clock_times

        return clock_times.clock_points(self._path, digest) if self._path.exists() else {}

    def forget(self, ids: tuple[str, ...]) -> int:
        from shaderlab.samples.store import Store

        with Store(self._path) as store:
            return store.forget(ids)

    def review(self, choice: Choice) -> Review:
        from shaderlab.samples import contribution, review
        from shaderlab.samples.sources import Sources

        return review.review(contribution.chosen(self._path, choice, Sources(_compile)))

    def export(self, output: Path, choice: Choice, licence: str) -> Exported:
        from shaderlab.samples import contribution

        return contribution.export(self._path, output, choice, licence, _compile)


def _compile(text: str) -> Program:
    """How a sample's text is compiled to see whether it belongs to the sample's program."""
    from shaderlab.frontend.compiler import compile_text

    return compile_text(text, "a sample's source", None)


class SampleWorker(Client[SampleServer]):
    """Keeps samples in the store at `path`; `samples` names the errors futures carry."""

    def __init__(self, path: Path):
        super().__init__(SampleServer, path, name="sample store", limits=None, start_s=_START_S)
        self.path = path

    def record(self, what: Measured) -> Future[str]:
        """Make a sample, check it and keep it under the program's name; its id."""
        doing = f"recording {what.draw.program.name}"
        return self._request(SampleServer.record, _STORE_S, doing)(what)

    def listing(self, most: int) -> Future[Listing]:
        """What is kept, with the `most` samples recorded last.  Makes no store where none is."""
        return self._request(SampleServer.listing, _STORE_S, "reading the samples")(most)

    def statistics(self, path: Path | None = None) -> Future[tuple[DeviceStatistics, ...]]:
        """What the store is like, or the data set at `path`, by device; see
        `samples.statistics`.  Empty where there is none."""
        doing = f"reading {path.name if path else 'the samples'}"
        return self._request(SampleServer.statistics, _EXPORT_S, doing)(path)

    def clock_points(self, digest: str) -> Future[dict[float, float]]:
        """Seconds of a program by clock in MHz (`samples.clock_times`)."""
        return self._request(SampleServer.clock_points, _STORE_S, "reading the samples")(digest)

    def forget(self, ids: Sequence[str]) -> Future[int]:
        """Remove samples for good; how many there were."""
        return self._request(SampleServer.forget, _STORE_S, "removing samples")(tuple(ids))

    def review(self, choice: Choice) -> Future[Review]:
        """`samples.review.review` of what an export would hold."""
        return self._request(SampleServer.review, _EXPORT_S, "reviewing the samples")(choice)

    def export(self, output: Path, choice: Choice, licence: str) -> Future[Exported]:
        """`samples.contribution.export`."""
        ask = self._request(SampleServer.export, _EXPORT_S, "exporting the samples")
        return ask(output, choice, licence)
