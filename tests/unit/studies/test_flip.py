"""FLIP against what its paper defines, and against values of the authors' own program."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shaderlab.errors import WrongUse
from shaderlab.studies.flip import flip


def plain(*colour: int, size: tuple[int, int] = (24, 30)) -> np.ndarray:
    made = np.full((*size, 4), 255, np.uint8)
    made[..., :3] = colour
    return made


def shapes() -> tuple[np.ndarray, np.ndarray]:
    """A gradient, and the same with a red box and a part that is shifted by three pixels."""
    y, x = np.mgrid[0:180, 0:320]
    one = np.stack([x * 255 // 320, y * 255 // 180, (x + y) % 256, np.full_like(x, 255)], -1)
    one = one.astype(np.uint8)
    other = one.copy()
    other[60:90, 100:140] = [255, 0, 0, 255]
    other[:, 200:] = np.roll(one, 3, 1)[:, 200:]
    return one, other


def test_equal_pictures_do_not_differ_whatever_alpha_is():
    one, _ = shapes()
    other = one.copy()
    other[..., 3] = 0
    assert not flip(one, other).any()


def test_green_and_blue_differ_most_as_the_paper_scales_by_them():
    assert flip(plain(0, 255, 0), plain(0, 0, 255)) == pytest.approx(1.0, abs=1e-6)


def test_black_and_white_differ_by_lightness_alone():
    """By hand: 100 in lightness, ^0.7 = 25.12; beyond 0.4 of 41.27 it is put between 0.95 and 1."""
    most = 203.26**0.7
    far = 0.95 + 0.05 * (100**0.7 - 0.4 * most) / (0.6 * most)
    assert flip(plain(0, 0, 0), plain(255, 255, 255)) == pytest.approx(far, abs=1e-3)


@pytest.mark.parametrize("pair", [shapes(), (plain(0, 0, 0), plain(3, 2, 1))])
def test_the_order_does_not_matter(pair):
    one, other = pair
    np.testing.assert_allclose(flip(one, other), flip(other, one), atol=1e-6)


def test_the_authors_program_says_the_same():
    """`flip_evaluator` 1.x, 67.02 pixels per degree, gives 0.0570726 for the mean."""
    found = flip(*shapes())
    assert found.mean() == pytest.approx(0.0570726, abs=2e-6)
    assert found[75, 120] > 0.5, "in the box"
    assert found[20, 20] == 0, "far from it"


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_it_is_between_nothing_and_one(seed):
    made = np.random.default_rng(seed)
    one, other = (made.integers(0, 256, (16, 20, 4)).astype(np.uint8) for _ in range(2))
    found = flip(one, other)
    assert found.shape == (16, 20)
    assert found.min() >= 0
    assert found.max() <= 1


def test_a_structure_that_appears_weighs_more_than_a_smooth_change_of_its_mean():
    grey = plain(128, 128, 128, size=(64, 64))
    striped = grey.copy()
    striped[:, ::16, :3] = 200
    smooth = grey.copy()
    smooth[..., :3] = round(striped[..., 0].mean())
    assert flip(grey, striped).mean() > flip(grey, smooth).mean()


def test_pictures_of_two_sizes_are_refused():
    with pytest.raises(WrongUse):
        flip(plain(0, 0, 0), plain(0, 0, 0, size=(3, 3)))
