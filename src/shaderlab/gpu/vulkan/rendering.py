"""Off-screen rendering of one draw, again and again."""

from __future__ import annotations

from contextlib import ExitStack

import numpy as np

from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.compute_rendering import ComputeRenderer
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.drawing import bounded_drawing
from shaderlab.gpu.vulkan.memory import HostBuffer
from shaderlab.gpu.vulkan.parts import Submissions, parts
from shaderlab.gpu.vulkan.shader_inputs import Pictures
from shaderlab.scene.draw import Draw
from shaderlab.scene.geometry import Camera
from shaderlab.scene.inputs import Inputs


def renderer(device: Device, draw: Draw) -> Renderer | ComputeRenderer:
    """What renders the draw again and again.  Raises as both do."""
    return ComputeRenderer(device, draw) if draw.is_compute else Renderer(device, draw)


class Renderer:
    """Renders a draw, with other values of its uniforms each time.  A context manager.

    Everything is made once and the commands recorded once; a picture costs a uniform upload, a
    submission and a copy.
    """

    def __init__(self, device: Device, draw: Draw, pictures: Pictures | None = None):
        """`pictures`: of other passes, which the draw may read.

        Raises UnsupportedShader, WrongUse (size beyond the device's limits),
        OutOfDeviceMemory, DeviceLost.
        """
        self._device = device
        self.size = draw.size
        self._key = draw.pipeline_key
        with ExitStack() as stack:
            self._drawing = bounded_drawing(device, draw, stack, pictures)
            self.pipeline_s = self._drawing.pipeline_s
            """Seconds the driver took to compile the shader."""
            usage = vk.VK_BUFFER_USAGE_TRANSFER_DST_BIT
            self._picture = HostBuffer(device, self._drawing.target.picture_bytes, usage, stack)
            self._draw = draw
            areas = parts(device, draw)
            self._draw_and_copy = Submissions(
                device,
                self._drawing,
                stack,
                lambda commands: self._drawing.target.copy_to(commands, self._picture.handle),
                areas,
            )
            self._draw_only = Submissions(device, self._drawing, stack, parts=areas)
            self._stack = stack.pop_all()

    def render(self, inputs: Inputs, out: np.ndarray, camera: Camera | None = None) -> float:
        """Draw with these inputs and copy the picture to `out`, (height, width, 4) uint8 RGBA.

        Row 0 is gl_FragCoord.y = 0.5; `camera`: None for the one before, at first the draw's.
        Returns the draw's seconds by the device's own clock, nan where it has none.  Raises
        DeviceLost.
        """
        shape = (self.size[1], self.size[0], 4)
        if out.shape != shape or out.dtype != np.uint8:
            raise ValueError(f"out is {out.shape} {out.dtype}, not {shape} uint8")
        seconds = self._run(self._draw_and_copy, inputs, camera)
        self._picture.invalidate()
        np.copyto(out, self._drawing.target.shown_pixels(self._picture.bytes))
        return seconds

    def draw(self, inputs: Inputs, camera: Camera | None = None) -> float:
        """Draw without copying the picture; seconds as from `render`."""
        return self._run(self._draw_only, inputs, camera)

    def outputs(self) -> None:
        """A draw leaves its picture, nothing else."""

    def close(self) -> None:
        self._device.draw_seconds.pop(self._key, None)
        self._stack.close()

    def __enter__(self) -> Renderer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self, chosen: Submissions, inputs: Inputs, camera: Camera | None) -> float:
        if self._drawing.set_inputs(inputs, camera):
            for each in (self._draw_and_copy, self._draw_only):
                each.record()
        chosen.divide(parts(self._device, self._draw))
        seconds = chosen.run()
        self._device.draw_seconds[self._key] = seconds
        return seconds
