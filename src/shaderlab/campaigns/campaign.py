"""The campaign's loop: prepare, time, trace, keep; whatever happens to one shader, go on.

What a shader came to is kept in one transaction with its sample, so that a campaign ended at any
point goes on where it was: nothing finished is measured again, nothing is kept twice.
"""

from __future__ import annotations

import hashlib
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import astuple, dataclass, field, replace
from typing import TypeVar

from shaderlab.campaigns.corpus import Shader
from shaderlab.campaigns.measuring import Effort, MeasuringWorker
from shaderlab.campaigns.preparing import Preparation, Prepared
from shaderlab.errors import DeviceLost, MissingTool, NoTimestamps, NoVulkan, ShaderlabError
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.gpu.uniforms import Uniforms
from shaderlab.samples import recording, validation
from shaderlab.samples.known_counts import KnownCounts
from shaderlab.samples.sample import Sample
from shaderlab.samples.store import Store

_T = TypeVar("_T")

_MOST_STARTS = 3
"""A shader during which the campaign itself was ended this often is not tried again."""
_WORKER_SHADERS = 500
"""A device's child is replaced after so many, as drivers leak."""
_RATE_WINDOW_S = 300.0
_MOST_LOSSES = 10
"""So many devices lost in a row are not the shaders' doing."""


@dataclass(frozen=True)
class Options:
    """What a campaign does with every shader."""

    uniforms: Uniforms = field(default_factory=Uniforms)
    effort: Effort = field(default_factory=Effort)
    optimize: bool = True
    """Also trace the module after `spirv-opt -O`."""
    retry: bool = False
    """Try again what an earlier run rejected."""
    compilers: int = 1
    """Children that compile ahead."""
    counts: KnownCounts | None = None
    """What was counted before with the same inputs, here or on another device, is not again."""


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


class Campaign:
    """Shaders measured on one device into one store."""

    def __init__(
        self, shaders: Sequence[Shader], device: DeviceInfo, store: Store, options: Options
    ):
        self._shaders = shaders
        self._device = device
        self._store = store
        self._options = options
        self._worker: MeasuringWorker | None = None
        self._served = 0
        self._losses = 0

    def run(self, report: Callable[[Progress], None] = lambda progress: None) -> Progress:
        """Measure what is left; `report` is called after every shader.

        Raises NoVulkan, NoTimestamps and MissingTool, which would meet every shader alike, and
        DeviceLost when it happens again and again.
        """
        finished = self._store.finished(also_rejected=not self._options.retry)
        left = [shader for shader in self._shaders if self.job(shader) not in finished]
        # What the campaign was ended during may have ended it: everything else comes first.
        interrupted = self._store.interrupted()
        left.sort(key=lambda shader: interrupted.get(self.job(shader), 0))
        clock = _Clock()
        progress = Progress(len(self._shaders), len(self._shaders) - len(left), 0, 0, 0.0, 0.0, "")
        options = self._options
        try:
            with Preparation(
                optimize=options.optimize,
                workers=options.compilers,
                held=self._device.kind == "software",  # its times are of the same cores
                counted=options.counts.digests if options.counts else frozenset(),
            ) as preparation:
                for shader, prepared in preparation.each(left):
                    reason = self._attempt(shader, prepared, preparation.go_on)
                    if self._losses >= _MOST_LOSSES:
                        raise DeviceLost(
                            f"{_MOST_LOSSES} shaders in a row, the last of them {reason}"
                        )
                    progress = replace(
                        progress,
                        recorded=progress.recorded + (reason is None),
                        rejected=progress.rejected + (reason is not None),
                        elapsed_s=clock.elapsed_s,
                        rate_per_s=clock.tick(),
                        last=f"{shader.name}: {reason or 'recorded'}",
                    )
                    report(progress)
        finally:
            self._close_worker()
        return progress

    def job(self, shader: Shader) -> str:
        """What is one measurement: the shader, the device with its driver, the inputs."""
        info = self._device
        device = (info.name, info.driver, info.uuid)
        parts = (shader.key, *device, *astuple(recording.inputs_record(self._options.uniforms)))
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:32]

    def _attempt(
        self, shader: Shader, prepared: Prepared | ShaderlabError, timed: Callable[[], None]
    ) -> str | None:
        """Keep the shader's sample, or the reason there is none, which is returned.

        `timed` is called once the device has timed it.
        """
        job = self.job(shader)
        starts = self._store.begin(job, shader.name, self._device.slug)
        try:
            if starts > _MOST_STARTS:
                raise ShaderlabError(f"the campaign was ended during it {_MOST_STARTS} times")
            if isinstance(prepared, ShaderlabError):
                raise prepared
            sample = self._measure(shader, prepared, timed)
            validation.check(sample)
        except (NoVulkan, NoTimestamps, MissingTool):
            raise
        except ShaderlabError as error:
            self._losses = self._losses + 1 if isinstance(error, DeviceLost) else 0
            reason = f"{type(error).__name__}: {error}"
            self._store.rejected(job, reason)
            return reason
        self._losses = 0
        self._store.recorded(job, sample)
        return None

    def _measure(self, shader: Shader, prepared: Prepared, timed: Callable[[], None]) -> Sample:
        worker = self._fresh_worker()
        options = self._options
        program = prepared.program
        measured = worker.time(program, options.uniforms, options.effort).result()
        timed()
        known = options.counts.of(program.digest) if options.counts else None
        if known is not None:
            picture = _unless_failed(worker.look(program, options.uniforms))
            sample = recording.record(
                program,
                options.uniforms,
                measured,
                self._device,
                picture=picture,
                origin=shader.origin,
            )
            return recording.with_counts(sample, *known)
        traced = _unless_failed(worker.trace(program, options.uniforms))
        optimized = (
            _unless_failed(worker.trace(prepared.optimized, options.uniforms))
            if prepared.optimized is not None
            else None
        )
        return recording.record(
            program,
            options.uniforms,
            measured,
            self._device,
            trace=traced.trace if traced else None,
            optimized=(prepared.optimized.module, optimized.trace) if optimized else None,
            picture=traced.picture if traced else None,
            origin=shader.origin,
        )

    def _fresh_worker(self) -> MeasuringWorker:
        if self._served >= _WORKER_SHADERS:
            self._close_worker()
        if self._worker is None:
            self._worker = MeasuringWorker(self._device, self._options.effort.deadline_s)
            self._served = 0
        self._served += 1
        return self._worker

    def _close_worker(self) -> None:
        if self._worker is not None:
            self._worker.close()
            self._worker = None


def _unless_failed(request: Future[_T]) -> _T | None:
    """Its answer, or None where it fails: the times are worth keeping without it."""
    try:
        return request.result()
    except ShaderlabError:
        return None


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
