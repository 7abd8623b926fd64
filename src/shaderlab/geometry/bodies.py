"""Bodies with a formula: the two triangles of a full screen, quad, cube, sphere, torus.

All but the full screen fit a sphere of radius 1 around the origin.
"""

from __future__ import annotations

import math

import numpy as np

from shaderlab.geometry.mesh import Mesh, merged, mesh

_AROUND = 96
"""Columns of a surface of revolution."""


def full_screen() -> Mesh:
    """Two triangles of clip space, z = 0, with v = 0 where y = -1: at row 0 of the picture."""
    corners = np.array([[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [1.0, 1.0, 0.0]])
    return mesh(
        corners,
        np.tile([0.0, 0.0, 1.0], (4, 1)),
        np.tile([1.0, 0.0, 0.0], (4, 1)),
        corners[:, :2] / 2 + 0.5,
        np.array([0, 1, 2, 2, 1, 3]),
    )


def quad() -> Mesh:
    """A square that faces +z."""
    return _square(np.eye(3), math.sqrt(0.5), 0.0)


def cube() -> Mesh:
    """Six squares, each with the whole of a texture."""
    half = math.sqrt(1 / 3)
    x, y, z = np.eye(3)
    # Right, up and outwards of each face as seen from outside.
    faces = [(-z, y, x), (z, y, -x), (x, -z, y), (x, z, -y), (x, y, z), (-x, y, -z)]
    return merged([_square(np.array(face), half, half) for face in faces])


def sphere() -> Mesh:
    angles = np.linspace(math.pi / 2, -math.pi / 2, 49)
    profile = np.column_stack([np.cos(angles), np.sin(angles)])
    profile[0, 0] = profile[-1, 0] = 0.0
    return revolved(profile, profile)


def torus() -> Mesh:
    """A ring around y, of radii 0.7 and 0.3."""
    angles = np.linspace(math.pi / 2, -math.pi * 3 / 2, 49)
    angles[-1] = angles[0]  # the same point, to the last bit
    normals = np.column_stack([np.cos(angles), np.sin(angles)])
    return revolved(normals * 0.3 + [0.7, 0.0], normals)


def revolved(
    profile: np.ndarray, normals: np.ndarray, v: np.ndarray | None = None, around: int = _AROUND
) -> Mesh:
    """The surface a profile sweeps around y.

    `profile`, `normals`: (rows, 2), distance from the axis and height, from the top of the outside
    to its bottom; `v`: texture coordinate of each row, else even.
    """
    rows = len(profile)
    u = np.arange(around + 1) / around
    # Column 0 and the last are the same to the last bit, so that the seam is closed.
    angle = (np.arange(around + 1) % around) * (math.tau / around)
    sine, cosine = np.sin(angle), np.cos(angle)

    def swept(points: np.ndarray) -> np.ndarray:
        return np.stack(
            [
                points[:, :1] * sine,
                np.repeat(points[:, 1:], around + 1, axis=1),
                points[:, :1] * cosine,
            ],
            axis=2,
        ).reshape(-1, 3)

    tangents = np.tile(np.column_stack([cosine, np.zeros(around + 1), -sine]), (rows, 1))
    down = np.arange(rows) / (rows - 1) if v is None else v
    uvs = np.column_stack([np.tile(u, rows), np.repeat(down, around + 1)])
    positions = swept(profile)
    return mesh(positions, swept(normals), tangents, uvs, grid(positions, rows, around + 1))


def grid(positions: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """Triangles between neighbours, without those that have no area because corners coincide.

    The front is where columns grow to the right and rows downwards.
    """
    number = np.arange(rows * columns).reshape(rows, columns)
    a, b = number[:-1, :-1].ravel(), number[:-1, 1:].ravel()
    c, d = number[1:, :-1].ravel(), number[1:, 1:].ravel()
    triangles = np.stack([np.column_stack([a, c, b]), np.column_stack([b, c, d])], axis=1)
    triangles = triangles.reshape(-1, 3)
    p0, p1, p2 = (positions[triangles[:, k]] for k in range(3))
    has_area = (p0 != p1).any(axis=1) & (p1 != p2).any(axis=1) & (p2 != p0).any(axis=1)
    return triangles[has_area]


def _square(axes: np.ndarray, half: float, outwards: float) -> Mesh:
    """`axes`: right, up and outwards."""
    right, up, out = axes
    sides = ((-1, 1), (1, 1), (-1, -1), (1, -1))
    corners = np.array([half * (x * right + y * up) + outwards * out for x, y in sides])
    uvs = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    return mesh(
        corners, np.tile(out, (4, 1)), np.tile(right, (4, 1)), uvs, np.array([0, 2, 1, 1, 2, 3])
    )
