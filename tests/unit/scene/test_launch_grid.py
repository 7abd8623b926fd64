"""Where invocations stand in a picture of a dispatch."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.scene.launch import Launch
from shaderlab.scene.launch_grid import fitted, on_grid

sides = st.tuples(*[st.integers(1, 4)] * 3)


@given(sides, sides)
def test_every_invocation_stands_at_its_place(groups, local):
    launch = Launch(groups, local)
    grid = on_grid(np.arange(launch.invocations), launch)
    width, height, depth = launch.global_size
    assert grid.shape == (depth * height, width)
    for x, y, z in ((0, 0, 0), (width - 1, 0, 0), (width // 2, height - 1, depth - 1)):
        group = [at // side for at, side in zip((x, y, z), local, strict=True)]
        within = [at % side for at, side in zip((x, y, z), local, strict=True)]
        number = (group[2] * groups[1] + group[1]) * groups[0] + group[0]
        index = (within[2] * local[1] + within[1]) * local[0] + within[0]
        assert grid[z * height + y, x] == number * launch.per_group + index


@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 12), st.integers(1, 12))
def test_a_picture_of_any_size_has_the_largest_and_nothing_else(rows, columns, height, width):
    grid = np.random.default_rng(rows).integers(1, 1000, (rows, columns)).astype(np.uint32)
    picture = fitted(grid, (height, width))
    assert picture.shape == (height, width)
    assert set(picture.flat) <= {0, *grid.flat}
    if height <= rows != 1 and width <= columns:
        assert picture.max() == grid.max()


def test_one_row_is_wrapped():
    picture = fitted(np.arange(1, 13, dtype=np.uint32)[np.newaxis], (3, 4))
    assert picture.tolist() == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]
    lanes = fitted(np.ones((1, 11), np.float32), (3, 4))
    assert np.isnan(lanes[2, 3])
    assert np.nansum(lanes) == 11
