"""Drawing a picture part by part, so that no submission keeps the device busy for long.

A GPU cannot preempt a pixel shader, and a submission of seconds freezes the screen until a driver
resets the device.  So the first run of a shader draws 8x8 pixels in the middle and in the corners,
then parts that grow by the time the last ones took.  Parts begin at even pixels, so that quads,
and with them derivatives and counts, are those of one submission; no pixel is drawn twice.

Software devices are not paced: they draw with the processor's cores, which the operating system
shares between processes whatever a shader does.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.gpu.vulkan.tiles import Tile

DESKTOP_S, HEADLESS_S = 0.05, 0.25
"""Seconds a submission is expected to take at most, where the device shows the desktop and else."""
TOTAL_S = 3.0
"""Seconds after which the rest of a picture is given up."""
_SIDE = 8
"""Pixels of the first parts along x and y."""
_FIRST = _SIDE * _SIDE
_GROWTH = 4
"""A part has at most so many times the pixels of the largest before it."""
_ALIKE = 4
"""Parts of up to 2 to the power of this times fewer pixels say how long one takes.  Smaller ones
do not fill the device, so that their pixels take longer each."""


@dataclass(frozen=True)
class Pace:
    """How long submissions may take."""

    submission_s: float
    """One, as expected from those before it; but the first parts are drawn in any case."""
    total_s: float = TOTAL_S
    """All of a picture."""


@cache
def pace(info: DeviceInfo) -> Pace | None:
    """Of a device's submissions; None where nothing has to be paced.  Where the monitors are is
    looked up once: every frame asks."""
    if info.kind == "software":
        return None
    return Pace(DESKTOP_S if shows_desktop(info) else HEADLESS_S)


def shows_desktop(info: DeviceInfo, drm: Path = Path("/sys/class/drm")) -> bool:
    """Whether a monitor is connected to a device of this kind; where that is unknown, whether there
    is a display server, and on other systems than Linux always."""
    if not sys.platform.startswith("linux"):
        return True
    known = False
    for status in drm.glob("card*-*/status"):
        card = status.parent.resolve().parent / "device"
        try:
            ids = [int((card / name).read_text(), 16) for name in ("vendor", "device")]
            if ids != [info.vendor_id, info.device_id]:
                continue
            known = True
            if status.read_text().strip() == "connected":
                return True
        except (OSError, ValueError):
            continue
    return not known and any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


class Pacer:
    """Draws one picture, or tile after tile of one, at a pace."""

    def __init__(self, pace: Pace):
        self._pace = pace
        self._rates: dict[int, float] = {}
        """Most seconds a pixel took, by the bit length of the part's number of pixels."""
        self._largest = _FIRST
        self.spent_s = 0.0
        """All submissions together."""

    def draw(self, area: Tile, submit: Callable[[Tile], float]) -> int:
        """Submit all parts of an area; the number of its pixels that were given up.

        `submit` draws a part and returns the seconds it took.
        """
        first = _first(area)
        rest = [area]
        for part in first:
            rest = [piece for each in rest for piece in _without(each, part)]
        middle = 2 * area.y + area.height
        rest.sort(key=lambda each: -abs(2 * each.y + each.height - middle))
        for part in first:
            self._submit(part, submit)
        while rest and self.spent_s < self._pace.total_s:
            part, *others = _cut(rest.pop(), self._most())
            rest += others[::-1]
            self._submit(part, submit)
        return sum(each.width * each.height for each in rest)

    def _submit(self, part: Tile, submit: Callable[[Tile], float]) -> None:
        pixels, seconds = part.width * part.height, submit(part)
        self.spent_s += seconds
        self._largest = max(self._largest, pixels)
        at = pixels.bit_length()
        self._rates[at] = max(self._rates.get(at, 0.0), seconds / pixels)

    def _most(self) -> int:
        """Pixels of the next part."""
        most = _GROWTH * self._largest
        while most > _FIRST:
            alike = most.bit_length() - _ALIKE
            rate = max((its for at, its in self._rates.items() if at >= alike), default=0.0)
            if most * rate <= self._pace.submission_s:
                break
            most = max(_FIRST, min(most - 1, int(self._pace.submission_s / rate)))
        return most


Groups = tuple[tuple[int, int, int], tuple[int, int, int]]
"""The first workgroup of a part of a dispatch, and how many along x, y and z."""


class GroupPacer:
    """Cuts a dispatch into parts that grow by the time the last ones took."""

    def __init__(self, pace: Pace, first: int = 1):
        """`first`: workgroups of the first part at most, and of all others without `took`."""
        self._pace = pace
        self._next = first
        self._spent_s = 0.0

    def ranges(self, groups: tuple[int, int, int]) -> Iterator[Groups]:
        """Parts of a dispatch in the order of their workgroups, each once, until the time is used
        up.  Call `took` after each of them for the next to be as large as may be."""
        across, plane = groups[0], groups[0] * groups[1]
        at, total = 0, plane * groups[2]
        while at < total and self._spent_s < self._pace.total_s:
            z, rest = divmod(at, plane)
            y, x = divmod(rest, across)
            if x or self._next < across:
                count = (min(self._next, across - x), 1, 1)
            elif y or self._next < plane:
                count = (across, min(self._next // across, groups[1] - y), 1)
            else:
                count = (across, groups[1], min(self._next // plane, groups[2] - z))
            yield (x, y, z), count
            at += count[0] * count[1] * count[2]

    def took(self, groups: int, seconds: float) -> None:
        """So many workgroups took so long."""
        self._spent_s += seconds
        affordable = int(groups * self._pace.submission_s / max(seconds, 1e-9))
        self._next = max(1, min(_GROWTH * max(groups, self._next), affordable))


def _first(area: Tile) -> list[Tile]:
    """Parts in the middle and in the corners, each once."""

    def at(x: int, y: int) -> Tile:
        return Tile(area.x + x, area.y + y, min(_SIDE, area.width - x), min(_SIDE, area.height - y))

    right, top = (_aligned(side - 1) for side in (area.width, area.height))
    middle = at(_aligned(area.width // 2), _aligned(area.height // 2))
    return list(dict.fromkeys((middle, at(0, 0), at(right, 0), at(0, top), at(right, top))))


def _aligned(pixels: int) -> int:
    return pixels // _SIDE * _SIDE


def _without(area: Tile, part: Tile) -> Iterator[Tile]:
    """What of an area lies outside a part."""
    left, low = max(area.x, part.x), max(area.y, part.y)
    right = min(area.x + area.width, part.x + part.width)
    high = min(area.y + area.height, part.y + part.height)
    if left >= right or low >= high:
        yield area
        return
    for piece in (
        Tile(area.x, area.y, area.width, low - area.y),
        Tile(area.x, low, left - area.x, high - low),
        Tile(right, low, area.x + area.width - right, high - low),
        Tile(area.x, high, area.width, area.y + area.height - high),
    ):
        if piece.width and piece.height:
            yield piece


def _cut(piece: Tile, most: int) -> list[Tile]:
    """A part of at most `most` pixels, but 8x8 at least, and what it leaves of the piece."""
    x, y, width, height = piece
    rows = min(height, _SIDE)
    if width * rows > most:
        width = min(width, max(_SIDE, _aligned(most // rows)))
    else:
        rows = min(height, max(rows, _aligned(most // width)))
    part = Tile(x, y, width, rows)
    return [part, *_without(piece, part)]
