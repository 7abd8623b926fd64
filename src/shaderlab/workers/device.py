"""A device's worker: one device, one child, because a driver is chosen by the environment."""

from __future__ import annotations

from collections.abc import Hashable
from concurrent.futures import Future
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shaderlab.gpu import drivers
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.gpu.outputs import BufferNeed, Outputs
from shaderlab.scene.draw import Draw, Frame
from shaderlab.spirv.heat import HeatMap, HeatView
from shaderlab.workers.answering import answering
from shaderlab.workers.frames import FrameBuffer, FramePool, FrameSlot, FrameWriter
from shaderlab.workers.mapped_futures import mapped
from shaderlab.workers.supervisor.client import Client
from shaderlab.workers.supervisor.limits import BACKGROUND_IDLE_S, Limits

if TYPE_CHECKING:
    from shaderlab.frontend.program import Program
    from shaderlab.gpu.measurement import Measurement
    from shaderlab.gpu.pixel_values import PixelValues
    from shaderlab.gpu.replayed import Replayed
    from shaderlab.gpu.vulkan.compute_rendering import ComputeRenderer
    from shaderlab.gpu.vulkan.frame_rendering import FrameRenderer
    from shaderlab.gpu.vulkan.rendering import Renderer
    from shaderlab.spirv.trace import SourceLine, Trace

_KEPT_PROGRAMS = 64
_REPLAY_LESS = "Capture a smaller picture, or raise the limit."


@dataclass(frozen=True)
class RenderedFrame:
    """The picture of a frame."""

    pixels: np.ndarray
    """(height, width, 4) uint8 RGBA, row 0 at gl_FragCoord.y = 0.5 (`Program.y_up` says whether
    that is the bottom); a view of shared memory, valid until the next but one frame of the same
    worker."""
    gpu_s: float
    """Seconds the draws took by the device's own clock; nan where it has none."""
    pipeline_s: float
    """Seconds spent creating pipelines for this frame; 0 where they existed."""
    draw: Draw
    """The one whose picture this is."""
    shown: str = ""
    """Name of the pass that it is; empty for the one whose picture is the frame's."""
    heat: HeatMap | None = None
    """What each pixel cost, where asked for; valid as long as `pixels`.  `gpu_s` is then nan: the
    draw also counted."""
    outputs: Outputs | None = None
    """Of a compute shader: what it left in its buffers, and which of its images this is."""


class _Rendered(NamedTuple):
    slot: FrameSlot
    gpu_s: float
    pipeline_s: float
    outputs: Outputs | None = None


