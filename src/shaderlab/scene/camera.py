"""Where the camera stands, its matrices, and how the mouse moves it.

Matrices are flat and in the order of memory, column by column, for column vectors: `product(a, b)`
applies `b` first.  World and view space are right-handed with y up, and the camera looks along -z
of view space.  Clip space is Vulkan's: depth 0 at the near plane and 1 at the far one, y down.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from shaderlab.scene.geometry import Camera
from shaderlab.scene.inputs import Numbers

NEAR = 0.1
"""Distance of the near plane, in radii."""
FAR = 100.0
"""Distance of the far plane, in radii."""
IDENTITY: Numbers = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)

_STEEPEST = math.radians(89.0)
"""Looking straight down, nothing says which way is up."""
_CLOSEST, _FARTHEST = 1.05, 50.0
_NARROWEST, _WIDEST = math.radians(1.0), math.radians(170.0)


def eye(camera: Camera) -> tuple[float, float, float]:
    """Where the camera stands, in world space."""
    pitch = _clamped(camera.pitch, -_STEEPEST, _STEEPEST)
    distance = _clamped(camera.distance, _CLOSEST, _FARTHEST)
    across = distance * math.cos(pitch)
    return (
        across * math.sin(camera.yaw),
        distance * math.sin(pitch),
        across * math.cos(camera.yaw),
    )


def view(camera: Camera) -> Numbers:
    """From world to view space, 4x4."""
    position = eye(camera)
    distance = math.hypot(*position)
    back = tuple(each / distance for each in position)
    right = (math.cos(camera.yaw), 0.0, -math.sin(camera.yaw))
    up = _cross(back, right)
    columns: list[float] = []
    for axis in range(3):
        columns += (right[axis], up[axis], back[axis], 0.0)
    return (*columns, 0.0, 0.0, -distance, 1.0)


def projection(camera: Camera, size: tuple[int, int], y_up: bool = False) -> Numbers:
    """From view to clip space, 4x4.

    `size`: width, height of the picture in pixels; `y_up`: for a picture whose row 0 is its bottom.
    """
    width, height = size
    fov = _clamped(camera.vertical_fov, _NARROWEST, _WIDEST)
    scale = 1.0 / math.tan(fov / 2.0)
    depth = FAR / (NEAR - FAR)
    columns = [0.0] * 16
    columns[0] = scale * height / width
    columns[5] = scale if y_up else -scale
    columns[10] = depth
    columns[11] = -1.0
    columns[14] = NEAR * depth
    return tuple(columns)


def product(left: Sequence[float], right: Sequence[float]) -> Numbers:
    """Of two 4x4 matrices."""
    return tuple(
        sum(left[4 * inner + row] * right[4 * column + inner] for inner in range(4))
        for column in range(4)
        for row in range(4)
    )


def transposed(matrix: Sequence[float]) -> Numbers:
    """Of a square matrix."""
    side = math.isqrt(len(matrix))
    return tuple(matrix[side * row + column] for column in range(side) for row in range(side))


def inverse(matrix: Sequence[float]) -> Numbers:
    """Of a 3x3 or 4x4 matrix.  Raises ValueError for a singular one."""
    side = math.isqrt(len(matrix))
    rows = [
        [matrix[side * column + row] for column in range(side)]
        + [float(row == column) for column in range(side)]
        for row in range(side)
    ]
    for at in range(side):
        pivot = max(range(at, side), key=lambda row: abs(rows[row][at]))
        if abs(rows[pivot][at]) < 1e-30:
            raise ValueError("the matrix is singular")
        rows[at], rows[pivot] = rows[pivot], rows[at]
        rows[at] = [each / rows[at][at] for each in rows[at]]
        for row in range(side):
            if row != at:
                factor = rows[row][at]
                rows[row] = [a - factor * b for a, b in zip(rows[row], rows[at], strict=True)]
    return tuple(rows[row][side + column] for column in range(side) for row in range(side))


def turned(camera: Camera, right: float, up: float) -> Camera:
    """The camera after it went around the origin by so many radians."""
    yaw = math.remainder(camera.yaw + right, math.tau)
    return replace(camera, yaw=yaw, pitch=_clamped(camera.pitch + up, -_STEEPEST, _STEEPEST))


def dragged(camera: Camera, right: float, down: float, height: int) -> Camera:
    """The camera after the mouse dragged the body by so many pixels of a picture so high.

    A drag from edge to edge turns the body by half a turn.
    """
    radians = math.pi / max(1, height)
    return turned(camera, -right * radians, down * radians)


def zoomed(camera: Camera, steps: float) -> Camera:
    """The camera after so many steps of the mouse wheel towards the body: a tenth each."""
    distance = camera.distance * 0.9 ** _clamped(steps, -1000.0, 1000.0)
    return replace(camera, distance=_clamped(distance, _CLOSEST, _FARTHEST))


def _clamped(value: float, least: float, most: float) -> float:
    return max(least, min(most, value))


def _cross(a: Sequence[float], b: Sequence[float]) -> tuple[float, float, float]:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
