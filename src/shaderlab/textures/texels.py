"""`Pixels`: the texels of a texture, level by level, and the levels made of the first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Pixels:
    """Texels of a texture."""

    levels: tuple[np.ndarray, ...]
    """For each mip level (layers, depth, height, width, 4) of red, green, blue, alpha, row 0 first:
    uint8 (0 to 1 in 255 steps), float32, int32 or uint32.  A cube has its six faces as layers, in
    the order +x, -x, +y, -y, +z, -z; an array of cubes six for each."""
    srgb: bool = False
    """Whether red, green and blue are encoded as sRGB and sampling is to decode them; only where
    they are uint8."""
    note: str = ""
    """What was changed so that the shader can read it, as a sentence; empty for nothing."""

    lacks_levels: bool = False
    """Whether it has level 0 alone, of which all others are to be made."""

    @property
    def completed(self) -> Pixels:
        """With all its levels."""
        if not self.lacks_levels:
            return self
        return Pixels(chain(self.levels[0], self.srgb), self.srgb, self.note)

    @property
    def size(self) -> tuple[int, int, int]:
        """Width, height and depth of level 0."""
        _, depth, height, width, _ = self.levels[0].shape
        return width, height, depth

    @property
    def layers(self) -> int:
        return self.levels[0].shape[0]

    @property
    def dtype(self) -> np.dtype:
        return self.levels[0].dtype


def chain(level: np.ndarray, srgb: bool = False) -> tuple[np.ndarray, ...]:
    """All mip levels down to one texel, from level 0: means of what each texel covers.

    Sizes are halved and rounded down (Vulkan specification, "Image Mip Level Sizing"); an odd size
    weighs three texels by how much of them is covered.  Integer textures, which are not filtered,
    keep the first of each.  `srgb`: means are of decoded values.
    """
    levels = [level]
    if level.dtype in (np.int32, np.uint32):
        while max(levels[-1].shape[1:4]) > 1:
            steps = tuple(slice(0, n // 2 * 2 or 1, 2) for n in levels[-1].shape[1:4])
            levels.append(np.ascontiguousarray(levels[-1][:, steps[0], steps[1], steps[2]]))
        return tuple(levels)
    exact = level
    while max(exact.shape[1:4]) > 1:
        exact = _halved(exact, srgb)
        levels.append(_encoded(exact, level.dtype, srgb))
    return tuple(levels)


def _halved(values: np.ndarray, srgb: bool) -> np.ndarray:
    """float32, linear, of half the size in every direction."""
    layers, *size, _ = values.shape
    halves = [max(1, n // 2) for n in size]
    made = np.empty((layers, *halves, 4), np.float32)
    axis = 1 if size[0] > 1 else 2
    for layer in range(layers):
        for first, last in _blocks(halves, axis):
            rows: list[slice] = [slice(layer, layer + 1), slice(None), slice(None)]
            if size[axis - 1] > 1:
                rows[axis] = slice(2 * first, 2 * last + size[axis - 1] % 2)
            block = _decoded(values[tuple(rows)], srgb)
            for each in (1, 2, 3):
                start, whole = (first, size[axis - 1]) if each == axis else (0, size[each - 1])
                block = _halved_along(block, each, start, whole)
            rows[axis] = slice(first, last)
            made[tuple(rows)] = block
    return made


def _blocks(halves: list[int], axis: int) -> Iterator[tuple[int, int]]:
    """Ranges of what is to be made, so small that their sources fit into little memory."""
    count = halves[axis - 1]
    others = halves[0] * halves[1] * halves[2] // count
    step = max(1, _BLOCK_TEXELS // others)
    for first in range(0, count, step):
        yield first, min(count, first + step)


_BLOCK_TEXELS = 1 << 18


def _halved_along(values: np.ndarray, axis: int, start: int, size: int) -> np.ndarray:
    """`values`: those of an axis of `size` that the texels from `start` on cover."""
    if size == 1:
        return values
    half = size // 2
    count = values.shape[axis] // 2

    def every_other(first: int) -> np.ndarray:
        index: list[slice] = [slice(None)] * values.ndim
        index[axis] = slice(first, first + 2 * count - 1, 2)
        return values[tuple(index)]

    if size % 2 == 0:
        return (every_other(0) + every_other(1)) * np.float32(0.5)
    shape = [1] * values.ndim
    shape[axis] = count
    # Texel n of the new ones covers 2 + 1/half old ones, from 2 n + n/half on.
    n = np.arange(start, start + count, dtype=np.float32).reshape(shape)
    before, after = (half - n) / np.float32(size), (n + 1) / np.float32(size)
    middle = np.float32(half / size)
    return every_other(0) * before + every_other(1) * middle + every_other(2) * after


def _decoded(level: np.ndarray, srgb: bool) -> np.ndarray:
    """float32, linear."""
    if level.dtype != np.uint8:
        return level
    if not srgb:
        return level.astype(np.float32) / np.float32(255)
    linear = np.empty(level.shape, np.float32)
    linear[..., :3] = _FROM_SRGB[level[..., :3]]
    linear[..., 3] = level[..., 3] / np.float32(255)
    return linear


def _encoded(values: np.ndarray, kind: np.dtype, srgb: bool) -> np.ndarray:
    if kind != np.uint8:
        return np.ascontiguousarray(values, kind)
    made = np.empty(values.shape, np.uint8)
    flat, into = values.reshape(-1, 4), made.reshape(-1, 4)
    for first in range(0, len(flat), _BLOCK_TEXELS):
        part = np.clip(flat[first : first + _BLOCK_TEXELS], 0.0, 1.0)
        codes = np.rint(part * np.float32(255))
        if srgb:
            steps = np.rint(part[:, :3] * np.float32(_STEPS)).astype(np.int32)
            codes[:, :3] = _TO_SRGB[steps]
        into[first : first + _BLOCK_TEXELS] = codes
    return made


def _srgb_table() -> np.ndarray:
    """Linear values of the 256 codes (IEC 61966-2-1)."""
    codes = np.arange(256) / 255
    low = codes <= 0.04045
    return np.where(low, codes / 12.92, ((codes + 0.055) / 1.055) ** 2.4).astype(np.float32)


def _srgb_codes() -> np.ndarray:
    """The codes of linear values in even steps, each much smaller than what a code is apart."""
    linear = np.arange(_STEPS + 1) / _STEPS
    encoded = np.where(
        linear <= 0.0031308, linear * 12.92, 1.055 * np.power(linear, 1 / 2.4) - 0.055
    )
    return np.rint(encoded * 255).astype(np.uint8)


_FROM_SRGB = _srgb_table()
_STEPS = (1 << 16) - 1
_TO_SRGB = _srgb_codes()
