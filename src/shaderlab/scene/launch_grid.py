"""The invocations of a dispatch as a picture of its grid."""

from __future__ import annotations

import math

import numpy as np

from shaderlab.scene.launch import Launch


def on_grid(each: np.ndarray, launch: Launch) -> np.ndarray:
    """(rows, columns): values by invocation index, (invocations,), at their places in the grid.

    Invocations are numbered by workgroup, then within it.  Layers along z are below one another; a
    launch of one row stays one.
    """
    (x, y, z), (across, down, deep) = launch.groups, launch.local
    grid = each.reshape(z, y, x, deep, down, across).transpose(0, 3, 1, 4, 2, 5)
    return grid.reshape(z * deep * y * down, x * across)


def fitted(grid: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """A grid as a picture of another shape: the largest of the values that share a pixel.

    One row is wrapped to fit the picture; the rest of the last one is 0, or nan for floats.
    """
    height, width = shape
    if len(grid) == 1 and grid.shape[1] > width:
        columns = math.ceil(math.sqrt(grid.shape[1] * width / height))
        rows = -(-grid.shape[1] // columns)
        rest = np.nan if grid.dtype.kind == "f" else 0
        wrapped = np.full(rows * columns, rest, grid.dtype)
        wrapped[: grid.shape[1]] = grid[0]
        grid = wrapped.reshape(rows, columns)
    return _along(_along(grid, height, 0), width, 1)


def _along(grid: np.ndarray, wanted: int, axis: int) -> np.ndarray:
    """With as many values along an axis: repeated, or the largest of those that meet."""
    own = grid.shape[axis]
    starts = np.arange(wanted) * own // wanted
    if own <= wanted:
        return np.take(grid, starts, axis=axis)
    return np.fmax.reduceat(grid, starts, axis=axis)
