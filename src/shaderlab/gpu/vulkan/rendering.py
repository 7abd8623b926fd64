"""Off-screen rendering of one program at one size, again and again."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import numpy as np

from shaderlab.frontend.program import Program
from shaderlab.gpu.uniforms import Uniforms
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.device import Device, begin, end
from shaderlab.gpu.vulkan.drawing import Drawing
from shaderlab.gpu.vulkan.memory import HostBuffer
from shaderlab.gpu.vulkan.timestamps import Stopwatch


class Renderer:
    """Draws frames of a program into pictures of one size.  A context manager.

    Everything is made once and the commands recorded once; a frame costs a uniform upload, a
    submission and a copy.
    """

    def __init__(self, device: Device, program: Program, size: tuple[int, int]):
        """`size`: width, height in pixels.

        Raises UnsupportedShader, WrongUse (size beyond the device's limits), OutOfDeviceMemory,
        DeviceLost.
        """
        self._device = device
        self.size = size
        self._key = (program.digest, size)
        with ExitStack() as stack:
            self._drawing = Drawing(device, program, size, stack, quick=True)
            self.pipeline_s = self._drawing.pipeline_s
            """Seconds the driver took to compile the shader."""
            width, height = size
            usage = vk.VK_BUFFER_USAGE_TRANSFER_DST_BIT
            self._picture = HostBuffer(device, width * height * 4, usage, stack)
            self._pixels = self._picture.bytes.reshape(height, width, 4)
            self._stopwatch = Stopwatch(device, stack)
            self._draw_and_copy = self._record(stack, copy=True)
            self._draw_only = self._record(stack, copy=False)
            self._stack = stack.pop_all()

    def render(self, uniforms: Uniforms, out: np.ndarray) -> float:
        """Draw a frame and copy it to `out`, (height, width, 4) uint8 RGBA.

        Row 0 is gl_FragCoord.y = 0.5.  Returns the draw's seconds by the device's own clock, nan
        where it has none.  Raises DeviceLost.
        """
        if out.shape != self._pixels.shape or out.dtype != np.uint8:
            raise ValueError(f"out is {out.shape} {out.dtype}, not {self._pixels.shape} uint8")
        seconds = self._run(self._draw_and_copy, uniforms)
        self._picture.invalidate()
        np.copyto(out, self._pixels)
        return seconds

    def draw(self, uniforms: Uniforms) -> float:
        """Draw a frame that nobody looks at; seconds as from `render`."""
        return self._run(self._draw_only, uniforms)

    def close(self) -> None:
        self._device.frame_seconds.pop(self._key, None)
        self._stack.close()

    def __enter__(self) -> Renderer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self, commands: Any, uniforms: Uniforms) -> float:
        self._drawing.set_uniforms(uniforms)
        self._device.run(commands)
        seconds = self._stopwatch.seconds()
        self._device.frame_seconds[self._key] = seconds
        return seconds

    def _record(self, stack: ExitStack, *, copy: bool) -> Any:
        commands = self._device.command_buffer(stack)
        begin(commands)
        self._stopwatch.start(commands)
        self._drawing.record(commands)
        self._stopwatch.stop(commands)
        if copy:
            self._drawing.target.copy_to(commands, self._picture.handle)
        end(commands)
        return commands
