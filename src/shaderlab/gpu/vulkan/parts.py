"""A draw's commands in as many submissions as its expected time asks for.

What is expected is what the draw took last, else what counting it took.  A part is a band of whole
rows; the picture is that of one submission.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from math import ceil
from typing import Any

from shaderlab.gpu.vulkan.device import Device, begin, end
from shaderlab.gpu.vulkan.drawing import Drawing, vertices_write
from shaderlab.gpu.vulkan.submitting import pace
from shaderlab.gpu.vulkan.tiles import Tile, tiles
from shaderlab.gpu.vulkan.timestamps import Stopwatch
from shaderlab.scene.draw import Draw
from shaderlab.spirv.warps import GROUP_HEIGHT


def parts(device: Device, draw: Draw) -> tuple[Tile, ...]:
    """What is drawn by one submission each; all at once on software devices, and where running its
    vertices again would show."""
    width, height = draw.size
    whole = (Tile(0, 0, width, height),)
    key = draw.pipeline_key
    expected_s = device.draw_seconds.get(key) or device.counted_seconds.get(key, 0.0)
    allowed = pace(device.info)
    if allowed is None or not expected_s > allowed.submission_s or vertices_write(draw):
        return whole
    rows = height / ceil(expected_s / allowed.submission_s)
    return tiles((width, height), width * max(GROUP_HEIGHT, int(rows)))


class Submissions:
    """The commands, recorded."""

    def __init__(
        self,
        device: Device,
        drawing: Drawing,
        stack: ExitStack,
        after: Callable[[Any], None] | None = None,
        areas: tuple[Tile, ...] | None = None,
    ):
        """`after` records what follows the draw; `areas`: what each submission draws, None for one
        that draws all."""
        self._device, self._drawing, self._stack, self._after = device, drawing, stack, after
        self._stopwatch = Stopwatch(device, stack)
        self._commands: list[Any] = []
        self._areas: tuple[Tile, ...] = ()
        self.divide(areas or (Tile(0, 0, *drawing.target.size),))

    def divide(self, areas: tuple[Tile, ...]) -> None:
        """Draw these from now on."""
        if areas == self._areas:
            return
        self._areas = areas
        while len(self._commands) < len(areas):
            self._commands.append(self._device.command_buffer(self._stack))
        self.record()

    def record(self) -> None:
        """Record them anew, as `Drawing.set_inputs` may ask for."""
        for commands, area in zip(self._commands, self._areas, strict=False):
            begin(commands)
            self._stopwatch.start(commands)
            self._drawing.record(commands, area, keep=area is not self._areas[0])
            self._stopwatch.stop(commands)
            if self._after is not None and area is self._areas[-1]:
                self._after(commands)
            end(commands)

    def run(self) -> float:
        """Submit them one after the other; seconds by the device's own clock."""
        seconds = 0.0
        for commands, _ in zip(self._commands, self._areas, strict=False):
            self._device.run(commands)
            seconds += self._stopwatch.seconds()
        return seconds
