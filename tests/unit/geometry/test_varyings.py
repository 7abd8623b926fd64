from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shaderlab.geometry.shapes import mesh_of
from shaderlab.geometry.varyings import vertices
from shaderlab.scene import camera as cameras
from shaderlab.scene.geometry import Body, Camera, Geometry
from shaderlab.scene.varyings import Quantity, guess
from shaderlab.spirv.value_types import Component, Numeric
from shaderlab.spirv.varyings import Varying

SIZE = (400, 300)
FULL_SCREEN, SPHERE = Geometry(), Geometry(Body.SPHERE)


def vec(name: str, rows: int, location: int = 0, component: int = 0) -> Varying:
    return Varying(name, location, Numeric(Component.FLOAT, 32, rows), component)


@pytest.mark.parametrize(
    ("name", "rows", "quantity"),
    [
        ("vUv", 2, Quantity.UV),
        ("inUV", 2, Quantity.UV),
        ("vTexCoord", 2, Quantity.UV),
        ("v_texcoord_0", 2, Quantity.UV),
        ("input.UV", 2, Quantity.UV),
        ("in.var.TEXCOORD0", 2, Quantity.UV),
        ("isf_FragNormCoord", 2, Quantity.UV),
        ("tex_uv", 2, Quantity.UV),
        ("inUV", 3, Quantity.UV),
        ("surfacePosition", 2, Quantity.SURFACE_POSITION),
        ("v_fragCoord", 2, Quantity.PIXEL),
        ("coord", 2, Quantity.UV),
        ("fragNormal", 3, Quantity.NORMAL),
        ("inNormal", 3, Quantity.NORMAL),
        ("vNormal", 3, Quantity.NORMAL),
        ("fs_in.Normal", 3, Quantity.NORMAL),
        ("v_TBN[0]", 3, Quantity.TANGENT),
        ("v_TBN[1]", 3, Quantity.BITANGENT),
        ("v_TBN[2]", 3, Quantity.NORMAL),
        ("inTangent", 4, Quantity.TANGENT),
        ("vBitangent", 3, Quantity.BITANGENT),
        ("binormal", 3, Quantity.BITANGENT),
        ("inWorldPos", 3, Quantity.POSITION),
        ("FragPos", 3, Quantity.POSITION),
        ("v_position", 4, Quantity.POSITION),
        ("vViewPosition", 3, Quantity.VIEW_POSITION),
        ("inViewVec", 3, Quantity.TO_EYE),
        ("eyeVec", 3, Quantity.TO_EYE),
        ("inLightVec", 3, Quantity.TO_LIGHT),
        ("v_lightCoord", 4, Quantity.LIGHT_POSITION),
        ("inShadowCoord", 4, Quantity.LIGHT_POSITION),
        ("inColor", 3, Quantity.COLOUR),
        ("BaseColor", 4, Quantity.COLOUR),
        ("vDepth", 1, Quantity.DEPTH),
        ("inAlpha", 1, Quantity.ONE),
        ("inLodBias", 1, Quantity.ZERO),
    ],
)
def test_names_tell_what_a_varying_holds(name: str, rows: int, quantity: Quantity):
    assert guess(vec(name, rows)) == (quantity, True)


@pytest.mark.parametrize(("rows", "quantity"), [(2, Quantity.UV), (3, Quantity.NORMAL)])
def test_a_name_that_tells_nothing_leaves_the_type(rows: int, quantity: Quantity):
    found = guess(vec("xyzzy", rows))
    assert found == (quantity, False)
    assert found.text.endswith("(by its type)")


def test_integers_are_zero():
    varying = Varying("index", 3, Numeric(Component.UINT))
    made = vertices(SPHERE, (varying,), SIZE).by_location[3]
    assert made.dtype == np.uint32
    assert not made[:, 0].any()
    signed = vertices(SPHERE, (Varying("id", 0, Numeric(Component.INT, 32, 2)),), SIZE)
    assert signed.by_location[0].dtype == np.int32


def test_the_full_screen_is_covered_whatever_the_camera():
    made = vertices(replace(FULL_SCREEN, camera=Camera(1.0, 1.0, 9.0)), (vec("vUv", 2),), SIZE)
    assert sorted(map(tuple, made.positions.tolist())) == [
        (-1, -1, 0, 1), (-1, 1, 0, 1), (1, -1, 0, 1), (1, 1, 0, 1),
    ]  # fmt: skip
    # Row 0 of the picture, where clip y is -1, has v = 0: uv is gl_FragCoord / size.
    assert (made.by_location[0][:, :2] == made.positions[:, :2] / 2 + 0.5).all()
    assert len(made.indices) == 6


