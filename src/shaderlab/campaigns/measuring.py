"""One shader on one device: compiled, traced, timed; each step is its own request.

So what the device compiles can be kept from what it draws and times, and on a device that ends all
loops by itself a trace that fails costs the trace alone.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from concurrent.futures import Future
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Concatenate, NamedTuple, ParamSpec, TypeVar

import numpy as np

from shaderlab.campaigns.corpus import Shader
from shaderlab.campaigns.preparing import COMPILE_S, Prepared, Preparer
from shaderlab.errors import ShaderlabError
from shaderlab.gpu import drivers
from shaderlab.gpu.device_info import DeviceInfo, DeviceKind
from shaderlab.gpu.plan import SUBMISSION_S, Plan, plan
from shaderlab.workers.answering import answering
from shaderlab.workers.supervisor.client import Client

if TYPE_CHECKING:
    from shaderlab.gpu.measurement import Measurement
    from shaderlab.samples.sample import Picture
    from shaderlab.scene.draw import Draw
    from shaderlab.spirv.trace import Trace


_STEADY_S = 0.01
"""Of a trial on a GPU, whose trials of one shader scatter by 0.02 %."""
_SETTLED_ON_SOFTWARE = 0.02
"""Thousands of shaders have no time for more; what scatters there is other work on the cores."""

_P = ParamSpec("_P")
_R = TypeVar("_R")


class TooSlow(ShaderlabError):
    """One draw takes longer than the campaign has time for."""


@dataclass(frozen=True)
class Effort:
    """How much time a campaign spends on a shader."""

    trials: int = 10
    trial_s: float | None = None
    """A trial has as many draws as fit into this, one at least, seconds; None for half a second on
    software devices, and on others, which scatter less, for 10 ms."""
    draws: int = 30
    """Most draws per trial."""
    shader_s: float = 20.0
    """All trials together stay below this, but for the fewest, seconds."""
    fewest_trials: int = 3
    settled: float | None = None
    """No more trials once the mean is known to this fraction of itself, with 95 % confidence; None
    for 2 % on software devices, and on others what a profile is content with (`settled_at`)."""
    slowest_s: float = 5.0
    """A shader whose draw takes longer is left out, seconds."""
    deadline_s: float = 120.0
    """Each of a shader's steps is stopped after this, seconds; waiting for a processor that others
    keep busy does not count."""

    def plan(self, draw_s: float, kind: DeviceKind) -> Plan:
        """Trials and draws for a shader that takes `draw_s` per draw on a device of the kind."""
        usual_s = SUBMISSION_S if kind == "software" else _STEADY_S
        return plan(
            draw_s,
            self.trials,
            self.draws,
            submission_s=usual_s if self.trial_s is None else self.trial_s,
            measurement_s=self.shader_s,
            fewest=self.fewest_trials,
        )


class Traced(NamedTuple):
    trace: Trace
    picture: Picture | None
    """None of a compute shader."""


class MeasuringServer:
    """Runs in the child.  Vulkan is loaded here and nowhere above."""

    def __init__(self, info: DeviceInfo, counted: frozenset[str] = frozenset()):
        drivers.select(info.manifest)
        from shaderlab.gpu.vulkan import device, profiling, rendering, tracing

        self._profiling = profiling
        self._rendering = rendering
        self._tracing = tracing
        self._preparer = Preparer(counted)
        self._device = device.Device.open(info)
        self._made = ExitStack()
        """What the next step is for."""

    def prepare(self, shader: Shader, optimize: bool) -> Prepared:
        return self._preparer.prepare(shader, optimize)

    def make_timed(self, draw: Draw) -> None:
        self._made.close()
        self._tracing.require_end(self._device, draw)
        timed = self._profiling.TimedDraws(self._device, draw)
        self._timed = self._made.enter_context(timed)
        if self._device.info.kind == "software":
            timed.warm_up()  # there compiling waits for the first draw

    def time(self, effort: Effort) -> Measurement:
        with self._made.pop_all():
            timed = self._timed
            draw_s = timed.single.gpu_s
            if draw_s > effort.slowest_s:
                # Where cores are shared, only the CPU's clock is the shader's own.
                again = timed.trial(1)
                software = self._device.info.kind == "software"
                draw_s = again.cpu_s if software else again.gpu_s
                if draw_s > effort.slowest_s:
                    raise TooSlow(
                        f"takes {draw_s:.3g} s per draw, longer than {effort.slowest_s:g} s"
                    )
            chosen = effort.plan(draw_s, self._device.info.kind)
            settled = effort.settled
            if settled is None and self._device.info.kind == "software":
                settled = _SETTLED_ON_SOFTWARE
            return self._profiling.measure(timed, chosen, checked=False, settled=settled)

    def make_traced(self, draw: Draw) -> None:
        self._made.close()
        self._tracing.prepare(self._device, draw)

    def begin_trace(self, draw: Draw) -> None:
        self._steps = self._traced(draw)

    def _traced(self, draw: Draw) -> Generator[None, None, Traced]:
        if draw.is_compute:
            return Traced(self._tracing.trace(self._device, draw), None)
        trace = yield from self._tracing.tracing(self._device, draw)
        pixels = self._tracing.traced_picture(self._device, draw)
        return Traced(trace, picture_kind(pixels))

    def step(self) -> Traced | None:
        """The next step of the trace that was begun; None where it was not the last."""
        try:
            next(self._steps)
        except StopIteration as end:
            return end.value
        return None

    def look(self, draw: Draw) -> Picture:
        self._tracing.require_end(self._device, draw)
        width, height = draw.size
        pixels = np.empty((height, width, 4), np.uint8)
        with self._rendering.Renderer(self._device, draw) as renderer:
            renderer.render(draw.inputs, pixels)
        return picture_kind(pixels)


class MeasuringWorker(Client[MeasuringServer]):
    """A device's child that measures; each step waits for its end.

    Raises supervision's and `gpu`'s errors, and in `prepare` what the frontend raises.
    """

    _START_S = 60.0

    def __init__(self, info: DeviceInfo, deadline_s: float, counted: frozenset[str] = frozenset()):
        """`counted`: digests of programs that need no optimised form: its counts are known."""
        super().__init__(
            MeasuringServer,
            info,
            counted,
            name=f"worker of {info.name}",
            limits=None,
            start_s=self._START_S,
            patient=True,
            device=answering(info),
        )
        self._deadline_s = deadline_s

    def prepare(self, shader: Shader, optimize: bool) -> Prepared:
        doing = f"compiling {shader.name}"
        ask = self._request(MeasuringServer.prepare, COMPILE_S, doing, on_device=False)
        return ask(shader, optimize).result()

    def make_timed(self, draw: Draw) -> None:
        """Have the driver compile the program for `time`."""
        self._step(MeasuringServer.make_timed, f"making {draw.program.name}")(draw).result()

    def time(self, draw: Draw, effort: Effort) -> Measurement:
        """Time what `make_timed` made.  Raises also TooSlow."""
        return self._step(MeasuringServer.time, f"timing {draw.program.name}")(effort).result()

    def make_traced(self, draw: Draw) -> None:
        """Have the driver compile the program, made to count itself, for `trace`."""
        doing = f"making {draw.program.name} count"
        self._step(MeasuringServer.make_traced, doing)(draw).result()

    def trace(self, draw: Draw, turn: Callable[[], AbstractContextManager[None]]) -> Traced:
        """Trace what `make_traced` made; what keeps the device busy is done in a turn."""
        doing = f"tracing {draw.program.name}"
        self._step(MeasuringServer.begin_trace, doing)(draw).result()
        for its_turn in cycle((turn, nullcontext)):
            with its_turn():
                traced = self._step(MeasuringServer.step, doing)().result()
            if traced is not None:
                return traced
        raise AssertionError

    def look(self, draw: Draw) -> Picture:
        """What the picture shows, where nothing is to be counted."""
        return self._step(MeasuringServer.look, f"drawing {draw.program.name}")(draw).result()

    def _step(
        self, method: Callable[Concatenate[MeasuringServer, _P], _R], doing: str
    ) -> Callable[_P, Future[_R]]:
        return self._request(method, self._deadline_s, doing)


def picture_kind(pixels: np.ndarray) -> Picture:
    """What (h, w, 4) uint8 RGBA pixels show, alpha ignored."""
    colours = pixels[..., :3]
    if (colours != colours[0, 0]).any():
        return "varied"
    if (colours == 0).all():
        return "black"
    return "white" if (colours == 255).all() else "constant"
