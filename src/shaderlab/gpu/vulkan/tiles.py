"""Cutting a picture into tiles whose counters fit a buffer."""

from __future__ import annotations

from typing import NamedTuple

from shaderlab.spirv.warps import GROUP_HEIGHT, GROUP_WIDTH, LANES


class Tile(NamedTuple):
    """A rectangle of pixels; y counts from gl_FragCoord.y = 0.5 as rows do."""

    x: int
    y: int
    width: int
    height: int


def tiles(
    size: tuple[int, int], most_pixels: int, origin: tuple[int, int] = (0, 0)
) -> tuple[Tile, ...]:
    """Cover a rectangle (width, height) with tiles of at most `most_pixels`, as few rows as may be.

    Tiles are bands of whole rows where one band of a lane group's height fits, else pieces of
    such bands.  At least one lane group (32 pixels) must fit; ValueError otherwise.
    """
    if most_pixels < LANES:
        raise ValueError(f"{most_pixels} pixels are less than a lane group")
    width, height = size
    if width * height <= most_pixels:
        return (Tile(*origin, width, height),)
    across, down = width, most_pixels // width // GROUP_HEIGHT * GROUP_HEIGHT
    if not down:
        across = most_pixels // GROUP_HEIGHT // GROUP_WIDTH * GROUP_WIDTH
        down = GROUP_HEIGHT
    return tuple(
        Tile(origin[0] + x, origin[1] + y, min(across, width - x), min(down, height - y))
        for y in range(0, height, down)
        for x in range(0, width, across)
    )
