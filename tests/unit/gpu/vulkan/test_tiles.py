from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.gpu.vulkan.tiles import Tile, tiles
from shaderlab.spirv.warps import GROUP_HEIGHT, GROUP_WIDTH


@given(st.integers(1, 200), st.integers(1, 120), st.integers(32, 30_000))
def test_tiles_cover_each_pixel_once_and_cut_no_lane_group(width, height, most):
    seen = np.zeros((height, width), int)
    for tile in tiles((width, height), most):
        assert tile.x % GROUP_WIDTH == 0
        assert tile.y % GROUP_HEIGHT == 0
        assert 0 < tile.width * tile.height <= most
        right, top = tile.x + tile.width, tile.y + tile.height
        assert right == width or tile.width % GROUP_WIDTH == 0
        assert top == height or tile.height % GROUP_HEIGHT == 0
        seen[tile.y : top, tile.x : right] += 1
    assert (seen == 1).all()


def test_a_picture_that_fits_is_one_tile():
    assert tiles((100, 30), 3000) == (Tile(0, 0, 100, 30),)


def test_bands_of_whole_rows_come_first():
    assert tiles((100, 30), 1299) == (
        Tile(0, 0, 100, 12),
        Tile(0, 12, 100, 12),
        Tile(0, 24, 100, 6),
    )


def test_less_than_a_lane_group_is_refused():
    with pytest.raises(ValueError, match="31 pixels"):
        tiles((100, 100), 31)
