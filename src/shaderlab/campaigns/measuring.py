"""One shader on one device: timed, its picture looked at, traced; each step a request of its own.

So a trace that hangs costs the trace, not the times taken before it.
"""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shaderlab.errors import ShaderlabError
from shaderlab.gpu import drivers
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.gpu.trials import Plan
from shaderlab.gpu.uniforms import Uniforms
from shaderlab.workers.supervision import Supervisor

if TYPE_CHECKING:
    from shaderlab.frontend.program import Program
    from shaderlab.gpu.measurement import Measurement
    from shaderlab.samples.sample import Picture
    from shaderlab.spirv.trace import Trace


class TooSlow(ShaderlabError):
    """One draw takes longer than the campaign has time for."""


@dataclass(frozen=True)
class Effort:
    """How much time a campaign spends on a shader."""

    trials: int = 10
    trial_s: float = 0.5
    """A trial has as many draws as fit into this, one at least, seconds."""
    draws: int = 30
    """Most draws per trial."""
    shader_s: float = 20.0
    """All trials together stay below this, but for the fewest, seconds."""
    fewest_trials: int = 3
    slowest_s: float = 5.0
    """A shader whose draw takes longer is left out, seconds."""
    deadline_s: float = 120.0
    """Each of a shader's steps is stopped after this, seconds."""

    def plan(self, draw_s: float) -> tuple[int, int]:
        """Trials, and draws per trial, for a shader that takes `draw_s` per draw."""
        draw_s = max(draw_s, 1e-9)
        draws = max(1, min(self.draws, int(self.trial_s / draw_s)))
        affordable = int(self.shader_s / (draws * draw_s))
        return max(min(self.fewest_trials, self.trials), min(self.trials, affordable)), draws


class Traced(NamedTuple):
    trace: Trace
    picture: Picture


class MeasuringWorker:
    """A device's child that serves a campaign; futures carry supervision's and `gpu`'s errors."""

    _START_S = 60.0

    def __init__(self, info: DeviceInfo, deadline_s: float):
        self._deadline_s = deadline_s
        self._supervisor = Supervisor(
            "shaderlab.campaigns.measuring:MeasuringServer",
            (info,),
            name=f"worker of {info.name}",
            start_deadline_s=self._START_S,
        )

    def start(self) -> None:
        self._supervisor.start()

    def time(self, program: Program, uniforms: Uniforms, effort: Effort) -> Future[Measurement]:
        """Raises also TooSlow."""
        return self._submit("time", program, uniforms, effort, doing=f"timing {program.name}")

    def trace(self, program: Program, uniforms: Uniforms) -> Future[Traced]:
        return self._submit("trace", program, uniforms, doing=f"tracing {program.name}")

    def look(self, program: Program, uniforms: Uniforms) -> Future[Picture]:
        """What there is to see, where nothing is to be counted."""
        return self._submit("look", program, uniforms, doing=f"drawing {program.name}")

    def close(self) -> None:
        self._supervisor.close()

    def _submit(self, method: str, *arguments: object, doing: str) -> Future:
        return self._supervisor.submit(method, *arguments, deadline_s=self._deadline_s, doing=doing)


class MeasuringServer:
    """Runs in the child.  Vulkan is loaded here and nowhere above."""

    def __init__(self, info: DeviceInfo):
        drivers.select(info.manifest)
        from shaderlab.gpu import device, profiling, rendering, tracing

        self._profiling = profiling
        self._rendering = rendering
        self._tracing = tracing
        self._device = device.Device.open(info)

    def time(self, program: Program, uniforms: Uniforms, effort: Effort) -> Measurement:
        with self._profiling.TimedDraws(self._device, program, uniforms) as timed:
            draw_s = timed.draw_s
            if draw_s > effort.slowest_s:
                # Where cores are shared, only the CPU's clock tells the shader from its neighbours.
                again = timed.trial(1)
                software = self._device.info.kind == "software"
                draw_s = again.cpu_s if software else again.gpu_s
                if draw_s > effort.slowest_s:
                    raise TooSlow(
                        f"takes {draw_s:.3g} s per draw, longer than {effort.slowest_s:g} s"
                    )
            chosen = Plan(*effort.plan(draw_s))
            return self._profiling.measure(timed, chosen, checked=False)

    def trace(self, program: Program, uniforms: Uniforms) -> Traced:
        tracer = self._tracing.Tracer(
            self._device, program, uniforms.size, self._tracing.MEMORY_BUDGET
        )
        try:
            trace = tracer.trace(uniforms)
            return Traced(trace, picture_kind(tracer.picture()))
        finally:
            tracer.close()

    def look(self, program: Program, uniforms: Uniforms) -> Picture:
        width, height = uniforms.size
        pixels = np.empty((height, width, 4), np.uint8)
        with self._rendering.Renderer(self._device, program, uniforms.size) as renderer:
            renderer.render(uniforms, pixels)
        return picture_kind(pixels)


def picture_kind(pixels: np.ndarray) -> Picture:
    """What there is to see in (h, w, 4) uint8 RGBA, alpha apart."""
    colours = pixels[..., :3]
    if (colours != colours[0, 0]).any():
        return "varied"
    return {(0, 0, 0): "black", (255, 255, 255): "white"}.get(
        tuple(colours[0, 0].tolist()), "constant"
    )
