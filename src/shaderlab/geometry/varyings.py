"""What a fragment stage, or the user's own vertex stage, is fed for each vertex."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from shaderlab.errors import WrongUse
from shaderlab.geometry.mesh import Mesh
from shaderlab.geometry.shapes import mesh_of
from shaderlab.geometry.stored_vertices import stored_vertices
from shaderlab.geometry.vertices import Vertices
from shaderlab.scene import camera as cameras
from shaderlab.scene.camera_matrices import LIGHT_POSITION, matrix
from shaderlab.scene.fetched import FetchedVertices
from shaderlab.scene.geometry import DEFAULT_CAMERA, Body, Geometry, MeshFile, StoredVertices
from shaderlab.scene.varyings import Guess, Quantity, guess
from shaderlab.spirv.value_types import Component, Numeric
from shaderlab.spirv.varyings import Varying


def vertices(
    geometry: Geometry, varyings: tuple[Varying, ...], size: tuple[int, int], y_up: bool = False
) -> Vertices:
    """The vertices of a geometry with a value for every varying.

    `size`: width, height of the picture in pixels; `y_up`: its row 0 is its bottom.
    Raises WrongUse for a mesh that cannot be read.
    """
    if isinstance(geometry.shape, StoredVertices):
        return stored_vertices(geometry.shape, varyings)
    if isinstance(geometry.shape, FetchedVertices):
        raise WrongUse("these vertices are read by the draw's own vertex stage: draw with it")
    known = _Known(geometry, geometry.shape, size, y_up)
    by_location: dict[int, np.ndarray] = {}
    guesses: dict[str, Guess] = {}
    for varying in varyings:
        guesses[varying.name] = chosen = guess(varying)
        values = _typed(known.values(chosen.quantity), varying.type)
        into = by_location.setdefault(varying.location, _empty(values))
        count = min(4 - varying.first, varying.type.rows)
        if into.dtype == values.dtype:
            into[:, varying.first : varying.first + count] = values[:, :count]
    return Vertices(known.clip, by_location, known.indices, guesses, known.mesh.note)


def _empty(values: np.ndarray) -> np.ndarray:
    made = np.zeros((len(values), 4), values.dtype)
    made[:, 3] = 1
    return made


def _typed(values: np.ndarray, kind: Numeric) -> np.ndarray:
    if kind.component is Component.FLOAT:
        return values.astype(np.float32)
    return values.astype(np.int32 if kind.component is Component.INT else np.uint32)


class _Known:
    """Quantities of every vertex of one geometry, (n, 4) each."""

    def __init__(
        self, geometry: Geometry, shape: Body | MeshFile, size: tuple[int, int], y_up: bool
    ):
        self.mesh: Mesh = mesh_of(shape)
        self._size = size
        self.indices = self.mesh.indices
        count = len(self.mesh.positions)
        self._ones, self._zeros = np.ones((count, 1)), np.zeros((count, 1))
        self._positions = np.column_stack([self.mesh.positions, self._ones])
        if geometry.is_full_screen:
            # What is seen without a camera is seen from straight above.
            self._eye = (0.0, 0.0, 1.0)
            self._view = _matrix((*cameras.IDENTITY[:14], -1.0, 1.0))
            self.clip = np.array(self._positions, np.float32)
            if not y_up:  # its corners are where they are, so the other side is in front
                self.indices = np.ascontiguousarray(self.mesh.triangles[:, ::-1]).reshape(-1)
        else:
            camera = geometry.camera
            self._eye = cameras.eye(camera)
            self._view = _matrix(cameras.view(camera))
            whole = _matrix(cameras.projection(camera, size, y_up)) @ self._view
            self.clip = np.array(self._positions @ whole.T, np.float32)
        self.uvs = self.mesh.uvs.astype(np.float64)
        # OpenGL's own pictures begin at the bottom; a file says itself where its image begins.
        if y_up and isinstance(shape, Body) and not geometry.is_full_screen:
            self.uvs[:, 1] = 1.0 - self.uvs[:, 1]

    def values(self, quantity: Quantity) -> np.ndarray:
        """(n, 4)."""
        return _OF[quantity](self)

    def _vectors(self, three: np.ndarray, w: float = 0.0) -> np.ndarray:
        return np.column_stack([three, self._ones * w])

    def uv(self) -> np.ndarray:
        return np.column_stack([self.uvs, self._zeros, self._ones])

    def u(self) -> np.ndarray:
        return np.column_stack([self.uvs[:, :1], self._zeros, self._zeros, self._ones])

    def position(self) -> np.ndarray:
        return self._positions

    def view_position(self) -> np.ndarray:
        return self._positions @ self._view.T

    def clip_position(self) -> np.ndarray:
        return self.clip

    def light_position(self) -> np.ndarray:
        whole = matrix(("light",)).value(DEFAULT_CAMERA, self._size)
        return self._positions @ _matrix(whole).T

    def pixel(self) -> np.ndarray:
        at = self.clip[:, :2] / self.clip[:, 3:]
        return np.column_stack([(at / 2 + 0.5) * self._size, self._zeros, self._ones])

    def surface_position(self) -> np.ndarray:
        width, height = self._size
        at = self.clip[:, :2] / self.clip[:, 3:] * [width / height, 1.0]
        return np.column_stack([at, self._zeros, self._ones])

    def normal(self) -> np.ndarray:
        return self._vectors(self.mesh.normals)

    def view_normal(self) -> np.ndarray:
        return self.normal() @ self._view.T

    def tangent(self) -> np.ndarray:
        return self.mesh.tangents

    def bitangent(self) -> np.ndarray:
        mesh = self.mesh
        return self._vectors(np.cross(mesh.normals, mesh.tangents[:, :3]) * mesh.tangents[:, 3:])

    def to_eye(self) -> np.ndarray:
        return self._vectors(np.array(self._eye) - self.mesh.positions)

    def from_eye(self) -> np.ndarray:
        return self._vectors(self.mesh.positions - np.array(self._eye))

    def to_light(self) -> np.ndarray:
        return self._vectors(np.array(LIGHT_POSITION) - self.mesh.positions)

    def colour(self) -> np.ndarray:
        return self.mesh.colours

    def depth(self) -> np.ndarray:
        distance = np.sqrt((self.to_eye() ** 2).sum(axis=1))
        return np.column_stack([distance, self._zeros, self._zeros, self._ones])

    def one(self) -> np.ndarray:
        return np.repeat(self._ones, 4, axis=1)

    def zero(self) -> np.ndarray:
        return np.repeat(self._zeros, 4, axis=1)


_OF: Mapping[Quantity, Callable[[_Known], np.ndarray]] = {
    Quantity.UV: _Known.uv,
    Quantity.POSITION: _Known.position,
    Quantity.VIEW_POSITION: _Known.view_position,
    Quantity.CLIP_POSITION: _Known.clip_position,
    Quantity.LIGHT_POSITION: _Known.light_position,
    Quantity.SURFACE_POSITION: _Known.surface_position,
    Quantity.PIXEL: _Known.pixel,
    Quantity.NORMAL: _Known.normal,
    Quantity.VIEW_NORMAL: _Known.view_normal,
    Quantity.TANGENT: _Known.tangent,
    Quantity.BITANGENT: _Known.bitangent,
    Quantity.TO_EYE: _Known.to_eye,
    Quantity.FROM_EYE: _Known.from_eye,
    Quantity.TO_LIGHT: _Known.to_light,
    Quantity.COLOUR: _Known.colour,
    Quantity.DEPTH: _Known.depth,
    Quantity.U: _Known.u,
    Quantity.ONE: _Known.one,
    Quantity.ZERO: _Known.zero,
}


def _matrix(columns: tuple[float, ...]) -> np.ndarray:
    side = math.isqrt(len(columns))
    return np.array(columns).reshape(side, side).T