class DeviceServer:
    """Runs in the child.  Vulkan is loaded here and nowhere above."""

    _KEPT_RENDERERS = 2

    def __init__(self, info: DeviceInfo, quick: bool = False):
        drivers.select(info.manifest)
        if quick:
            drivers.compile_quickly()
        from shaderlab.gpu.vulkan import device, frame_rendering, rendering, tracing

        self._frame_rendering = frame_rendering
        self._rendering = rendering
        self._tracing = tracing
        self._device = device.Device.open(info)
        self._renderers: dict[Hashable, Renderer | ComputeRenderer] = {}
        self._frame_renderer: FrameRenderer | None = None
        """Of the frame with several passes that was drawn last, with its passes' pictures."""
        self._frame_key: Hashable = None
        self._programs: dict[str, Program] = {}
        """Those sent last, by digest."""
        self._frames = FrameWriter()

    def render(self, frame: Frame, shown: str, buffer: FrameBuffer) -> _Rendered:
        draw = frame.named(shown)
        self._tracing.forget_heat(self._device, keep=frame.shown.program)
        if _is_single(frame):
            self._tracing.require_end(self._device, draw, at_any_time=not draw.is_compute)
            renderer, made_s = self._renderer(draw)
            slot, pixels = self._frames.next(buffer, draw.size)
            gpu_s = renderer.render(draw.inputs, pixels, draw.state.geometry.camera)
            return _Rendered(slot, gpu_s, made_s, renderer.outputs())
        passes, made_s = self._renderer_of_passes(frame)
        slot, pixels = self._frames.next(buffer, draw.picture_size)
        return _Rendered(slot, passes.render(frame, pixels, shown), made_s)

    def render_heat(
        self, frame: Frame, view: HeatView, shown: str, buffer: FrameBuffer
    ) -> _Rendered:
        draw = frame.named(shown)
        slot, both = self._frames.next(buffer, _with_heat(draw.picture_size))
        pixels, values = _halves(both, view)
        outputs = None
        if _is_single(frame):
            if draw.is_compute:
                self._tracing.require_end(self._device, draw)
                renderer, _ = self._renderer(draw)
                renderer.render(draw.inputs, pixels, draw.state.geometry.camera)
                outputs = renderer.outputs()
            pipeline_s = self._tracing.heat(self._device, draw, view, pixels, values)
        else:
            passes, made_s = self._renderer_of_passes(frame)
            pipeline_s = made_s + passes.render_heat(frame, shown, view, pixels, values)
        return _Rendered(slot, nan, pipeline_s, outputs)

    def _renderer_of_passes(self, frame: Frame) -> tuple[FrameRenderer, float]:
        """The frame's renderer, and the seconds spent creating its pipelines, 0 if it was kept."""
        key = self._frame_rendering.frame_key(frame)
        renderer, made_s = self._frame_renderer, 0.0
        if renderer is None or key != self._frame_key:
            if renderer is not None:
                renderer.close()
                self._frame_renderer = None
            renderer = self._frame_rendering.FrameRenderer(self._device, frame)
            self._frame_renderer, self._frame_key = renderer, key
            made_s = renderer.pipeline_s
        return renderer, made_s

    def _renderer(self, draw: Draw) -> tuple[Renderer | ComputeRenderer, float]:
        """The draw's renderer, and the seconds spent creating its pipeline, 0 if it was kept."""
        key = draw.pipeline_key
        renderer = self._renderers.pop(key, None)
        made_s = 0.0
        if renderer is None:
            while len(self._renderers) >= self._KEPT_RENDERERS:
                self._renderers.pop(next(iter(self._renderers))).close()
            renderer = self._rendering.renderer(self._device, draw)
            made_s = renderer.pipeline_s
        self._renderers[key] = renderer
        return renderer, made_s

    def replay(self, draw: Draw, trials: int, with_picture: bool, outputs: bool) -> Replayed:
        from shaderlab.gpu.vulkan import replaying

        draw = self._known(draw)
        self._tracing.require_end(self._device, draw)
        return replaying.replay(
            self._device, draw, trials=trials, with_picture=with_picture, outputs=outputs
        )

    def _known(self, draw: Draw) -> Draw:
        """The draw with a program that was sent before, whose module is parsed already."""
        program = self._programs.pop(draw.program.digest, draw.program)
        if program != draw.program:
            program = draw.program
        self._programs[program.digest] = program
        while len(self._programs) > _KEPT_PROGRAMS:
            self._programs.pop(next(iter(self._programs)))
        return draw.of_program(program)

    def buffers(self, draw: Draw) -> tuple[BufferNeed, ...]:
        from shaderlab.gpu.vulkan import buffer_sizes

        return buffer_sizes.needs(self._device, self._known(draw))

    def prepare_trace(self, draw: Draw) -> None:
        self._tracing.prepare(self._device, self._known(draw))

    def trace(self, draw: Draw, slowdown: bool) -> Trace:
        draw = self._known(draw)
        trace = self._tracing.trace(self._device, draw, slowdown=slowdown)
        _ = trace.line_counts  # kept in the trace: summed up here, not in the interface
        return trace

    def trace_pass(self, frame: Frame, name: str) -> Trace:
        trace = self._frame_rendering.trace_pass(self._device, frame, name)
        _ = trace.line_counts
        return trace

    def trace_vertex(self, frame: Frame, name: str) -> Trace:
        trace = self._frame_rendering.trace_vertex_of(self._device, frame, name)
        _ = trace.line_counts
        return trace

    def pixel(
        self, frame: Frame, name: str, line: SourceLine, pixel: tuple[int, int]
    ) -> PixelValues:
        from shaderlab.gpu.vulkan.pixel_values import pixel_values

        return pixel_values(self._device, frame, name, line, pixel)

    def profile_frame(self, frame: Frame, trials: int, draws: int) -> Measurement:
        return self._frame_rendering.profile_frame(self._device, frame, trials=trials, draws=draws)

    def profile_pass(self, frame: Frame, name: str, trials: int, draws: int) -> Measurement:
        return self._frame_rendering.profile_pass(
            self._device, frame, name, trials=trials, draws=draws
        )

    def profile(self, draw: Draw, trials: int, draws: int) -> Measurement:
        from shaderlab.gpu.vulkan import profiling

        self._tracing.require_end(self._device, draw)
        return profiling.profile(self._device, draw, trials=trials, draws=draws)


