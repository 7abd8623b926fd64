"""What names mean, and the values that follow."""

import math
from pathlib import Path

import numpy as np
import pytest

from shaderlab.scene import camera as at
from shaderlab.scene.geometry import Camera
from shaderlab.scene.inputs import Input, Inputs
from shaderlab.scene.meanings import Surroundings, meaning
from shaderlab.scene.names import in_context, words
from shaderlab.scene.texture_meanings import texture_meaning
from shaderlab.scene.textures import ImageFile, PassPicture, Pattern, Texture
from shaderlab.scene.uniforms import Uniforms
from shaderlab.spirv.reflection import ResourceKind
from shaderlab.spirv.value_types import Component, Dimension, Image, Numeric

FLOAT, INT, UINT, BOOL = Component.FLOAT, Component.INT, Component.UINT, Component.BOOL
AROUND = Surroundings(Uniforms(time_s=3.0, frame=7, mouse=(20.0, 30.0, 0, 0)), (200, 100))


def number(component, rows=1, columns=1):
    return Numeric(component, 32, rows, columns)


def value(path, kind, lengths=()):
    found = meaning(path, kind, lengths)
    return None if found is None else found.value(AROUND)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("u_lightPos", ("light", "position")),
        ("LightPosition0", ("light", "position")),
        ("gModelViewProj", ("model", "view", "projection")),
        ("MVPMatrix", ("mvp", "matrix")),
        ("world2view", ("world", "to", "view")),
        ("lightpos", ("light", "position")),
        ("s", ("s",)),
        ("", ()),
    ],
)
def test_words(name, expected):
    assert words(name) == expected


def test_a_blocks_name_is_no_context():
    assert in_context("ubo.lightPos") == (("light", "position"),)
    assert in_context("lights[2].position")[0] == ("light", "position")


@pytest.mark.parametrize(
    ("name", "kind", "expected", "certain"),
    [
        ("iResolution", number(FLOAT, 3), (200, 100, 0.0), True),
        ("iTime", number(FLOAT), (3.0,), True),
        ("u_time", number(FLOAT), (3.0,), True),
        ("TIME", number(FLOAT), (3.0,), True),
        ("u_resolution", number(FLOAT, 2), (200.0, 100.0), True),
        ("SourceSize", number(FLOAT, 4), (200.0, 100.0, 1 / 200, 1 / 100), True),
        ("params.FrameCount", number(UINT), (7.0,), True),
        ("injectionSwitch", number(FLOAT, 2), (0.0, 1.0), True),
        ("mouse", number(FLOAT, 2), (0.1, 0.3), True),
        ("progress", number(FLOAT), (0.5,), True),
        ("ratio", number(FLOAT), (2.0,), True),
        ("ubo.screenSize", number(INT, 2), (200.0, 100.0), False),
        ("invResolution", number(FLOAT, 2), (1 / 200, 1 / 100), False),
        ("viewport", number(FLOAT, 4), (0.0, 0.0, 200.0, 100.0), False),
        ("material.roughnessFactor", number(FLOAT), (0.5,), False),
        ("baseColorFactor", number(FLOAT, 4), (1.0,) * 4, False),
        ("tint", number(FLOAT, 3), (1.0,) * 3, False),
        ("exposure", number(FLOAT), (1.0,), False),
        ("numLights", number(INT), (1.0,), False),
        ("zNear", number(FLOAT), (at.NEAR,), False),
        ("consts.deltaPhi", number(FLOAT), (0.05,), False),
        ("specular", number(FLOAT), (0.5,), False),
    ],
)
def test_values(name, kind, expected, certain):
    found = meaning(name, kind)
    assert found.value(AROUND) == pytest.approx(expected)
    assert found.is_certain is certain


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("steps", number(INT)),
        ("iTime", number(INT)),
        ("iterations", number(INT)),
        ("foo", number(FLOAT, 3)),
        ("time", number(FLOAT, 4)),
        ("useTexture", number(BOOL)),
    ],
)
def test_names_without_a_meaning(name, kind):
    assert meaning(name, kind) is None


def test_light_is_a_unit_vector_towards_where_lights_are():
    direction = np.array(value("u_lightDir", number(FLOAT, 3)))
    position = np.array(value("lightPos", number(FLOAT, 4)))
    assert np.linalg.norm(direction) == pytest.approx(1)
    assert position[3] == 1
    assert np.dot(direction, position[:3]) == pytest.approx(np.linalg.norm(position[:3]))


