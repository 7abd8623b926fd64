"""A pot with lid, spout and handle: concave, with thin parts, creases and every curvature."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from shaderlab.geometry.bodies import grid, revolved
from shaderlab.geometry.mesh import Mesh, merged, mesh, of_unit_radius, unit

Point = tuple[float, ...]

_LID: tuple[tuple[Point, ...], ...] = (
    ((0.0, 0.72), (0.10, 0.72), (0.12, 0.62), (0.05, 0.58)),
    ((0.05, 0.58), (0.02, 0.54), (0.16, 0.53), (0.26, 0.49)),
    ((0.26, 0.49), (0.32, 0.465), (0.36, 0.45), (0.36, 0.43)),
)
"""Profile from the knob to the rim: cubic Bezier curves, distance from the axis and height."""
_BODY: tuple[tuple[Point, ...], ...] = (
    ((0.36, 0.43), (0.52, 0.36), (0.68, 0.14), (0.68, -0.06)),
    ((0.68, -0.06), (0.68, -0.26), (0.55, -0.40), (0.40, -0.46)),
)
_FOOT: tuple[tuple[Point, ...], ...] = (
    ((0.40, -0.46), (0.41, -0.49), (0.42, -0.50), (0.42, -0.52)),
)
_BOTTOM: tuple[tuple[Point, ...], ...] = (
    ((0.42, -0.52), (0.28, -0.50), (0.12, -0.50), (0.0, -0.50)),
)
_SPOUT: tuple[Point, ...] = (
    (0.52, -0.16, 0.0),
    (1.0, -0.16, 0.0),
    (0.78, 0.32, 0.0),
    (1.16, 0.40, 0.0),
)
_HANDLE: tuple[Point, ...] = (
    (-0.46, 0.26, 0.0), (-1.22, 0.44, 0.0), (-1.18, -0.34, 0.0), (-0.50, -0.26, 0.0),
)  # fmt: skip
_SIDES = 40


def pot() -> Mesh:
    """Closed: the body, and spout and handle that end inside it."""
    parts = [_swept_profile(part) for part in (_LID, _BODY, _FOOT, _BOTTOM)]
    spout = _bezier(_SPOUT, 33)
    handle = _bezier(_HANDLE, 41)
    parts.append(_tube(spout, np.linspace(0.22, 0.075, len(spout))))
    parts.append(_tube(handle, np.full(len(handle), 0.062)))
    return of_unit_radius(merged(parts))


def _swept_profile(curves: Sequence[Sequence[Point]]) -> Mesh:
    """Smooth within the curves; what follows them begins with a crease."""
    sampled = [_bezier(curve, 13) for curve in curves]
    points = np.concatenate([sampled[0], *(each[1:] for each in sampled[1:])])
    along = np.gradient(points, axis=0)
    # At the ends the curve's own direction: a difference would tilt the normal on the axis.
    first, last = np.array(curves[0]), np.array(curves[-1])
    along[0], along[-1] = first[1] - first[0], last[3] - last[2]
    normals = np.column_stack([-along[:, 1], along[:, 0]])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return revolved(points, normals)


def _bezier(controls: Sequence[Point], count: int) -> np.ndarray:
    """(count, dimensions): points of a cubic Bezier curve; its ends are exact."""
    a, b, c, d = np.array(controls)
    t = np.linspace(0.0, 1.0, count)[:, None]
    curve = (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t**2 * c + t**3 * d
    curve[0], curve[-1] = a, d
    return curve


def _tube(path: np.ndarray, radii: np.ndarray) -> Mesh:
    """A tube along a path in the plane z = 0, with flat ends."""
    rows = len(path)
    ahead = unit(np.gradient(path, axis=0))
    side = np.tile([0.0, 0.0, 1.0], (rows, 1))
    # ahead, side and other are perpendicular, with cross(side, other) = -ahead.
    other = np.cross(side, ahead)
    steps = np.linalg.norm(np.gradient(path, axis=0), axis=1)
    slope = np.gradient(radii) / steps
    angle = (np.arange(_SIDES + 1) % _SIDES) * (math.tau / _SIDES)
    cosine, sine = np.cos(angle)[None, :, None], np.sin(angle)[None, :, None]
    outwards = side[:, None] * cosine + other[:, None] * sine
    positions = (path[:, None] + outwards * radii[:, None, None]).reshape(-1, 3)
    normals = (outwards - ahead[:, None] * slope[:, None, None]).reshape(-1, 3)
    tangents = (other[:, None] * cosine - side[:, None] * sine).reshape(-1, 3)
    u, v = np.meshgrid(np.linspace(0, 1, _SIDES + 1), np.linspace(0, 1, rows))
    indices = grid(positions, rows, _SIDES + 1)
    ring = positions.reshape(rows, _SIDES + 1, 3)
    return merged(
        [
            mesh(positions, normals, tangents, np.column_stack([u.ravel(), v.ravel()]), indices),
            _cap(path[0], ring[0], -ahead[0], side[0]),
            _cap(path[-1], ring[-1, ::-1], ahead[-1], side[-1]),
        ]
    )


def _cap(middle: np.ndarray, ring: np.ndarray, normal: np.ndarray, right: np.ndarray) -> Mesh:
    """A disc; its ring runs counter-clockwise as seen from outside."""
    positions = np.concatenate([middle[None], ring])
    up = np.cross(normal, right)
    radius = np.linalg.norm(ring[0] - middle)
    flat = (positions - middle) / (2 * radius)
    uvs = np.clip(np.column_stack([0.5 + flat @ right, 0.5 - flat @ up]), 0.0, 1.0)
    count = len(positions)
    at = np.arange(1, count - 1)
    indices = np.column_stack([np.zeros_like(at), at, at + 1])
    return mesh(positions, np.tile(normal, (count, 1)), np.tile(right, (count, 1)), uvs, indices)
