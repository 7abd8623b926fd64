"""What is kept of textures' texels, and what is not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image as Pillow

from shaderlab.gpu.vulkan.texel_cache import TexelCache
from shaderlab.scene.textures import ImageFile, Pattern, Texture
from shaderlab.spirv.value_types import Component, Dimension, Image

PLANE = Image(Component.FLOAT, 32, Dimension.D2, False, False, False, True)
SPACE = Image(Component.FLOAT, 32, Dimension.D3, False, False, False, True)
NOISE = Texture(Pattern.NOISE)


def test_texels_are_made_once_for_each_type_of_image() -> None:
    cache = TexelCache()
    assert cache.pixels(NOISE, PLANE) is cache.pixels(NOISE, PLANE)
    assert cache.pixels(NOISE, SPACE) is not cache.pixels(NOISE, PLANE)


def test_the_least_recently_used_is_given_up() -> None:
    checker = Texture(Pattern.CHECKER)
    size = TexelCache().pixels(NOISE, PLANE).levels[0].nbytes
    other = TexelCache().pixels(checker, PLANE).levels[0].nbytes
    cache = TexelCache(max(size, other))
    first = cache.pixels(NOISE, PLANE)
    cache.pixels(checker, PLANE)
    assert cache.pixels(NOISE, PLANE) is not first
    assert TexelCache(0).pixels(NOISE, PLANE).size == first.size


def test_a_file_that_has_no_date_is_read_each_time(tmp_path: Path) -> None:
    path = tmp_path / "one.png"
    cache = TexelCache()
    shown = []
    for shade in (10, 200):
        Pillow.fromarray(np.full((2, 2, 3), shade, np.uint8)).save(path)
        undated = cache.pixels(Texture(ImageFile(path)), PLANE)
        dated = cache.pixels(Texture(ImageFile(path, (1, 1))), PLANE)
        shown.append((int(undated.levels[0].flat[0]), int(dated.levels[0].flat[0])))
    assert shown == [(10, 10), (200, 10)]
