"""The samples' worker: the local store, reviews and exports, away from the interface."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from shaderlab.workers.supervisor.supervisor import Supervisor

if TYPE_CHECKING:
    from shaderlab.frontend.program import Program
    from shaderlab.gpu.device_info import DeviceInfo
    from shaderlab.gpu.measurement import Measurement
    from shaderlab.samples.choice import Choice
    from shaderlab.samples.contribution import Exported
    from shaderlab.samples.recording import SharedText
    from shaderlab.samples.review import Review
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


class SampleWorker:
    """Keeps samples in the store at `path`; `samples` names the errors futures carry."""

    def __init__(self, path: Path):
        self.path = path
        self._supervisor = Supervisor(
            "shaderlab.workers.samples:SampleServer",
            (path,),
            name="keeper of samples",
            start_deadline_s=_START_S,
        )

    @property
    def replacements(self) -> int:
        return self._supervisor.replacements

    def record(self, what: Measured) -> Future[str]:
        """Make a sample, check it and keep it under the program's name; its id."""
        return self._submit("record", what, doing=f"recording {what.draw.program.name}")

    def listing(self, most: int) -> Future[Listing]:
        """What is kept, with the `most` samples recorded last.  Makes no store where none is."""
        return self._submit("listing", most, doing="reading the samples")

    def forget(self, ids: Sequence[str]) -> Future[int]:
        """Remove samples for good; how many there were."""
        return self._submit("forget", tuple(ids), doing="removing samples")

    def review(self, choice: Choice) -> Future[Review]:
        return self._submit("review", choice, deadline_s=_EXPORT_S, doing="reviewing the samples")

    def export(self, output: Path, choice: Choice, licence: str) -> Future[Exported]:
        """`samples.contribution.export`."""
        return self._submit(
            "export", output, choice, licence, deadline_s=_EXPORT_S, doing="exporting the samples"
        )

    def close(self) -> None:
        self._supervisor.close()

    def _submit(
        self, method: str, *arguments: object, doing: str, deadline_s: float = _STORE_S
    ) -> Future:
        return self._supervisor.submit(method, *arguments, deadline_s=deadline_s, doing=doing)


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

    def forget(self, ids: tuple[str, ...]) -> int:
        from shaderlab.samples.store import Store

        with Store(self._path) as store:
            return store.forget(ids)

    def review(self, choice: Choice) -> Review:
        from shaderlab.samples import contribution, review

        return review.review(contribution.chosen(self._path, choice))

    def export(self, output: Path, choice: Choice, licence: str) -> Exported:
        from shaderlab.samples import contribution

        return contribution.export(self._path, output, choice, licence)