def _cheaper(draw: Draw, change: str = "Make its loops shorter") -> str:
    """What may be to blame for a missed deadline: the shader, unless its mesh is a file."""
    if draw.state.geometry.is_file:
        change += " or choose a geometry file with fewer nodes and triangles"
    return f"{change}, or raise the limit."


_AFTER_CRASH = (
    "The driver has a fault that this shader sets off: undo the last change or write it in another "
    "way, or choose another device."
)
_OR_SMALLER = "Make its loops shorter or the picture smaller"


class DeviceWorker(Client[DeviceServer]):
    """Renders, traces and profiles on one device, in its own child.

    Beside supervision's errors, futures carry what `gpu` raises: UnsupportedShader,
    OutOfDeviceMemory, NoTimestamps.
    """

    def __init__(
        self,
        info: DeviceInfo,
        limits: Limits | None = None,
        *,
        low_priority: bool = False,
        spare: bool = False,
        quick: bool = False,
    ):
        """With `spare`, a second child with the driver loaded stands by for when one is lost.

        `quick`: for pictures of programs that change, where `drivers.can_compile_quickly`; what it
        draws too slowly another draws once more, so that the device is not tried then.
        """
        self.answering = answering(info)
        super().__init__(
            DeviceServer,
            info,
            quick,
            name=f"worker of {info.name}",
            limits=limits or Limits(),
            low_priority=low_priority,
            spare=spare,
            crash_remedy=_AFTER_CRASH,
            idle_s=BACKGROUND_IDLE_S if low_priority else None,
            device=None if quick else self.answering,
        )
        self.info = info
        self._frames = FramePool()

    def render(
        self, frame: Frame, deadline_s: float | None = None, shown: str = ""
    ) -> Future[RenderedFrame]:
        """The picture of pass `shown`, for an empty name of the frame, within `deadline_s`, else
        the limit for frames."""
        draw = frame.named(shown)
        deadline_s = self.limits.frame if deadline_s is None else deadline_s
        doing = f"rendering {_described(draw)}"
        ask = self._request(DeviceServer.render, deadline_s, doing, _cheaper(draw, _OR_SMALLER))

        def rendered(r: _Rendered) -> RenderedFrame:
            picture = self._frames.picture(r.slot)
            return RenderedFrame(picture, r.gpu_s, r.pipeline_s, draw, shown, outputs=r.outputs)

        return mapped(ask(frame, shown, self._frames.buffer(draw.picture_size)), rendered)

    def render_heat(self, frame: Frame, view: HeatView, shown: str = "") -> Future[RenderedFrame]:
        """The same picture with what its pixels cost; within twice the limit for frames."""
        draw = frame.named(shown)
        doing = f"counting {_described(draw)}"
        ask = self._request(
            DeviceServer.render_heat, 2 * self.limits.frame, doing, _cheaper(draw, _OR_SMALLER)
        )

        def rendered(r: _Rendered) -> RenderedFrame:
            pixels, values = _halves(self._frames.picture(r.slot), view)
            heat = HeatMap(view, values)
            return RenderedFrame(pixels, r.gpu_s, r.pipeline_s, draw, shown, heat, r.outputs)

        buffer = self._frames.buffer(_with_heat(draw.picture_size))
        return mapped(ask(frame, view, shown, buffer), rendered)

    def prepare_trace(self, draw: Draw) -> Future[None]:
        """Have the counting program compiled, so that `trace` of the draw has only to run it."""
        doing, remedy = f"compiling {draw.program.name} to be counted", "Make it shorter."
        return self._request(DeviceServer.prepare_trace, self.limits.trace, doing, remedy)(draw)

    def trace(self, draw: Draw, slowdown: bool = False) -> Future[Trace]:
        """Execution counts; with `slowdown` also the time relative to the plain draw's."""
        doing, remedy = f"counting {_described(draw)}", _cheaper(draw)
        return self._request(DeviceServer.trace, self.limits.trace, doing, remedy)(draw, slowdown)

    def buffers(self, draw: Draw) -> Future[tuple[BufferNeed, ...]]:
        """Storage buffers of a compute shader with what this launch needs of them, and the rules
        that follow from other launches."""
        doing = f"finding the buffers of {_described(draw)}"
        ask = self._request(
            DeviceServer.buffers, self.limits.trace, doing, _cheaper(draw, _OR_SMALLER)
        )
        return ask(draw)

    def profile(self, draw: Draw, trials: int = 10, draws: int = 30) -> Future[Measurement]:
        """Times by the paper's Algorithm 1, `draws` repetitions per trial."""
        doing = f"profiling {_described(draw)}"
        remedy = "Profile fewer trials or draws, or raise the limit."
        ask = self._request(DeviceServer.profile, self.limits.profile, doing, remedy)
        return ask(draw, trials, draws)

    def replay(
        self, draw: Draw, trials: int = 3, with_picture: bool = False, outputs: bool = False
    ) -> Future[Replayed]:
        """A captured draw compared with its captured picture, and timed `trials` times; with
        `outputs` the bytes of what it wrote too."""
        doing = f"replaying {_described(draw)}"
        ask = self._request(DeviceServer.replay, self.limits.trace, doing, _REPLAY_LESS)
        return ask(draw, trials, with_picture, outputs)

    def trace_pass(self, frame: Frame, name: str) -> Future[Trace]:
        """Execution counts of one pass, with what it reads drawn before."""
        doing = f"counting {name} of {_described(frame.shown)}"
        remedy = _cheaper(frame.named(name))
        return self._request(DeviceServer.trace_pass, self.limits.trace, doing, remedy)(frame, name)

    def trace_vertex(self, frame: Frame, name: str) -> Future[Trace]:
        """Execution counts of the vertex stage that a pass's draw has of its own."""
        doing = f"counting the vertices of {_described(frame.named(name))}"
        remedy = _cheaper(frame.named(name))
        ask = self._request(DeviceServer.trace_vertex, self.limits.trace, doing, remedy)
        return ask(frame, name)

    def pixel(
        self, frame: Frame, name: str, line: SourceLine, pixel: tuple[int, int]
    ) -> Future[PixelValues]:
        """What a pixel of pass `name` holds on a line; an empty name: of the frame's picture."""
        draw = frame.named(name)
        doing = f"reading pixel {pixel} of {_described(draw)}"
        remedy = _cheaper(draw, _OR_SMALLER)
        ask = self._request(DeviceServer.pixel, 2 * self.limits.frame, doing, remedy)
        return ask(frame, name, line, pixel)

    def profile_frame(self, frame: Frame, trials: int = 10, draws: int = 30) -> Future[Measurement]:
        """Times of all passes of a frame in one submission."""
        doing = f"profiling all passes of {_described(frame.shown)}"
        remedy = "Profile fewer trials or draws, or raise the limit."
        ask = self._request(DeviceServer.profile_frame, self.limits.profile, doing, remedy)
        return ask(frame, trials, draws)

    def profile_pass(
        self, frame: Frame, name: str, trials: int = 10, draws: int = 30
    ) -> Future[Measurement]:
        """Times of one pass, with what it reads drawn before."""
        doing = f"profiling {name} of {_described(frame.shown)}"
        remedy = "Profile fewer trials or draws, or raise the limit."
        ask = self._request(DeviceServer.profile_pass, self.limits.profile, doing, remedy)
        return ask(frame, name, trials, draws)

    def abandon(self, request: Future) -> bool:
        """Give up a request that is under way; whether it was.  Its future fails: Abandoned."""
        return super().abandon(getattr(request, "source", request))

    def close(self, *, wait: bool = True) -> None:
        """End the child; with `wait` until it is gone.  Pictures handed out stay readable."""
        super().close(wait=wait)
        self._frames.close()


def _is_single(frame: Frame) -> bool:
    """Whether it is one draw that reads no picture of a pass."""
    return len(frame.passes) == 1 and not frame.reads_pictures


def _described(draw: Draw) -> str:
    if draw.is_compute:
        return f"{draw.program.name} in {draw.launch.text}"
    width, height = draw.size
    return f"{draw.program.name} at {width} \u00d7 {height}"


def _with_heat(size: tuple[int, int]) -> tuple[int, int]:
    """Size of the picture that holds a picture of `size` and above it four bytes more per pixel."""
    return size[0], 2 * size[1]


def _halves(both: np.ndarray, view: HeatView) -> tuple[np.ndarray, np.ndarray]:
    """The picture and the heat map's values in a picture of `_with_heat` size, not copied."""
    height = both.shape[0] // 2
    return both[:height], both[height:].view(view.dtype)[..., 0]
