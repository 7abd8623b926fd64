"""Drawing instrumented modules by hand: every block counted, or by atomics, beside the tracer."""

from __future__ import annotations

from contextlib import ExitStack

import numpy as np

from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.drawing import Drawing
from shaderlab.gpu.vulkan.memory import HostBuffer
from shaderlab.gpu.vulkan.shader_inputs import StorageBinding
from shaderlab.gpu.vulkan.tiles import tiles
from shaderlab.gpu.vulkan.timestamps import Stopwatch
from shaderlab.gpu.vulkan.tracing import require_end
from shaderlab.scene.draw import Draw
from shaderlab.spirv.passes.atomic_counting import AtomicInstrumented
from shaderlab.spirv.passes.counting import Instrumented

MOST_BYTES = 96 << 20


class CountedDraw:
    """One draw of an instrumented program.  A context manager."""

    def __init__(
        self,
        device: Device,
        draw: Draw,
        instrumented: Instrumented | AtomicInstrumented,
    ):
        require_end(device, draw)
        self._device = device
        self._size = size = draw.size
        self._instrumented = instrumented
        if isinstance(instrumented, Instrumented):
            self._tiles = tiles(size, MOST_BYTES // (4 * max(1, instrumented.counters)))
            largest = max(tile.width * tile.height for tile in self._tiles)
            words = instrumented.header_words + instrumented.counters * largest
        else:
            self._tiles = tiles(size, size[0] * size[1])
            words = instrumented.words
        with ExitStack() as stack:
            usage = vk.VK_BUFFER_USAGE_STORAGE_BUFFER_BIT
            self._buffer = HostBuffer(device, max(words, 1) * 4, usage, stack)
            self._words = self._buffer.bytes.view(np.uint32)
            self._words[:] = 0
            storage = StorageBinding(
                instrumented.descriptor_set, instrumented.binding, self._buffer
            )
            self._drawing = Drawing(
                device,
                draw,
                stack,
                instrumented=instrumented.spirv,
                storage=storage,
                quick=True,
            )
            self._stopwatch = Stopwatch(device, stack)
            self._picture = HostBuffer(
                device,
                self._drawing.target.picture_bytes,
                vk.VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                stack,
            )
            self._stack = stack.pop_all()

    def draw(self) -> tuple[np.ndarray, float]:
        """Counts of all blocks in one frame, (blocks,) int64, and the draw's seconds."""
        instrumented = self._instrumented
        counts = np.zeros(len(instrumented.blocks), np.int64)
        seconds = 0.0
        for tile in self._tiles:
            self._words[:] = 0
            if isinstance(instrumented, Instrumented):
                self._words[: instrumented.header_words] = tile
            self._buffer.flush()

            def record(commands, tile=tile):
                self._stopwatch.start(commands)
                self._drawing.record(commands, tile, keep=tile is not self._tiles[0])
                self._stopwatch.stop(commands)

            self._device.run_once(record)
            seconds += self._stopwatch.seconds()
            self._buffer.invalidate()
            if isinstance(instrumented, Instrumented):
                start = instrumented.header_words
                shape = (instrumented.counters, tile.height, tile.width)
                raw = self._words[start : start + int(np.prod(shape))].reshape(shape)
                counts += instrumented.block_counts(raw)
            else:
                counts += instrumented.block_counts(self._words[: instrumented.words])
        return counts, seconds

    def picture(self) -> np.ndarray:
        """The last frame, (height, width, 4) uint8."""
        self._device.run_once(lambda c: self._drawing.target.copy_to(c, self._picture.handle))
        self._picture.invalidate()
        return self._picture.bytes.reshape(self._size[1], self._size[0], 4).copy()

    def __enter__(self) -> CountedDraw:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()
