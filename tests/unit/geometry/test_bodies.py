from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from shaderlab.geometry.mesh import Mesh
from shaderlab.geometry.shapes import mesh_of
from shaderlab.scene.geometry import Body

BODIES = list(Body)
SOLIDS = [Body.CUBE, Body.SPHERE, Body.TORUS, Body.POT]


def corners(mesh: Mesh) -> np.ndarray:
    """(triangles, 3 corners, 3), float64."""
    return mesh.positions.astype(np.float64)[mesh.triangles]


def face_normals(mesh: Mesh) -> np.ndarray:
    """(triangles, 3), as long as twice the areas."""
    a, b, c = corners(mesh).transpose(1, 0, 2)
    return np.cross(b - a, c - a)


@pytest.mark.parametrize("body", BODIES)
def test_shapes_and_ranges(body: Body):
    mesh = mesh_of(body)
    count = len(mesh.positions)
    shapes = [mesh.normals.shape, mesh.tangents.shape, mesh.uvs.shape, mesh.colours.shape]
    assert shapes == [(count, 3), (count, 4), (count, 2), (count, 4)]
    assert mesh.indices.dtype == np.uint32
    assert mesh.indices.max() < count
    assert mesh.uvs.min() >= 0
    assert mesh.uvs.max() <= 1


@pytest.mark.parametrize("body", BODIES)
def test_normals_and_tangents_are_a_frame(body: Body):
    mesh = mesh_of(body)
    assert np.linalg.norm(mesh.normals, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert np.linalg.norm(mesh.tangents[:, :3], axis=1) == pytest.approx(1.0, abs=1e-5)
    assert np.abs((mesh.normals * mesh.tangents[:, :3]).sum(axis=1)).max() < 1e-5
    assert set(mesh.tangents[:, 3].tolist()) <= {1.0, -1.0}


@pytest.mark.parametrize("body", [body for body in BODIES if body is not Body.FULL_SCREEN])
def test_a_body_fits_the_unit_sphere(body: Body):
    radii = np.linalg.norm(mesh_of(body).positions, axis=1)
    assert radii.max() == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("body", SOLIDS)
def test_a_solid_is_closed_and_wound_one_way(body: Body):
    """Every edge belongs to two triangles that run along it in opposite directions."""
    mesh = mesh_of(body)
    _, welded = np.unique(mesh.positions, axis=0, return_inverse=True)
    triangles = welded.reshape(-1)[mesh.triangles]
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    directed = Counter(map(tuple, edges.tolist()))
    assert max(directed.values()) == 1
    assert all((b, a) in directed for a, b in directed)


@pytest.mark.parametrize("body", SOLIDS)
def test_a_solid_faces_outwards(body: Body):
    """Its signed volume is positive (by the divergence theorem)."""
    mesh = mesh_of(body)
    a, b, c = corners(mesh).transpose(1, 0, 2)
    assert (a * np.cross(b, c)).sum() / 6 > 0.1


@pytest.mark.parametrize("body", [body for body in BODIES if body is not Body.FULL_SCREEN])
def test_normals_lie_on_the_side_that_faces(body: Body):
    mesh = mesh_of(body)
    faces = face_normals(mesh)
    for corner in range(3):
        agreement = (faces * mesh.normals[mesh.triangles[:, corner]]).sum(axis=1)
        assert (agreement > 0).all()


@pytest.mark.parametrize("body", BODIES)
def test_tangents_follow_u_and_bitangents_the_top_of_the_image(body: Body):
    mesh = mesh_of(body)
    flip = -1.0 if body is Body.FULL_SCREEN else 1.0  # its rows begin where y is least
    a, b, c = corners(mesh).transpose(1, 0, 2)
    (au, av), (bu, bv), (cu, cv) = (mesh.uvs[mesh.triangles[:, k]].T for k in range(3))
    area = (bu - au) * (cv - av) - (cu - au) * (bv - av)
    has_area = np.abs(area) > 1e-9
    scale = np.sign(area)[:, None]
    to_u = ((cv - av)[:, None] * (b - a) - (bv - av)[:, None] * (c - a)) * scale
    to_v = ((bu - au)[:, None] * (c - a) - (cu - au)[:, None] * (b - a)) * scale
    for corner in range(3):
        at = mesh.triangles[:, corner]
        tangent = mesh.tangents[at, :3]
        bitangent = np.cross(mesh.normals[at], tangent) * mesh.tangents[at, 3:]
        assert ((to_u * tangent).sum(axis=1)[has_area] > 0).all()
        assert ((to_v * bitangent * flip).sum(axis=1)[has_area] < 0).all()


def test_the_pot_is_concave_and_thin_somewhere():
    """A ray along x at the height of the handle meets body, hole, handle."""
    mesh = mesh_of(Body.POT)
    middle = corners(mesh).mean(axis=1)
    near_axis = middle[(np.abs(middle[:, 2]) < 0.03) & (np.abs(middle[:, 1]) < 0.03)]
    left = np.sort(near_axis[near_axis[:, 0] < -0.3][:, 0])
    assert len(left) > 4
    assert np.diff(left).max() > 0.1  # the hole between
