"""Rendering frames of several passes, whose pictures stay on the device from frame to frame."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from shaderlab.errors import WrongUse
from shaderlab.gpu.measurement import Measurement
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.drawing import bounded_drawing
from shaderlab.gpu.vulkan.memory import HostBuffer
from shaderlab.gpu.vulkan.parts import Submissions, parts
from shaderlab.gpu.vulkan.pass_pictures import PassPictures
from shaderlab.gpu.vulkan.profiling import TimedDraws, measure, planned, profile
from shaderlab.gpu.vulkan.render_target import check_size, target_layout
from shaderlab.gpu.vulkan.tracing import MEMORY_BUDGET, Tracer, require_end
from shaderlab.gpu.vulkan.vertex_tracing import trace_vertex
from shaderlab.scene.draw import CUBE_FACE, CUBE_FACES, FACES_IN_ROW, Draw, Frame, Pass
from shaderlab.scene.inputs import Input, Inputs
from shaderlab.scene.textures import Filter, PassPicture
from shaderlab.spirv.heat import HeatView
from shaderlab.spirv.trace import CutLoop, Trace

MOST_FRAMES_BEFORE = 8
"""Frames drawn before the one wanted, so that passes which read their own picture have one."""


def frame_key(frame: Frame) -> Hashable:
    """Equal for frames that differ in the values of uniforms and in the camera at most."""
    return tuple((each.name, each.draw.pipeline_key) for each in frame.passes)


class FrameRenderer:
    """Renders the passes of a frame in order, again and again.  A context manager.

    A pass reads the latest picture of another: this frame's of an earlier pass, the last frame's
    of a later one or of itself, or where it asks for the one before.  Frame 0 starts from
    transparent black.
    """

    def __init__(self, device: Device, frame: Frame):
        """Raises UnsupportedShader, WrongUse, OutOfDeviceMemory, DeviceLost."""
        names = [each.name for each in frame.passes]
        if len(set(names)) < len(names):
            raise WrongUse(f"two passes of the frame have the same name: {', '.join(names)}")
        self._device = device
        self._with_mipmaps = _with_mipmaps(frame)
        self._counted: tuple[str, Tracer] | None = None
        """The pass whose heat map was asked for last, ready to be counted again."""
        self.pictures: dict[PassPicture, PassPictures] = {}
        """Those that are read, and the latest of those that are read of the frame before."""
        with ExitStack() as stack:
            by_name = {each.name: each for each in frame.passes}
            for read in self._with_mipmaps:
                self.pictures[read] = self._picture(by_name[read.name], read, stack)
            self._steps = [
                _Step(device, each, self.pictures, stack, is_last=each is frame.passes[-1])
                for each in frame.passes
            ]
            self._stack = stack.pop_all()
        self.pipeline_s = sum(step.pipeline_s for step in self._steps)
        """Seconds the driver took to compile the shaders."""

    def render(self, frame: Frame, out: np.ndarray | None = None, shown: str = "") -> float:
        """Render a frame of the same `frame_key`; the picture of pass `shown` goes to `out`, for an
        empty name the last one's.

        `out`: uint8 RGBA of that draw's `picture_size`, (height, width, 4), row 0 at
        gl_FragCoord.y = 0.5.  Returns the passes' seconds by the device's own clock, nan where it
        has none.  Raises DeviceLost.
        """
        self._start(frame)
        shown = shown or frame.passes[-1].name
        seconds = 0.0
        for step, each in zip(self._steps, frame.passes, strict=True):
            into = out if each.name == shown else None
            seconds += step.run(each.draw, into, self._stack)
        return seconds

    def render_heat(
        self, frame: Frame, shown: str, view: HeatView, pixels: np.ndarray, values: np.ndarray
    ) -> float:
        """Render a frame, and what the pixels of pass `shown` cost; for an empty name the last one.

        `pixels`: as `out` of `render`; `values`: (height, width) of the view's dtype.  The counting
        program is kept.  Returns the seconds the driver took to compile it, 0 where it was kept.
        Raises as `trace` does.
        """
        self._start(frame)
        shown, made_s = shown or frame.passes[-1].name, 0.0
        for step, each in zip(self._steps, frame.passes, strict=True):
            if each.name == shown:  # before it is drawn: it may read its own last picture
                tracer, made_s = self._counting(each)
                camera = each.draw.state.geometry.camera
                for face, inputs in enumerate(_by_face(each.draw)):
                    part = _part(each.draw, face)
                    tracer.heat(inputs, view, pixels[part], values[part], camera)
            step.run(each.draw)
        return made_s

    def _start(self, frame: Frame) -> None:
        if all(draw.inputs.uniforms.frame == 0 for draw in frame.draws):
            self.clear()
        self._keep_before()

    def _keep_before(self) -> None:
        for read, kept in self.pictures.items():
            if read.before:
                latest = self.pictures[PassPicture(read.name)]
                self._device.run_once(partial(kept.take_from, other=latest))

    def _counting(self, each: Pass) -> tuple[Tracer, float]:
        if self._counted is not None and self._counted[0] == each.name:
            return self._counted[1], 0.0
        self._forget_counted()
        tracer = Tracer(self._device, _squared(each.draw), MEMORY_BUDGET, self.pictures)
        self._counted = each.name, tracer
        return tracer, tracer.pipeline_s

    def _forget_counted(self) -> None:
        if self._counted is not None:
            self._counted[1].close()
            self._counted = None

    def render_before(self, frame: Frame, name: str) -> None:
        """Render what pass `name` reads: some frames before this one, and this one's passes before.

        Frames before have the times and numbers they had at 60 frames a second.
        Raises WrongUse if there is no such pass.
        """
        if name not in [each.name for each in frame.passes]:
            raise WrongUse(f'the frame has no pass "{name}"')
        self.clear()
        if not self.pictures:
            return
        number = frame.shown.inputs.uniforms.frame
        for back in range(min(number, MOST_FRAMES_BEFORE), 0, -1):
            self.render(frame.earlier(back))
        self._keep_before()
        for step, each in zip(self._steps, frame.passes, strict=True):
            if each.name == name:
                return
            step.run(each.draw)

    def clear(self) -> None:
        """Make all pictures transparent black."""
        for each in self.pictures.values():
            each.clear()

    def close(self) -> None:
        self._forget_counted()
        self._stack.close()

    def __enter__(self) -> FrameRenderer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _picture(self, each: Pass, read: PassPicture, stack: ExitStack) -> PassPictures:
        draw = _squared(each.draw)
        check_size(self._device, draw.size)
        shown = target_layout(
            self._device, draw.state.attachments, draw.program.interface.outputs
        ).colours[0]
        return PassPictures(
            self._device,
            draw.size,
            shown.vulkan,
            stack,
            cube=each.draw.draws_cube,
            mipmaps=self._with_mipmaps[read],
        )


class _Step:
    """One pass, ready to be drawn and to leave its picture for others."""

    def __init__(
        self,
        device: Device,
        each: Pass,
        pictures: Mapping[PassPicture, PassPictures],
        stack: ExitStack,
        *,
        is_last: bool,
    ):
        self._device = device
        draw = _squared(each.draw)
        self._drawing = bounded_drawing(device, draw, stack, pictures)
        self.pipeline_s = self._drawing.pipeline_s
        self._pictures = pictures
        self._picture = pictures.get(PassPicture(each.name))
        self._host: HostBuffer | None = None
        self._read_back: HostBuffer | None = None
        if is_last:  # which is what is mostly shown: copied with the drawing
            self._host = self._host_buffer(stack)
        areas = parts(device, draw)
        self._faces = [
            Submissions(device, self._drawing, stack, partial(self._keep, face), areas)
            for face in range(draw.draws_per_frame)
        ]

    def run(
        self, draw: Draw, out: np.ndarray | None = None, stack: ExitStack | None = None
    ) -> float:
        """Seconds by the device's clock.  The picture goes to `out`; what that needs the first time
        is kept in `stack`.  Raises as `require_end` does."""
        seconds, camera = 0.0, draw.state.geometry.camera
        require_end(self._device, _squared(draw), self._pictures, at_any_time=True)
        areas = parts(self._device, _squared(draw))
        for face, (submissions, inputs) in enumerate(zip(self._faces, _by_face(draw), strict=True)):
            if self._drawing.set_inputs(inputs, camera):
                submissions.record()
            submissions.divide(areas)
            seconds += submissions.run()
            if out is not None and stack is not None:
                np.copyto(out[_part(draw, face)], self._pixels(stack))
        return seconds

    def _pixels(self, stack: ExitStack) -> np.ndarray:
        """Of what was drawn last."""
        host, target = self._host or self._read_back, self._drawing.target
        if host is None:
            host = self._read_back = self._host_buffer(stack)
        if host is not self._host:
            self._device.run_once(lambda commands: target.copy_to(commands, host.handle))
        host.invalidate()
        return target.shown_pixels(host.bytes)

    def _host_buffer(self, stack: ExitStack) -> HostBuffer:
        usage = vk.VK_BUFFER_USAGE_TRANSFER_DST_BIT
        return HostBuffer(self._device, self._drawing.target.picture_bytes, usage, stack)

    def _keep(self, face: int, commands: Any) -> None:
        if self._picture is not None:
            self._picture.take(commands, self._drawing.target, face)
        if self._host is not None:
            self._drawing.target.copy_to(commands, self._host.handle)


def _squared(draw: Draw) -> Draw:
    """With faces that are squares, where it draws a cube map."""
    if not draw.draws_cube:
        return draw
    side = min(draw.size)
    attachments = replace(draw.state.attachments, size=(side, side))
    return replace(draw, state=replace(draw.state, attachments=attachments))


def _by_face(draw: Draw) -> list[Inputs]:
    """Inputs of each of its draws in a frame."""
    if not draw.draws_cube:
        return [draw.inputs]
    return [_on_face(draw.inputs, face) for face in range(CUBE_FACES)]


def _part(draw: Draw, face: int) -> tuple[slice, slice]:
    """Rows and columns of a face in what shows the picture of all; row 0 is the lowest."""
    if not draw.draws_cube:
        return slice(None), slice(None)
    side = min(draw.size)
    down, right = divmod(face, FACES_IN_ROW)
    bottom = (CUBE_FACES // FACES_IN_ROW - 1 - down) * side
    return slice(bottom, bottom + side), slice(right * side, (right + 1) * side)


def _on_face(inputs: Inputs, face: int) -> Inputs:
    values = {**inputs.values, CUBE_FACE: Input((float(face),))}
    return replace(inputs, values=MappingProxyType(values))


def _with_mipmaps(frame: Frame) -> dict[PassPicture, bool]:
    """The pictures of passes that are read or kept for it, and whether with mip levels."""
    found: dict[PassPicture, bool] = {}
    names = {each.name for each in frame.passes}
    for draw in frame.draws:
        for given in draw.inputs.textures.values():
            source = given.value.source
            if isinstance(source, PassPicture) and source.name in names:
                has_levels = given.value.filter is Filter.MIPMAP
                for read in {source, PassPicture(source.name)}:
                    found[read] = found.get(read, False) or has_levels
    kept = {read for read in found if read.before}
    for read in kept:  # copied as they are, so with the same levels
        found[read] = found[PassPicture(read.name)]
    return found


def trace_pass(
    device: Device, frame: Frame, name: str, *, memory_budget: int = MEMORY_BUDGET
) -> Trace:
    """Count the block executions of one pass, with what it reads drawn before.  Raises as `trace`
    does, and WrongUse if there is no such pass.

    Of a cube map's pass all faces count, as of one picture above another.
    """
    with FrameRenderer(device, frame) as renderer, ExitStack() as stack:
        renderer.render_before(frame, name)
        draw = _squared(frame.named(name))
        camera = draw.state.geometry.camera

        def traces(bounded: bool | None) -> tuple[list[Trace], bool]:
            tracer = Tracer(device, draw, memory_budget, renderer.pictures, bounded=bounded)
            stack.callback(tracer.close)
            found = [tracer.trace(inputs, camera=camera) for inputs in _by_face(draw)]
            return found, any(map(tracer.needs_bounds, found))

        found, needs_bounds = traces(None)
        return summed(traces(True)[0] if needs_bounds else found)


def trace_vertex_of(device: Device, frame: Frame, name: str) -> Trace:
    """Count the vertex stage of one pass, with what it reads drawn before.  Raises as
    `trace_vertex` does, and WrongUse if there is no such pass."""
    if len(frame.passes) == 1:
        return trace_vertex(device, frame.named(name))
    with FrameRenderer(device, frame) as renderer:
        renderer.render_before(frame, name)
        return trace_vertex(device, _squared(frame.named(name)), renderer.pictures)


def profile_pass(
    device: Device, frame: Frame, name: str, *, trials: int = 10, draws: int = 30
) -> Measurement:
    """Time one pass, with what it reads drawn before; of a cube map's, one face.  Raises as
    `profile` does, and WrongUse if there is no such pass."""
    with FrameRenderer(device, frame) as renderer:
        renderer.render_before(frame, name)
        draw = _squared(frame.named(name))
        require_end(device, draw, renderer.pictures)
        return profile(device, draw, trials=trials, draws=draws, pictures=renderer.pictures)


def profile_frame(
    device: Device, frame: Frame, *, trials: int = 10, draws: int = 30
) -> Measurement:
    """Time all passes in one submission, each as it reads the pictures of this frame.

    Their pictures are not copied from one to the next meanwhile.  Raises as `profile` does.
    """
    with FrameRenderer(device, frame) as renderer:
        renderer.render_before(frame, frame.passes[-1].name)
        timed = [
            squared for each in frame.draws for squared in [_squared(each)] * each.draws_per_frame
        ]
        for each in timed:
            require_end(device, each, renderer.pictures)
        with TimedDraws(device, *timed, pictures=renderer.pictures) as all_passes:
            return measure(all_passes, planned(all_passes, trials, draws))


def summed(traces: list[Trace]) -> Trace:
    """Counts of several draws of one program, all of one size."""
    first = traces[0]
    blocks = tuple(
        replace(
            blocks[0],
            count=sum(block.count for block in blocks),
            lane_groups=sum(block.lane_groups for block in blocks),
        )
        for blocks in zip(*(trace.blocks for trace in traces), strict=True)
    )
    width, height = first.size
    cut = Counter[CutLoop]()
    for trace in traces:
        cut.update({each._replace(invocations=0): each.invocations for each in trace.cut})
    return replace(
        first,
        blocks=blocks,
        size=(width, height * len(traces)),
        cut=tuple(each._replace(invocations=n) for each, n in cut.most_common()),
        lost=sum(trace.lost for trace in traces),
        left_out=sum(trace.left_out for trace in traces),
    )
