"""What an image file holds, before it is made to fit a shader."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

MOST_BYTES = 128 << 20
"""Of level 0 of a texture as it is uploaded: 33,554,432 texels of 8-bit components."""
LONGEST_SIDE = 16384


class Damaged(Exception):
    """The reason a file is refused, to follow "cannot read PATH: "."""


@dataclass(frozen=True)
class Stored:
    """The texels of a file."""

    levels: tuple[np.ndarray, ...]
    """(layers, depth, height, width, 4) each, as in `texels.Pixels`."""
    is_cube: bool = False
    srgb: bool = False
    """Whether the file says that it is encoded as sRGB."""
    note: str = ""
    """What was lost in reading, as part of a sentence."""


def check_size(
    width: int, height: int, depth: int = 1, layers: int = 1, texel_bytes: int = 4
) -> None:
    """Raise Damaged for a texture of no size, or one that exceeds a limit: before it is decoded."""
    sides = [width, height, depth] if depth > 1 else [width, height]
    text = " x ".join(f"{side:,}" for side in sides)
    if min(width, height, depth, layers) < 1:
        raise Damaged(f"it is {text} texels, in {layers:,} layers")
    if max(*sides, layers) > LONGEST_SIDE:
        raise Damaged(f"it is {text} texels in {layers:,} layers, the limit is {LONGEST_SIDE:,}")
    check_bytes(width * height * depth * layers, texel_bytes, text)


def check_bytes(texels: int, texel_bytes: int, text: str) -> None:
    """Raise Damaged where so many texels, of a size in words, exceed the limit."""
    limit = MOST_BYTES // texel_bytes
    if texels > limit:
        raise Damaged(f"it is {text} texels, of which {limit:,} of {texel_bytes} bytes are read")


def together(images: Iterable[np.ndarray], count: int) -> np.ndarray:
    """(count, …): so many arrays of one shape in one, without holding all of them twice."""
    made: np.ndarray | None = None
    for number, image in enumerate(images):
        if count == 1:
            return image[None]
        if made is None:
            made = np.empty((count, *image.shape), image.dtype)
        made[number] = image
    assert made is not None, "count is at least 1"
    return made


def level_size(size: tuple[int, int, int], level: int) -> tuple[int, int, int]:
    """Of a mip level, from that of level 0 in the same order."""
    a, b, c = (max(1, side >> level) for side in size)
    return a, b, c


def most_levels(width: int, height: int, depth: int = 1) -> int:
    """Levels down to one texel."""
    return max(width, height, depth).bit_length()