def test_elements_of_an_array_have_the_same_meaning():
    assert value("lightColors", number(FLOAT, 3), (4,)) == (1.0,) * 12
    assert len(value("bones", number(FLOAT, 4, 4), (3, 2))) == 6 * 16


def square(path, columns=4, rows=4):
    return np.array(value(path, number(FLOAT, rows, columns))).reshape(columns, rows).T


def test_matrices_of_the_camera():
    view, projection = square("viewMatrix"), square("u_projectionMatrix")
    assert square("modelViewProjection") == pytest.approx(projection @ view)
    assert square("ubo.mvp") == pytest.approx(projection @ view)
    assert square("inverseViewProj") @ projection @ view == pytest.approx(np.eye(4), abs=1e-6)
    assert square("world2view") == pytest.approx(view)
    assert square("clipToWorld") @ projection @ view == pytest.approx(np.eye(4), abs=1e-6)
    assert square("ubo.model") == pytest.approx(np.eye(4))
    assert square("whatever") == pytest.approx(np.eye(4))
    assert square("normalMatrix", 3, 3) == pytest.approx(np.linalg.inv(view[:3, :3]).T)
    eye = np.append(value("camPos", number(FLOAT, 3)), 1)
    assert (view @ eye)[:3] == pytest.approx([0, 0, 0], abs=1e-6)
    assert square("cameraWorldMatrix") @ view == pytest.approx(np.eye(4), abs=1e-6)


def test_a_lights_matrix_shows_the_origin():
    clip = square("lightSpaceMatrix") @ [0, 0, 0, 1]
    assert clip[:2] / clip[3] == pytest.approx([0, 0], abs=1e-3)
    assert 0 < clip[2] / clip[3] < 1


def test_slangs_matrices_are_arrays_in_a_struct():
    assert value("ubo.view.data", number(FLOAT, 4), (4,)) == pytest.approx(at.view(Camera()))


def image(component=FLOAT, depth=False):
    return Image(component, 32, Dimension.D2, depth, False, False, True)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("iChannel0", Pattern.BLACK),
        ("u_normalMap", Pattern.NORMAL_MAP),
        ("samplerNormalHeightMap", Pattern.NORMAL_MAP),
        ("noiseTexture", Pattern.NOISE),
        ("shadowMap", Pattern.WHITE),
        ("samplerColorMap", Pattern.CHECKER),
        ("samplerEnvMap", Pattern.GRADIENT),
        ("u_doubleBuffer0", Pattern.BLACK),
        ("tex", Pattern.GRADIENT),
    ],
)
def test_textures(name, expected):
    found = texture_meaning(name, image(), ResourceKind.SAMPLED_TEXTURE)
    assert found.texture.source is expected


def test_depth_comparison_is_lit_and_integers_are_black():
    compared = texture_meaning("x", image(depth=True), ResourceKind.SAMPLED_TEXTURE)
    assert compared.texture.source is Pattern.WHITE
    assert texture_meaning("noise", image(UINT), ResourceKind.SAMPLED_TEXTURE) is None
    assert texture_meaning("noise", image(), ResourceKind.STORAGE_IMAGE) is None


def test_values_are_finite_at_the_smallest_size():
    around = Surroundings(Uniforms(), (1, 1))
    for name, kind in (("invViewProj", number(FLOAT, 4, 4)), ("texelSize", number(FLOAT, 2))):
        assert all(map(math.isfinite, meaning(name, kind).value(around)))


def test_channels_report_the_size_of_what_they_show() -> None:
    textures = {
        "iChannel0": Input(Texture(Pattern.NOISE)),
        "iChannel1": Input(Texture(PassPicture("Buffer A"))),
        "iChannel3": Input(Texture(ImageFile(Path("a.png"), size=(40, 30)))),
    }
    sizes = Inputs(textures=textures).channel_sizes((64, 48))
    assert sizes == ((256, 256), (64, 48), (0, 0), (40, 30))
    means = meaning("iChannelResolution", Numeric(Component.FLOAT, rows=3), (4,))
    assert means is not None
    around = Surroundings(Uniforms(), (64, 48), channels=sizes)
    assert means.value(around) == (256, 256, 1, 64, 48, 1, 0, 0, 0, 40, 30, 1)
