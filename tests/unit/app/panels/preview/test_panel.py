"""Sizes and pictures of the preview."""

import numpy as np
import pytest

from shaderlab.app.panels.preview.panel import SIZES, pixels_for, to_image


def test_pictures_stand_upright():
    pixels = np.zeros((2, 3, 4), np.uint8)
    pixels[0] = (255, 0, 0, 0)  # the bottom row, red, and transparent as shaders often leave it
    image = to_image(pixels)
    assert (image.width(), image.height()) == (3, 2)
    assert image.pixelColor(0, 1).getRgb() == (255, 0, 0, 255)
    assert image.pixelColor(0, 0).getRgb() == (0, 0, 0, 255)


@pytest.mark.parametrize("software", [True, False])
@pytest.mark.parametrize("choice", [key for key, _ in SIZES] + ["nonsense", "0x0"])
def test_every_choice_of_size_can_be_drawn(choice, software):
    width, height = pixels_for(choice, (620, 1), software)
    assert 16 <= width <= 8192
    assert 16 <= height <= 8192


def test_automatic_size_spares_software_drivers():
    assert pixels_for("auto", (2000, 1000), software=False) == (2000, 1000)
    assert pixels_for("auto", (2000, 1000), software=True) == (512, 384)
    assert pixels_for("half", (2000, 1000), software=True) == (1000, 500)
    assert pixels_for("1024x768", (1, 1), software=True) == (1024, 768)
