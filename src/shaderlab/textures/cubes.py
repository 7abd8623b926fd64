"""Faces of cube textures: which way each texel looks, and pictures that hold six of them."""

from __future__ import annotations

import numpy as np

_AXES = (
    ((0, 0, -1), (0, -1, 0), (1, 0, 0)),
    ((0, 0, 1), (0, -1, 0), (-1, 0, 0)),
    ((1, 0, 0), (0, 0, 1), (0, 1, 0)),
    ((1, 0, 0), (0, 0, -1), (0, -1, 0)),
    ((1, 0, 0), (0, -1, 0), (0, 0, 1)),
    ((-1, 0, 0), (0, -1, 0), (0, 0, -1)),
)
"""Directions of columns, rows and the middle of each face (Vulkan specification, "Cube Map Face
Selection")."""
_IN_CROSS = {
    # Places of the faces in a cross of 4 x 3 and of 3 x 4 squares: column, row.
    (4, 3): ((2, 1), (0, 1), (1, 0), (1, 2), (1, 1), (3, 1)),
    (3, 4): ((2, 1), (0, 1), (1, 0), (1, 2), (1, 1), (1, 3)),
    (6, 1): tuple((n, 0) for n in range(6)),
    (1, 6): tuple((0, n) for n in range(6)),
}
_MOST_SIDE = 1024
"""Of faces that are taken from a panorama."""


def directions(side: int) -> np.ndarray:
    """(6, side, side, 3): unit vectors to the texels' centres."""
    at = (np.arange(side) + 0.5) / side * 2 - 1
    columns, rows = at[None, :, None], at[:, None, None]
    faces = [
        columns * np.array(right) + rows * np.array(down) + np.array(middle, float)
        for right, down, middle in _AXES
    ]
    made = np.stack(faces)
    return made / np.sqrt((made**2).sum(axis=-1, keepdims=True))


def faces_of(picture: np.ndarray) -> tuple[np.ndarray, str]:
    """(6, side, side, 4) from a picture (height, width, 4), and how, as part of a sentence.

    A strip of six squares, a cross, a panorama twice as wide as high, else its middle six times.
    """
    height, width = picture.shape[:2]
    for (columns, rows), places in _IN_CROSS.items():
        if width * rows == height * columns and width % columns == 0:
            return _cut(picture, width // columns, places), "its six squares are the faces"
    if width == 2 * height:
        return _from_panorama(picture), "it is taken as a panorama"
    side = min(width, height)
    top, left = (height - side) // 2, (width - side) // 2
    middle = picture[top : top + side, left : left + side]
    return np.repeat(middle[None], 6, axis=0), "its middle is every face"


def _cut(picture: np.ndarray, side: int, places: tuple[tuple[int, int], ...]) -> np.ndarray:
    faces = [
        picture[row * side : (row + 1) * side, column * side : (column + 1) * side]
        for column, row in places
    ]
    if (picture.shape[1], picture.shape[0]) == (3 * side, 4 * side):
        faces[5] = faces[5][::-1, ::-1]  # below the others, it hangs upside down
    return np.stack(faces)


def _from_panorama(picture: np.ndarray) -> np.ndarray:
    """Equirectangular, +y at its top, -z in its middle; each texel from the nearest one."""
    height, width = picture.shape[:2]
    side = max(1, min(_MOST_SIDE, height // 2))
    made = np.empty((6, side, side, 4), picture.dtype)
    for face, ways in enumerate(directions(side)):
        u = np.arctan2(ways[..., 0], -ways[..., 2]) / (2 * np.pi) + 0.5
        v = np.arccos(np.clip(ways[..., 1], -1.0, 1.0)) / np.pi
        column = np.minimum((u * width).astype(int), width - 1)
        row = np.minimum((v * height).astype(int), height - 1)
        made[face] = picture[row, column]
    return made
