"""From a texture to the texels that a shader's image type can hold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shaderlab.errors import InvalidAsset
from shaderlab.scene.keys import NO_KEYS, Keys
from shaderlab.scene.textures import Filter, ImageFile, NoisePicture, PassPicture, Pattern, Texture
from shaderlab.spirv.value_types import Component, Dimension, Image
from shaderlab.textures import fitting, image_files
from shaderlab.textures.patterns import noise_picture, pattern
from shaderlab.textures.stored import Damaged
from shaderlab.textures.texels import Pixels

_SHOWS_EMPTY = np.zeros((1, 1, 1, 1, 4), np.uint8)


def pixels(texture: Texture, image: Image, keys: Keys = NO_KEYS) -> Pixels:
    """What a texture shows to a shader that declares it as `image`.

    Integer for an integer texture (0 to 255 for what has 8 bits), float32 for one that is read by
    comparison, whose depth is red.  A pass's picture is transparent black, as it is before the pass
    has run.  Mip levels where the filter is MIPMAP, but for multisampled textures and buffers.
    `keys`: what a keyboard shows.

    Raises WrongUse for a file that cannot be read, or holds more than fits.
    """
    return given(texture, image, keys).completed


def given(texture: Texture, image: Image, keys: Keys = NO_KEYS) -> Pixels:
    """The same before the levels are made that nobody gave."""
    source = texture.source
    if isinstance(source, Pattern):
        made = pattern(source, image.dimension, image.arrayed)
        if shows_keys(texture, image):
            made = keys.texels()
        found = Pixels((_typed(made, image),))
    elif isinstance(source, NoisePicture):
        noise = noise_picture(*source.size, 6 if image.dimension is Dimension.CUBE else 1)
        found = Pixels((noise if image.component is Component.FLOAT else _typed(noise, image),))
    elif isinstance(source, PassPicture):
        layers = 6 if image.dimension is Dimension.CUBE else 1
        found = Pixels((_typed(np.repeat(_SHOWS_EMPTY, layers, axis=0) / 255, image),))
    else:
        found = _of_file(source, image)
    has_levels = not image.multisampled and image.dimension is not Dimension.BUFFER
    first, *smaller = found.levels
    if texture.filter is not Filter.MIPMAP or not has_levels:
        return Pixels((first,), found.srgb, found.note)
    lacks = not smaller and max(found.size) > 1
    return replace(found, lacks_levels=lacks)


def shows_keys(texture: Texture, image: Image) -> bool:
    """Whether the texels follow the keyboard: a two-dimensional texture of that pattern."""
    is_flat = image.dimension is Dimension.D2 and not image.arrayed and not image.multisampled
    return texture.source is Pattern.KEYBOARD and is_flat


def _typed(values: np.ndarray, image: Image) -> np.ndarray:
    """Floats of 0 to 1 as the type that holds them."""
    if image.component is Component.FLOAT and image.depth:
        return np.ascontiguousarray(values, np.float32)
    codes = np.rint(values * 255).astype(np.uint8)
    if image.component is Component.FLOAT:
        return codes
    return codes.astype(np.int32 if image.component is Component.INT else np.uint32)


def _of_file(source: ImageFile, image: Image) -> Pixels:
    found = image_files.read(source.path)
    try:
        fitted, note = fitting.fitted(found, image, source.flipped)
    except Damaged as error:
        raise InvalidAsset(f"cannot use {source.path}: {error}") from None
    is_encoded = fitted[0].dtype == np.uint8 and (source.srgb or found.srgb)
    notes = "; ".join(each for each in (found.note, note) if each)
    return Pixels(fitted, is_encoded, f"{source.path.name}: {notes}" if notes else "")