@pytest.mark.parametrize("y_up", [False, True])
@pytest.mark.parametrize("shape", [Body.FULL_SCREEN, Body.QUAD])
def test_front_faces_run_counter_clockwise_in_the_picture(shape: Body, y_up: bool):
    made = vertices(Geometry(shape, Camera(0.0, 0.0)), (), SIZE, y_up)
    points = (made.positions[:, :2] / made.positions[:, 3:])[made.indices.reshape(-1, 3)]
    a, b, c = points.transpose(1, 0, 2)
    turn = (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]
    assert ((turn > 0) == y_up).all()  # clip y points down, or up


def test_varyings_that_share_a_location_share_its_array():
    made = vertices(SPHERE, (vec("uv", 2), vec("lightmapUv", 2, component=2)), SIZE)
    uvs = mesh_of(Body.SPHERE).uvs
    assert (made.by_location[0] == np.column_stack([uvs, uvs])).all()


def test_what_no_varying_takes_is_that_of_a_vertex_buffer():
    made = vertices(SPHERE, (vec("vUv", 2),), SIZE).by_location[0]
    assert (made[:, 2] == 0).all()
    assert (made[:, 3] == 1).all()


def test_positions_go_through_the_camera():
    camera = Camera(0.3, 0.2, 4.0)
    made = vertices(Geometry(Body.TORUS, camera), (vec("worldPos", 3), vec("p", 4, 1)), SIZE)
    whole = cameras.product(cameras.projection(camera, SIZE), cameras.view(camera))
    matrix = np.array(whole).reshape(4, 4).T
    assert np.allclose(made.positions, made.by_location[1] @ matrix.T, atol=1e-5)
    assert (made.by_location[0][:, :3] == made.by_location[1][:, :3]).all()


def test_the_vector_to_the_eye_ends_there():
    made = vertices(SPHERE, (vec("vPos", 3), vec("inViewVec", 3, 1)), SIZE).by_location
    ends = made[0][:, :3] + made[1][:, :3]
    assert np.allclose(ends, cameras.eye(SPHERE.camera), atol=1e-5)


def test_opengl_has_the_top_of_an_image_at_1():
    down = vertices(SPHERE, (vec("uv", 2),), SIZE).by_location[0]
    up = vertices(SPHERE, (vec("uv", 2),), SIZE, y_up=True).by_location[0]
    assert np.allclose(down[:, 1], 1 - up[:, 1])


def test_wide_varyings_are_fed_from_one_attribute_of_32_bits():
    wide = Varying("normal", 2, Numeric(Component.FLOAT, 64, 3))
    made = vertices(SPHERE, (wide, Varying("depth", 7, Numeric(Component.FLOAT, 64), 2)), SIZE)
    assert set(made.by_location) == {2, 7}
    assert made.by_location[2].dtype == np.float32
    normals = mesh_of(Body.SPHERE).normals
    assert np.allclose(made.by_location[2][:, :3], normals)
    assert np.ptp(made.by_location[7][:, 1]) > 1, "its second number, for a number has two words"


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from([Body.FULL_SCREEN, Body.QUAD, Body.CUBE]),
    st.lists(
        st.builds(
            Varying,
            st.text(max_size=12),
            st.integers(0, 31),
            st.builds(
                Numeric,
                st.sampled_from([Component.FLOAT, Component.INT, Component.UINT]),
                st.sampled_from([16, 32, 64]),
                st.integers(1, 4),
            ),
            st.integers(0, 3),
        ),
        max_size=6,
    ),
    st.booleans(),
)
def test_every_varying_gets_finite_values(body: Body, varyings: list[Varying], y_up: bool):
    made = vertices(Geometry(body), tuple(varyings), SIZE, y_up)
    for varying in varyings:
        values = made.by_location[varying.location]
        assert values.shape == (len(made.positions), 4)
        assert np.isfinite(values.astype(float)).all()
        assert varying.name in made.guesses


@pytest.mark.parametrize("quantity", Quantity)
def test_every_quantity_is_known_of_every_body(quantity: Quantity):
    from shaderlab.geometry.varyings import _OF, _Known

    for body in (Body.FULL_SCREEN, Body.POT):
        values = _OF[quantity](_Known(Geometry(body), body, SIZE, False))
        assert values.shape == (len(mesh_of(body).positions), 4)
        assert np.isfinite(values).all()
