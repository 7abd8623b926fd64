"""A draw with its render target, ready for rendering, profiling and tracing."""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import Any

from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.pipeline import Pipeline
from shaderlab.gpu.vulkan.render_target import RenderTarget, check_size
from shaderlab.gpu.vulkan.shader_inputs import ShaderInputs, StorageBinding
from shaderlab.gpu.vulkan.support import supported_interface
from shaderlab.gpu.vulkan.tiles import Tile
from shaderlab.scene.draw import Draw
from shaderlab.scene.inputs import Inputs


class Drawing:
    """Render target, descriptors and pipeline of one draw."""

    def __init__(
        self,
        device: Device,
        draw: Draw,
        stack: ExitStack,
        *,
        instrumented: bytes | None = None,
        storage: StorageBinding | None = None,
        quick: bool = False,
    ):
        """`instrumented` takes the place of the program's SPIR-V, `storage` is bound for it.

        `quick`: have the pipeline sooner, where a driver supports that, at the price of state other
        than the canonical run's.

        Raises UnsupportedShader, WrongUse (size beyond the device's limits), OutOfDeviceMemory,
        DeviceLost.
        """
        self._device = device
        program = draw.program
        check_size(device, draw.size)
        interface = supported_interface(device, program)
        self.target = RenderTarget(device, draw.state.attachments, interface.outputs, stack)
        self._inputs = ShaderInputs(device, interface, stack, storage)
        self._pipeline = Pipeline(
            device,
            instrumented or program.spirv,
            program.entry_point,
            self._inputs.layout,
            self.target,
            stack,
            # lavapipe compiles an opaque shader twice, for tiles wholly and partly covered, and
            # takes one that blends for not opaque: about half the time, the same picture.
            blend=quick and device.info.slug.startswith("llvmpipe"),
        )
        self.pipeline_s = self._pipeline.creation_s
        """Seconds the driver took to compile the shader."""
        self.set_inputs(draw.inputs)
        if device.info.kind == "software":
            self.pipeline_s += self._draw_one_pixel()

    def set_inputs(self, inputs: Inputs) -> None:
        """Values of uniforms for the next submission; at first those of the draw."""
        self._inputs.set_values(inputs, self.target.size)

    def record(self, commands: Any, tile: Tile | None = None, *, keep: bool = False) -> None:
        """Record one render pass that draws a tile, else everything.

        `keep` draws onto what is there, otherwise everything outside the tile turns black.
        """
        tile = tile or Tile(0, 0, *self.target.size)
        self.target.begin(commands, keep=keep)
        self._pipeline.bind(commands)
        self._inputs.bind(commands)
        self._pipeline.draw(commands, (tile.x, tile.y), (tile.width, tile.height))
        self.target.end(commands)

    def _draw_one_pixel(self) -> float:
        """Seconds of a smallest draw: lavapipe compiles at the first, which is no frame's cost."""
        start = time.perf_counter()
        self._device.run_once(lambda commands: self.record(commands, Tile(0, 0, 1, 1)))
        return time.perf_counter() - start
