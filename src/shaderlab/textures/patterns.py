"""Generated textures, for every dimension and component type."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import lru_cache

import numpy as np

from shaderlab.scene.keys import NO_KEYS
from shaderlab.scene.textures import GAME_SIZE, PATTERN_SIDE, Pattern
from shaderlab.spirv.value_types import Dimension
from shaderlab.textures.cubes import directions

Extent = tuple[int, int, int, int]
"""Layers, depth, height, width."""

_SEED = 20261123
_CELLS = 8
"""Squares of the checker, and bumps of the normal map, along an axis."""
_BLUE_SIZE = 64
_FULL: Mapping[Dimension, tuple[int, int, int]] = {
    Dimension.D1: (1, 1, 256),
    Dimension.D2: (1, PATTERN_SIDE, PATTERN_SIDE),
    Dimension.RECT: (1, PATTERN_SIDE, PATTERN_SIDE),
    Dimension.SUBPASS: (1, PATTERN_SIDE, PATTERN_SIDE),
    Dimension.D3: (32, 32, 32),
    Dimension.CUBE: (1, 128, 128),
    Dimension.BUFFER: (1, 1, 1024),
}
"""Depth, height and width of a pattern that varies."""
_LAYERS = 4
"""Of an array; of cubes, so many times six."""


def pattern(kind: Pattern, dimension: Dimension, arrayed: bool) -> np.ndarray:
    """(layers, depth, height, width, 4) of float32 from 0 to 1."""
    if kind is Pattern.KEYBOARD and dimension is Dimension.D2 and not arrayed:
        return NO_KEYS.texels()
    if kind is Pattern.GAME and dimension is Dimension.D2 and not arrayed:
        return _game(dimension, (1, 1, GAME_SIZE[1], GAME_SIZE[0])).astype(np.float32)
    make = _MADE[kind]
    is_plain = kind in (Pattern.BLACK, Pattern.WHITE, Pattern.KEYBOARD)
    size = (1, 1, 1) if is_plain else _FULL[dimension]
    layers = (_LAYERS if arrayed and not is_plain else 1) * (
        6 if dimension is Dimension.CUBE else 1
    )
    depth, height, width = size
    return make(dimension, (layers, depth, height, width)).astype(np.float32)


def noise_picture(width: int, height: int, layers: int) -> np.ndarray:
    """(layers, 1, height, width, 4) of float32 from 0 to 1."""
    return np.random.default_rng(_SEED).random((layers, 1, height, width, 4), np.float32)


def _opaque(red: np.ndarray, green: np.ndarray, blue: np.ndarray, extent: Extent) -> np.ndarray:
    made = np.ones((*extent, 4))
    for n, channel in enumerate((red, green, blue)):
        made[..., n] = channel
    return made


def _black(_: Dimension, extent: Extent) -> np.ndarray:
    made = np.zeros((*extent, 4))
    made[..., 3] = 1.0
    return made


def _white(_: Dimension, extent: Extent) -> np.ndarray:
    return np.ones((*extent, 4))


def _noise(_: Dimension, extent: Extent) -> np.ndarray:
    return np.random.default_rng(_SEED).integers(0, 256, (*extent, 4)) / 255


def _blue_noise(_: Dimension, extent: Extent) -> np.ndarray:
    layers, depth, height, width = extent
    tile = _blue_tile()
    made = np.empty((*extent, 4))
    rows, columns = np.arange(height)[:, None], np.arange(width)[None, :]
    for layer in range(layers):
        for slice_ in range(depth):
            # Shifted by the golden ratio's multiples, slices have nothing in common.
            n = layer * depth + slice_
            down, right = (int(n * step * _BLUE_SIZE) for step in (0.7548776662, 0.5698402910))
            made[layer, slice_] = tile[(rows + down) % _BLUE_SIZE, (columns + right) % _BLUE_SIZE]
    return made


def _checker(_: Dimension, extent: Extent) -> np.ndarray:
    layers, depth, height, width = extent
    z, y, x = (np.arange(n) * min(_CELLS, n) // n for n in (depth, height, width))
    odd = (x[None, None, :] + y[None, :, None] + z[:, None, None]) % 2
    light = np.broadcast_to(1.0 - odd, (layers, depth, height, width))
    return _opaque(light, light, light, extent)


def _gradient(dimension: Dimension, extent: Extent) -> np.ndarray:
    if dimension is Dimension.CUBE:
        ways = np.tile(directions(extent[2]), (extent[0] // 6, 1, 1, 1))[:, None] / 2 + 0.5
        return _opaque(ways[..., 0], ways[..., 1], ways[..., 2], extent)
    layers, depth, height, width = extent
    along = [(np.arange(n) + 0.5) / n if n > 1 else np.zeros(1) for n in (width, height, depth)]
    last = along[2][:, None, None]
    if layers > 1:
        last = ((np.arange(layers) + 0.5) / layers)[:, None, None, None]
    return _opaque(along[0][None, None, :], along[1][None, :, None], last, extent)


def _normal_map(_: Dimension, extent: Extent) -> np.ndarray:
    height, width = extent[2:]
    x = (np.arange(width) + 0.5) / width * _CELLS * math.tau
    y = (np.arange(height)[:, None] + 0.5) / height * _CELLS * math.tau
    # Of the height sin(x) sin(y) / 2; green points to the top of the image.
    slope_x = np.cos(x) * np.sin(y) / 2
    slope_y = np.sin(x) * np.cos(y) / 2
    length = np.sqrt(slope_x**2 + slope_y**2 + 1.0)
    red, green, blue = -slope_x / length, slope_y / length, 1.0 / length
    return _opaque(red / 2 + 0.5, green / 2 + 0.5, blue / 2 + 0.5, extent)


_FIGURE = """
....####....
..########..
..##.##.##..
..##.##.##..
..########..
....#..#....
..########..
.##.####.##.
.#..####..#.
....#..#....
...##..##...
..###..###..
"""
_SKY, _SUN, _HILLS = (0.25, 0.44, 0.85), (1.0, 0.9, 0.45), (0.13, 0.45, 0.3)
_BRICK, _JOINT, _HERO = (0.74, 0.35, 0.2), (0.28, 0.12, 0.12), (0.92, 0.2, 0.25)


def _game(_: Dimension, extent: Extent) -> np.ndarray:
    """Flat colours, hard edges, dithered bands, single bright dots: what scalers are made for."""
    height, width = extent[2:]
    y, x = np.mgrid[0:height, 0:width]
    band = (y + 4 * ((x + y) % 2)) // 16  # every other dot four rows ahead
    made = np.ones((height, width, 4))
    made[..., :3] = np.array(_SKY) * (0.6 + 0.4 * band / max(1, height // 16))[..., None]
    made[(x * 73 + y * 151) % 1009 == 0, :3] = 1.0
    made[(x - width * 3 // 4) ** 2 + (y - height // 4) ** 2 < (height // 9) ** 2, :3] = _SUN
    made[y > height * 0.62 + height * 0.1 * np.sin(x * 0.04) // 2 * 2, :3] = _HILLS
    step = (y > height * 6 // 7) | ((y // 16 == height // 32) & (x // 32 % 3 == 1))
    joint = (y % 8 == 0) | ((x + 8 * (y // 8 % 2)) % 16 == 0)
    made[step, :3] = _BRICK
    made[step & joint, :3] = _JOINT
    dots = np.array([[dot == "#" for dot in row] for row in _FIGURE.split()])
    for left in (width // 6, width * 5 // 8):
        top = height * 6 // 7 - len(dots)
        here = made[top : top + len(dots), left : left + dots.shape[1], :3]
        here[dots[: here.shape[0], : here.shape[1]]] = _HERO
    score = (y // 8 == 1) & (x < width // 2) & ((x // 2 * 7 + y // 2 * 3) % 5 < 3) & (x % 8 < 6)
    made[score, :3] = 1.0
    return np.broadcast_to(made, (*extent, 4))


_MADE: Mapping[Pattern, Callable[[Dimension, Extent], np.ndarray]] = {
    Pattern.BLACK: _black,
    Pattern.WHITE: _white,
    Pattern.NOISE: _noise,
    Pattern.BLUE_NOISE: _blue_noise,
    Pattern.CHECKER: _checker,
    Pattern.GRADIENT: _gradient,
    Pattern.NORMAL_MAP: _normal_map,
    Pattern.KEYBOARD: _black,
    Pattern.GAME: _game,
}


@lru_cache(maxsize=1)
def _blue_tile() -> np.ndarray:
    """(size, size, 4), each channel by itself."""
    tiles = [_void_and_cluster(_BLUE_SIZE, _SEED + channel) for channel in range(4)]
    return np.stack(tiles, axis=2)


def _void_and_cluster(size: int, seed: int) -> np.ndarray:
    """(size, size) of 0 to 1, each of the values once, on a torus.

    Ulichney, "The void-and-cluster method for dither array generation" (1993), with a Gaussian of
    standard deviation 1.5.
    """
    count = size * size
    axis = np.minimum(np.arange(size), size - np.arange(size))
    kernel = np.exp(-(axis[:, None] ** 2 + axis[None, :] ** 2) / (2 * 1.5**2))
    twice = np.tile(kernel, (2, 2))

    def around(at: int) -> np.ndarray:
        row, column = divmod(at, size)
        return twice[size - row : 2 * size - row, size - column : 2 * size - column]

    dots = np.zeros(count, bool)
    first = np.random.default_rng(seed).choice(count, count // 10, replace=False)
    dots[first] = True
    energy = sum((around(int(at)) for at in first), np.zeros((size, size)))
    flat = energy.reshape(-1)

    def tightest() -> int:
        return int(np.where(dots, flat, -np.inf).argmax())

    def emptiest() -> int:
        return int(np.where(dots, np.inf, flat).argmin())

    def turn(at: int) -> None:
        energy[...] += -around(at) if dots[at] else around(at)
        dots[at] = not dots[at]

    while True:
        cluster = tightest()
        turn(cluster)
        void = emptiest()
        turn(void)
        if void == cluster:
            break
    rank = np.zeros(count)
    start, kept = dots.copy(), energy.copy()
    for number in reversed(range(len(first))):
        at = tightest()
        turn(at)
        rank[at] = number
    dots[...] = start
    energy[...] = kept
    for number in range(len(first), count):
        at = emptiest()
        turn(at)
        rank[at] = number
    return (rank / (count - 1)).reshape(size, size)
