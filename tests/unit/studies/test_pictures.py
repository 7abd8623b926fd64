"""How far pictures are apart."""

from __future__ import annotations

import numpy as np
import pytest

from shaderlab.errors import WrongUse
from shaderlab.studies.pictures import difference


def test_equal_pictures_are_infinitely_alike_whatever_alpha_is():
    one = np.full((4, 5, 4), 200, np.uint8)
    other = one.copy()
    other[..., 3] = 0
    found = difference(one, other)
    assert (found.changed, found.rms, found.psnr_db) == (0.0, 0.0, float("inf"))


def test_one_step_of_255_counts_as_the_same_pixel_but_not_as_the_same_picture():
    black = np.zeros((10, 10, 4), np.uint8)
    other = black.copy()
    other[0, :, 0] = 1
    other[1, 0] = (255, 0, 0, 0)
    found = difference(black, other)
    assert found.changed == pytest.approx(0.01)
    # 10 components off by 1 and one by 255, of 300.
    assert found.rms == pytest.approx(((10 + 255**2) / 300) ** 0.5 / 255)
    assert found.psnr_db == pytest.approx(-20 * np.log10(found.rms))


def test_bytes_do_not_wrap():
    low, high = np.zeros((1, 1, 4), np.uint8), np.full((1, 1, 4), 255, np.uint8)
    assert difference(low, high).rms == difference(high, low).rms == 1.0


def test_two_sizes_are_refused():
    with pytest.raises(WrongUse):
        difference(np.zeros((2, 2, 4), np.uint8), np.zeros((2, 3, 4), np.uint8))
