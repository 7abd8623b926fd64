"""The children that answer, each started with the first request it is needed for."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, cast

from shaderlab import locations
from shaderlab.engine import origin
from shaderlab.engine.graph import Asking, Graph, Question
from shaderlab.engine.quarantine import Quarantine
from shaderlab.engine.store import Store
from shaderlab.errors import DeviceLost, WrongUse
from shaderlab.gpu.compilers.discovery import Answers, CompiledTarget
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.workers import compiled
from shaderlab.workers.compiled import CompiledWorkers
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.predictor import PredictorWorker
from shaderlab.workers.supervisor.limits import Limits

if TYPE_CHECKING:
    from shaderlab.workers.captured_frames import FrameAnalyser
    from shaderlab.workers.external import Analysers
    from shaderlab.workers.frame_costs import FrameCosts

H = TypeVar("H")
W = TypeVar("W", CompilerWorker, PredictorWorker, DeviceWorker, CompiledWorkers)


class Crew:
    """Of one device; used from several threads."""

    def __init__(
        self,
        wanted: str | DeviceInfo | None = None,
        limits: Limits | None = None,
        *,
        low_priority: bool = False,
        device_low: bool | None = None,
        own_optimizer: bool = False,
    ):
        """`wanted`: the device, or its name; None: the best there is.

        `low_priority`: compiler and device yield to everything else; `device_low`: whether the
        device does, where that differs, as where it is timed.  `own_optimizer`: programs are
        optimised by a second compiler at low priority, so that a text is compiled at once.
        """
        self.wanted, self.limits = wanted, limits or Limits()
        self._low = low_priority
        self._device_low = low_priority if device_low is None else device_low
        self._own_optimizer = own_optimizer
        self._lock = threading.Lock()
        self._children: dict[str, CompilerWorker | PredictorWorker | DeviceWorker | CompiledWorkers]
        self._children, self._closed = {}, False
        self._places: dict[str, object] = {}
        self._helpers: dict[str, Any] = {}
        """What works with children, and has none."""

    @property
    def compiler(self) -> CompilerWorker:
        return self._child("compiler", lambda: CompilerWorker(self.limits, low_priority=self._low))

    @property
    def optimizer(self) -> CompilerWorker:
        if not self._own_optimizer:
            return self.compiler
        return self._child("optimizer", lambda: CompilerWorker(self.limits, low_priority=True))

    @property
    def predictor(self) -> PredictorWorker:
        return self._child("predictor", lambda: PredictorWorker(self.limits))

    def device(self, info: DeviceInfo) -> DeviceWorker:
        """The worker of the device that was asked for."""
        low = self._device_low
        return self._child("device", lambda: DeviceWorker(info, self.limits, low_priority=low))

    def radv(self, target: CompiledTarget) -> CompiledWorkers:
        """The compiler of the reference family."""
        return self._child("radv", lambda: CompiledWorkers([target], self.limits))

    def find_compilers(self) -> Future[Answers]:
        """Vendors' compilers that are here; its exception is NoVulkan."""
        return compiled.available()

    def families(self, targets: Sequence[CompiledTarget]) -> CompiledWorkers:
        """The compilers of all families, a child each, started as it is needed."""
        return self._child("families", lambda: CompiledWorkers(targets, self.limits))

    def place(self, slug: str) -> object:
        """What stands for the child of a family: one is asked one thing at a time."""
        return self._places.setdefault(slug, object())

    def frame_costs(self, info: DeviceInfo, targets: Sequence[CompiledTarget]) -> FrameCosts:
        """Joins what is compiled with what is counted."""
        from shaderlab.workers.frame_costs import FrameCosts

        compilers = self.families(targets)
        device = self.counting_device(info)
        return self._helper("frame costs", lambda: FrameCosts(self.optimizer, device, compilers))

    def counting_device(self, info: DeviceInfo) -> DeviceWorker:
        """For what is counted and timed beside what is shown."""
        return self.device(info)

    def analyser(self, info: DeviceInfo, targets: Sequence[str] | None = None) -> FrameAnalyser:
        """Runs and counts captured draws, beside what is shown; predicts them for these targets."""
        from shaderlab.workers.captured_frames import FrameAnalyser
        from shaderlab.workers.kept_draws import KeptDraws
        from shaderlab.workers.second_device import SecondDevice

        device = self.counting_device(info)
        second = self._helper("second device", lambda: SecondDevice(info, self._beside))
        return FrameAnalyser(
            self.compiler, device, self.predictor, targets,
            kept=KeptDraws(info), optimizer=self.optimizer, second=second,
        )  # fmt: skip

    def _beside(self, info: DeviceInfo) -> DeviceWorker:
        return DeviceWorker(info, self.limits, low_priority=self._low)

    @property
    def analysers(self) -> Analysers:
        """Vendors' own analysers, which run in a thread."""
        from shaderlab.workers.external import Analysers

        return self._helper("analysers", Analysers)

    async def toolchain(self, _q: Asking) -> tuple[str, ...]:
        """Names and versions of what compiles and optimises: known here before a child is up."""
        from shaderlab.frontend.toolchain import choice

        return choice.named_versions()

    @cached_property
    def models(self) -> str:
        """Digest of the models that forecasts are made with."""
        return origin.of_models()

    def read_models(self) -> None:
        """A target was calibrated or removed: what was predicted is not asked for again."""
        self.__dict__.pop("models", None)

    @property
    def running(self) -> set[str]:
        """Which children there are."""
        with self._lock:
            return {name for name, each in self._children.items() if each.pids}

    def close(self) -> None:
        """End all children."""
        with self._lock:
            self._closed = True
            children = (*self._helpers.values(), *self._children.values())
        for each in children:
            each.close()

    def _helper(self, name: str, make: Callable[[], H]) -> H:
        if name not in self._helpers:
            self._helpers[name] = make()
        return self._helpers[name]

    def _child(self, name: str, make: Callable[[], W]) -> W:
        """Raises DeviceLost after `close`."""
        with self._lock:
            if self._closed:
                raise DeviceLost("the children are shut down")
            found = self._children.get(name)
            if found is None:
                found = self._children[name] = make()
            return cast(W, found)


class Engine(Graph[Crew]):
    """Questions answered by a crew of its own."""

    def __init__(
        self, crew: Crew, *, kept: bool = True, loop: asyncio.AbstractEventLoop | None = None
    ):
        """`kept`: whether answers of earlier runs are recalled, and this one's kept for later ones;
        without, code that ended a worker before is run again.  `loop`: as `Graph` takes it."""
        store = quarantine = None
        self.not_kept = ""
        """Why answers are not kept, although they were to be."""
        try:
            store = Store(locations.user_cache() / "answers") if kept else None
        except WrongUse as error:
            self.not_kept = str(error)
        with suppress(WrongUse):
            folder = locations.user_data() / "quarantine"
            quarantine = Quarantine(folder, crew.limits.trace, consulted=kept)
        super().__init__(crew, store, quarantine, origin=origin.of_code(), loop=loop)

    def _around(self, asked: Question) -> tuple[object, ...]:
        return (self.crew.wanted, self.crew.models) if asked.follows_from_crew else ()

    def close(self) -> None:
        """Give up all work and end the children."""
        super().close()
        self.crew.close()
