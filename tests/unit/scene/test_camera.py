from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.scene import camera as cameras
from shaderlab.scene.geometry import Camera

angles = st.floats(-10.0, 10.0)
some_camera = st.builds(
    Camera,
    yaw=angles,
    pitch=st.floats(-1.5, 1.5),
    distance=st.floats(1.2, 40.0),
    vertical_fov=st.floats(0.1, 2.5),
)


def matrix(numbers: tuple[float, ...]) -> np.ndarray:
    side = math.isqrt(len(numbers))
    return np.array(numbers).reshape(side, side).T


def clip(camera: Camera, point: tuple[float, float, float], y_up: bool = False) -> np.ndarray:
    both = cameras.product(cameras.projection(camera, (400, 300), y_up), cameras.view(camera))
    x, y, z, w = matrix(both) @ np.array([*point, 1.0])
    return np.array([x / w, y / w, z / w])


@given(some_camera)
def test_a_view_turns_and_moves_but_does_not_stretch(camera: Camera):
    view = matrix(cameras.view(camera))
    assert np.allclose(view[:3, :3] @ view[:3, :3].T, np.eye(3), atol=1e-9)
    assert np.linalg.det(view[:3, :3]) == pytest.approx(1.0)
    assert np.allclose(view @ [*cameras.eye(camera), 1.0], [0.0, 0.0, 0.0, 1.0], atol=1e-9)


@given(some_camera)
def test_the_origin_is_in_the_middle_between_near_and_far(camera: Camera):
    x, y, depth = clip(camera, (0.0, 0.0, 0.0))
    assert (x, y) == pytest.approx((0.0, 0.0), abs=1e-9)
    assert 0.0 < depth < 1.0


def test_up_in_the_world_is_up_in_the_picture():
    """Vulkan's clip y points down; with row 0 at the bottom, up."""
    assert clip(Camera(), (0.0, 0.5, 0.0))[1] < 0.0
    assert clip(Camera(), (0.0, 0.5, 0.0), y_up=True)[1] > 0.0


def test_right_of_an_untouched_camera_is_x():
    assert clip(Camera(yaw=0.0, pitch=0.0), (0.5, 0.0, 0.0))[0] > 0.0
    assert clip(Camera(yaw=math.pi / 2, pitch=0.0), (0.0, 0.0, -0.5))[0] > 0.0


def test_depth_is_0_at_the_near_plane_and_1_at_the_far_one():
    camera = Camera(yaw=0.0, pitch=0.0, distance=3.0)
    assert clip(camera, (0.0, 0.0, 3.0 - cameras.NEAR))[2] == pytest.approx(0.0, abs=1e-9)
    assert clip(camera, (0.0, 0.0, 3.0 - cameras.FAR))[2] == pytest.approx(1.0)


@given(some_camera)
def test_an_inverse_undoes(camera: Camera):
    view = cameras.view(camera)
    undone = cameras.product(cameras.inverse(view), view)
    assert undone == pytest.approx(cameras.IDENTITY, abs=1e-9)
    turn = tuple(view[4 * column + row] for column in range(3) for row in range(3))
    assert cameras.inverse(turn) == pytest.approx(cameras.transposed(turn), abs=1e-9)
    assert cameras.transposed(cameras.transposed(view)) == view


def test_a_singular_matrix_has_no_inverse():
    with pytest.raises(ValueError, match="singular"):
        cameras.inverse((0.0,) * 16)


@given(some_camera, st.floats(-4000, 4000), st.floats(-4000, 4000), st.floats(-500, 500))
def test_the_mouse_never_leaves_the_body_behind(camera, right, down, steps):
    moved = cameras.zoomed(cameras.dragged(camera, right, down, 300), steps)
    assert abs(moved.pitch) < math.pi / 2
    assert 1.0 < moved.distance <= 50.0
    assert np.isfinite(cameras.view(moved)).all()


def test_dragging_right_turns_the_body_right():
    """What was in front in the middle is then right of it."""
    camera = replace(Camera(), yaw=0.0, pitch=0.0)
    front = (0.0, 0.0, 1.0)
    assert clip(cameras.dragged(camera, 30, 0, 300), front)[0] > 0.0
    assert clip(cameras.dragged(camera, 0, 30, 300), front)[1] > 0.0  # downwards


def test_a_camera_from_a_file_may_be_anything():
    wild = Camera(yaw=1e6, pitch=math.pi / 2, distance=0.0, vertical_fov=0.0)
    assert np.isfinite(cameras.view(wild)).all()
    assert np.isfinite(cameras.projection(wild, (1, 1000))).all()
