"""Triangles with what is known at their corners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Mesh:
    """A list of triangles, front faces counter-clockwise, y up.

    Texture coordinates have v = 0 at the top of an image, as glTF's.  The bitangent,
    `cross(normal, tangent.xyz) * tangent.w`, points to the top of an image.
    """

    positions: Floats
    """(n, 3)."""
    normals: Floats
    """(n, 3), of unit length."""
    tangents: Floats
    """(n, 4): xyz of unit length and perpendicular to the normal, along growing u; w is 1 or -1."""
    uvs: Floats
    """(n, 2)."""
    colours: Floats
    """(n, 4)."""
    indices: NDArray[np.uint32]
    """(3 * triangles,)."""
    note: str = ""
    """What was changed to make it so, as a sentence; empty for nothing."""

    @property
    def triangles(self) -> NDArray[np.uint32]:
        """(triangles, 3)."""
        return self.indices.reshape(-1, 3)


def mesh(
    positions: np.ndarray,
    normals: np.ndarray,
    tangents: np.ndarray,
    uvs: np.ndarray,
    indices: np.ndarray,
    colours: np.ndarray | None = None,
) -> Mesh:
    """A mesh of these, converted; `tangents` may be (n, 3) for a w of 1; white without colours."""
    count = len(positions)
    if tangents.shape[1] == 3:
        tangents = np.column_stack([tangents, np.ones(count)])
    if colours is None:
        colours = np.ones((count, 4))
    return Mesh(
        np.ascontiguousarray(positions, np.float32),
        np.ascontiguousarray(unit(normals), np.float32),
        np.ascontiguousarray(tangents, np.float32),
        np.ascontiguousarray(uvs, np.float32),
        np.ascontiguousarray(colours, np.float32),
        np.ascontiguousarray(indices, np.uint32).reshape(-1),
    )


def merged(parts: Sequence[Mesh]) -> Mesh:
    """All of the parts in one."""
    first = np.cumsum([0] + [len(part.positions) for part in parts])
    return Mesh(
        np.concatenate([part.positions for part in parts]),
        np.concatenate([part.normals for part in parts]),
        np.concatenate([part.tangents for part in parts]),
        np.concatenate([part.uvs for part in parts]),
        np.concatenate([part.colours for part in parts]),
        np.concatenate(
            [part.indices + np.uint32(start) for part, start in zip(parts, first, strict=False)]
        ),
    )


def of_unit_radius(whole: Mesh) -> Mesh:
    """Moved and scaled so that its vertices lie within distance 1 of the origin."""
    low, high = whole.positions.min(axis=0), whole.positions.max(axis=0)
    middle = low.astype(np.float64) / 2 + high.astype(np.float64) / 2
    moved = whole.positions - middle
    radius = float(np.sqrt((moved**2).sum(axis=1).max()))
    if radius == 0.0:
        return replace(whole, positions=np.zeros_like(whole.positions))
    note = f"scaled by {1 / radius:.3g} to fit a sphere of radius 1 around the origin"
    return replace(whole, positions=(moved / radius).astype(np.float32), note=note)


def unit(vectors: np.ndarray, instead: Sequence[float] = (0.0, 0.0, 1.0)) -> np.ndarray:
    """Each row at length 1; `instead` where a row has no length."""
    wide = np.asarray(vectors, np.float64)
    largest = np.abs(wide).max(axis=1, keepdims=True)
    is_known = np.isfinite(largest) & (largest > 0)
    wide = np.where(is_known, wide / np.where(is_known, largest, 1.0), instead)
    return wide / np.sqrt((wide**2).sum(axis=1, keepdims=True))


def tangents_of(
    positions: np.ndarray, normals: np.ndarray, uvs: np.ndarray, indices: np.ndarray
) -> np.ndarray:
    """(n, 4), from how positions and texture coordinates change over the triangles.

    Each triangle's directions of growing u and of the image's top are summed at its corners and
    made perpendicular to the normal (Lengyel, "Foundations of Game Engine Development" 2, 7.5).
    """
    corners = indices.reshape(-1, 3)
    p0, p1, p2 = (positions[corners[:, k]].astype(np.float64) for k in range(3))
    t0, t1, t2 = (uvs[corners[:, k]].astype(np.float64) for k in range(3))
    along, across = t1 - t0, t2 - t0
    determinant = along[:, :1] * across[:, 1:] - across[:, :1] * along[:, 1:]
    sign = np.sign(determinant)
    to_u = unit(across[:, 1:] * (p1 - p0) - along[:, 1:] * (p2 - p0), (0.0, 0.0, 0.0)) * sign
    to_v = unit(along[:, :1] * (p2 - p0) - across[:, :1] * (p1 - p0), (0.0, 0.0, 0.0)) * sign
    summed_u, summed_v = np.zeros(positions.shape), np.zeros(positions.shape)
    for k in range(3):
        for axis in range(3):
            summed_u[:, axis] += np.bincount(corners[:, k], to_u[:, axis], len(positions))
            summed_v[:, axis] += np.bincount(corners[:, k], to_v[:, axis], len(positions))
    tangents = perpendicular(summed_u, normals)
    handed = (np.cross(normals, tangents) * -summed_v).sum(axis=1)
    return np.column_stack([tangents, np.where(handed < 0, -1.0, 1.0)])


def perpendicular(vectors: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """(n, 3) of unit length: each row without its part along the normal.

    Some perpendicular vector where nothing remains of it.
    """
    normals = np.asarray(normals, np.float64)
    size = np.sqrt((vectors**2).sum(axis=1, keepdims=True))
    along = vectors - normals * (normals * vectors).sum(axis=1, keepdims=True)
    remains = np.sqrt((along**2).sum(axis=1, keepdims=True))
    axis = np.eye(3)[np.abs(normals).argmin(axis=1)]
    other = axis - normals * (normals * axis).sum(axis=1, keepdims=True)
    chosen = unit(np.where(remains > 1e-5 * size, along, other))
    again = chosen - normals * (normals * chosen).sum(axis=1, keepdims=True)
    return unit(again)
