"""Texels kept between draws: an image file is decoded once, not with every edit of a shader."""

from __future__ import annotations

from shaderlab.scene.textures import ImageFile, Texture
from shaderlab.spirv.value_types import Image
from shaderlab.textures.sources import given
from shaderlab.textures.texels import Pixels

MOST_BYTES = 256 << 20
"""Kept at a time."""


class TexelCache:
    """Texels by texture and type of image, the least recently used given up first."""

    def __init__(self, most_bytes: int = MOST_BYTES):
        self._most = most_bytes
        self._kept: dict[tuple[Texture, Image], Pixels] = {}

    def pixels(self, texture: Texture, image: Image) -> Pixels:
        """As `textures.pixels`.  Raises as that does."""
        return self._found(texture, image, whole=True)

    def first(self, texture: Texture, image: Image) -> Pixels:
        """The same without levels that are in no file, where they were not made before."""
        return self._found(texture, image, whole=False)

    def _found(self, texture: Texture, image: Image, *, whole: bool) -> Pixels:
        key = texture, image
        found = self._kept.pop(key, None) or given(texture, image)
        if whole:
            found = found.completed
        if is_dated(texture):
            self._kept[key] = found
            while self._kept and sum(map(_nbytes, self._kept.values())) > self._most:
                self._kept.pop(next(iter(self._kept)))
        return found

    def close(self) -> None:
        self._kept.clear()


def is_dated(texture: Texture) -> bool:
    """Whether another content is another texture: a file without a stamp may have changed."""
    return not isinstance(texture.source, ImageFile) or texture.source.stamp != (0, 0)


def _nbytes(texels: Pixels) -> int:
    return sum(level.nbytes for level in texels.levels)
