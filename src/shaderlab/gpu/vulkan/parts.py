"""A draw's commands in as many submissions as its expected time asks for.

What is expected is what the draw took last, else what counting it took.  A part is a band of whole
rows, or some workgroups of a dispatch; the outcome is that of one submission.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from math import ceil, inf, prod
from typing import Any, Generic, Protocol, TypeVar

from shaderlab.gpu.vulkan.device import Device, begin, end
from shaderlab.gpu.vulkan.raw_drawing import vertices_write
from shaderlab.gpu.vulkan.submitting import GroupPacer, Groups, Pace, pace
from shaderlab.gpu.vulkan.tiles import Tile, tiles
from shaderlab.gpu.vulkan.timestamps import Stopwatch
from shaderlab.scene.draw import Draw
from shaderlab.spirv.warps import GROUP_HEIGHT

_Part = TypeVar("_Part", Tile, Groups)
_Own = TypeVar("_Own", Tile, Groups, contravariant=True)


def parts(device: Device, draw: Draw) -> tuple[Tile, ...]:
    """What is drawn by one submission each; all at once on software devices, and where running its
    vertices again would show."""
    width, height = draw.size
    count = 1 if vertices_write(draw) else _submissions(device, draw)
    if count == 1:
        return (Tile(0, 0, width, height),)
    return tiles((width, height), width * max(GROUP_HEIGHT, int(height / count)))


def dispatch_parts(device: Device, draw: Draw) -> tuple[Groups, ...]:
    """Workgroups that are launched by one submission each; all at once also where the shader asks
    how many there are."""
    groups = draw.launch.groups
    asks = "NumWorkgroups" in draw.program.interface.builtins
    most = ceil(prod(groups) / (1 if asks else _submissions(device, draw)))
    return tuple(GroupPacer(Pace(inf, inf), most).ranges(groups))


def note_counted(device: Device, draw: Draw, seconds: float, allowed: Pace | None) -> None:
    """Counting a draw took so long: what the draw may take, until it is known."""
    device.counted_seconds.pop(draw.pipeline_key, None)
    if allowed is not None and seconds > allowed.submission_s:
        device.counted_seconds[draw.pipeline_key] = seconds


def _submissions(device: Device, draw: Draw) -> int:
    key, allowed = draw.pipeline_key, pace(device.info)
    expected_s = device.draw_seconds.get(key) or device.counted_seconds.get(key, 0.0)
    if allowed is None or not expected_s > allowed.submission_s:
        return 1
    return ceil(expected_s / allowed.submission_s)


class Recorded(Protocol[_Own]):
    """A draw or a dispatch, which records a part of itself, all of it for None."""

    def record(self, commands: Any, part: _Own | None = None, /, *, keep: bool = False) -> None:
        """`keep`: what other parts have drawn."""
        ...


class Submissions(Generic[_Part]):
    """The commands, recorded."""

    def __init__(
        self,
        device: Device,
        drawing: Recorded[_Part],
        stack: ExitStack,
        after: Callable[[Any], None] | None = None,
        parts: tuple[_Part | None, ...] = (None,),
    ):
        """`after` records what follows the draw; `parts`: what each submission draws."""
        self._device, self._drawing, self._stack, self._after = device, drawing, stack, after
        self._stopwatch = Stopwatch(device, stack)
        self._commands: list[Any] = []
        self._parts: tuple[_Part | None, ...] = ()
        self.divide(parts)

    def divide(self, parts: tuple[_Part | None, ...]) -> None:
        """Draw these from now on."""
        if parts == self._parts:
            return
        self._parts = parts
        while len(self._commands) < len(parts):
            self._commands.append(self._device.command_buffer(self._stack))
        self.record()

    def record(self) -> None:
        """Record them anew, as `Drawing.set_inputs` may ask for."""
        for commands, part in zip(self._commands, self._parts, strict=False):
            begin(commands)
            self._stopwatch.start(commands)
            self._drawing.record(commands, part, keep=part is not self._parts[0])
            self._stopwatch.stop(commands)
            if self._after is not None and part is self._parts[-1]:
                self._after(commands)
            end(commands)

    def run(self) -> float:
        """Submit them one after the other; seconds by the device's own clock."""
        seconds = 0.0
        for commands, _ in zip(self._commands, self._parts, strict=False):
            self._device.run(commands)
            seconds += self._stopwatch.seconds()
        return seconds
