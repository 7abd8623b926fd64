"""The keyboard's texture: a row for what is held, one for fresh presses, one for switches."""

from __future__ import annotations

import numpy as np

from shaderlab.scene.keys import NO_KEYS, Keys
from shaderlab.scene.textures import Pattern, Texture
from shaderlab.spirv.value_types import Component, Dimension, Image
from shaderlab.textures.sources import pixels


def image(dimension: Dimension) -> Image:
    return Image(Component.FLOAT, 32, dimension, False, False, False, True)


PLAIN = image(Dimension.D2)


def test_each_row_has_its_keys_in_red():
    texels = Keys((65, 255), (65,), (32,)).texels()
    assert texels.shape == (1, 1, 3, 256, 4)
    assert [np.flatnonzero(row[:, 0]).tolist() for row in texels[0, 0]] == [[65, 255], [65], [32]]
    assert (texels[..., 1:3] == 0).all()
    assert (texels[..., 3] == 1).all()


def test_codes_beyond_the_texture_are_nowhere():
    assert (Keys((-1, 256, 4000)).texels() == NO_KEYS.texels()).all()


def test_only_a_keyboard_shows_keys_and_a_texture_of_it_has_their_size():
    keys, keyboard = Keys((65,)), Texture(Pattern.KEYBOARD)
    (shown,) = pixels(keyboard, PLAIN, keys).levels
    assert shown[0, 0, 0, 65].tolist() == [255, 0, 0, 255]
    assert (pixels(keyboard, PLAIN).levels[0][..., 0] == 0).all()
    assert (pixels(Texture(), PLAIN, keys).levels[0][..., :3] == 0).all()
    assert keyboard.size((640, 360)) == (256, 3)
    assert not NO_KEYS
    assert keys


def test_a_keyboard_of_another_shape_is_black():
    cube = image(Dimension.CUBE)
    (shown,) = pixels(Texture(Pattern.KEYBOARD), cube, Keys((65,))).levels
    assert shown.shape[0] == 6
    assert (shown[..., :3] == 0).all()
