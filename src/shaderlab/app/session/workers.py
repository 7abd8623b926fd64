"""A session's workers: how they are made, limited, counted and closed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Protocol, TypeVar

from shaderlab.engine import crew
from shaderlab.engine.graph import Asking
from shaderlab.errors import Abandoned
from shaderlab.gpu import drivers
from shaderlab.gpu.compilers.discovery import Answers, CompiledTarget
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.workers import compiled
from shaderlab.workers.compiled import CompiledWorkers
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.predictor import PredictorWorker
from shaderlab.workers.supervisor.limits import Limits

ROLE = "compiled"
"""Of all workers behind statistics and frame times of GPUs that are not here (`Crew.add`)."""


class Workers(Protocol):
    """Makes the workers; tests and benchmarks may watch, limit or replace them.

    Those in the background run at low priority.  Vendors' compilers do not: what they do is short,
    begins when picture and forecasts are there, and would wait for every frame of the preview.
    """

    def compiler(self) -> CompilerWorker: ...
    def predictor(self) -> PredictorWorker: ...
    def device(self, info: DeviceInfo) -> DeviceWorker: ...
    def quick_device(self, info: DeviceInfo) -> DeviceWorker | None: ...
    def background_compiler(self) -> CompilerWorker: ...
    def background_device(self, info: DeviceInfo) -> DeviceWorker: ...
    def compiled_targets(self) -> Future[Answers]: ...
    def compiled(self, targets: Sequence[CompiledTarget]) -> CompiledWorkers: ...


class RealWorkers:
    def compiler(self) -> CompilerWorker:
        return CompilerWorker()

    def predictor(self) -> PredictorWorker:
        return PredictorWorker()

    def device(self, info: DeviceInfo) -> DeviceWorker:
        return DeviceWorker(info, spare=not drivers.can_compile_quickly(info.slug))

    def quick_device(self, info: DeviceInfo) -> DeviceWorker | None:
        """One that has a picture sooner, where the driver can; in memory it takes the place of
        the spare, and draws while another child takes the device's place."""
        return DeviceWorker(info, quick=True) if drivers.can_compile_quickly(info.slug) else None

    def background_compiler(self) -> CompilerWorker:
        return CompilerWorker(low_priority=True)

    def background_device(self, info: DeviceInfo) -> DeviceWorker:
        return DeviceWorker(info, low_priority=True)

    def compiled_targets(self) -> Future[Answers]:
        return compiled.available()

    def compiled(self, targets: Sequence[CompiledTarget]) -> CompiledWorkers:
        return CompiledWorkers(targets)


class Worker(Protocol):
    @property
    def replacements(self) -> int: ...
    def set_limits(self, limits: Limits) -> None: ...
    def close(self) -> None: ...


W = TypeVar("W", bound=Worker)


class Crew(crew.Crew):
    """The workers in use: held to one set of limits, their replacements counted, closed at last.

    Used from several threads.  Questions are answered with the workers that the window uses.
    """

    def __init__(self, make: Workers, limits: Limits | None = None):
        super().__init__(None, limits)
        self.make = make
        self._limits = limits
        self._workers: dict[Worker, str] = {}
        self._device: DeviceWorker | None = None
        self._counting: DeviceWorker | None = None
        """Counts frames of what vendors' compilers made."""

    @property
    def compiler(self) -> CompilerWorker:
        return self._child("compiler", lambda: self.add(self.make.compiler(), "compiler"))

    @property
    def optimizer(self) -> CompilerWorker:
        """The compiler at low priority, one for all that is made of the current program."""
        role = "background compiler"
        return self._child(role, lambda: self.add(self.make.background_compiler(), role))

    @property
    def predictor(self) -> PredictorWorker:
        return self._child("predictor", lambda: self.add(self.make.predictor(), "predictor"))

    async def toolchain(self, q: Asking) -> tuple[str, ...]:
        """As the compiler's child has them: the window loads none of its libraries."""
        return await q.on(self.compiler, lambda its: its.versions())

    def find_compilers(self) -> Future[Answers]:
        return self.make.compiled_targets()

    def families(self, targets: Sequence[CompiledTarget]) -> CompiledWorkers:
        return self._child("families", lambda: self.add(self.make.compiled(targets), ROLE))

    def counting_device(self, info: DeviceInfo) -> DeviceWorker:
        """Another child than the preview's, at low priority."""
        if self._counting is None or self._counting.info != info:
            self._stop_counting()
            self._counting = self.add(self.make.background_device(info), ROLE)
        return self._counting

    def _beside(self, info: DeviceInfo) -> DeviceWorker:
        return self.make.background_device(info)

    def _stop_counting(self) -> None:
        for name in ("frame costs", "second device"):
            if (former := self._helpers.pop(name, None)) is not None:
                former.close()
        if self._counting is not None:
            self.remove(self._counting)
            self._counting.close(wait=False)  # a driver may take its time to let go
            self._counting = None

    def radv(self, target: CompiledTarget) -> CompiledWorkers:
        return self._child(ROLE, lambda: self.add(self.make.compiled((target,)), ROLE))

    def use_device(self, worker: DeviceWorker) -> None:
        """What is counted is counted on this one from now on."""
        self._device, self.wanted = worker, worker.info
        self._stop_counting()

    def device(self, info: DeviceInfo) -> DeviceWorker:
        """Raises Abandoned where the window uses another one by now."""
        if self._device is None or self._device.info != info:
            raise Abandoned(f"{info.name} is not in use any more")
        return self._device

    def add(self, worker: W, role: str) -> W:
        """Apply the current limits to a new worker."""
        if self._limits is not None:
            worker.set_limits(self._limits)
        self._workers[worker] = role
        return worker

    def remove(self, worker: Worker) -> None:
        """Its owner closes it."""
        self._workers.pop(worker, None)

    def set_limits(self, limits: Limits) -> None:
        """Hold requests made from now on to these."""
        self.limits = self._limits = limits
        for worker in tuple(self._workers):
            worker.set_limits(limits)

    @property
    def replacements(self) -> dict[str, int]:
        """Children killed or found dead so far, by role."""
        replaced: Counter[str] = Counter()
        for worker, role in tuple(self._workers.items()):
            replaced[role] += worker.replacements
        return dict(replaced)

    def close(self) -> None:
        super().close()
        for worker in tuple(self._workers):
            worker.close()
