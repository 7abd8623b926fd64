"""Varyings, meshes, depth, several samples: pictures, and counts equal to the atomic reference."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
import pytest

from shaderlab.errors import UnsupportedShader, WrongUse
from shaderlab.gpu.vulkan.raw_drawing import tests_early_by_itself as is_tested_early
from shaderlab.gpu.vulkan.rendering import Renderer
from shaderlab.gpu.vulkan.tracing import trace
from shaderlab.scene.draw import Attachments, Blend, ColourFormat, Draw, DrawState
from shaderlab.scene.geometry import Body, Camera, Geometry
from shaderlab.scene.inputs import Input, Inputs, Source
from shaderlab.scene.textures import Filter, Pattern, Texture
from shaderlab.spirv.passes.atomic_counting import instrument_atomic
from tests.integration.spirv.counted_draw import CountedDraw

SIZE = (40, 24)
HEADER = "#version 450\nlayout(location = 0) out vec4 colour;\n"


def draw_of(program, body=Body.FULL_SCREEN, inputs=None, **attachments) -> Draw:
    state = DrawState(inputs or Inputs(), Geometry(body), Attachments(SIZE, **attachments))
    return Draw(program, state)


def test_varyings_of_the_full_screen(device, compiled, picture) -> None:
    text = HEADER + (
        "layout(location = 3) in vec2 uv;\n"
        "layout(location = 5) in vec3 normal;\n"
        "layout(location = 7, component = 1) flat in int level;\n"
        "layout(location = 9) in Block { vec4 tint; } inside;\n"
        "layout(location = 1) in mat3 ignored;\n"
        "void main() { colour = vec4(uv, normal.z * 0.5, 1.0) + float(level) * inside.tint; }\n"
    ).replace("layout(location = 1) in mat3", "layout(location = 11) in mat3")
    pixels = picture(device, draw_of(compiled(text))).astype(int)
    across = (np.arange(SIZE[0]) + 0.5) / SIZE[0] * 255
    up = (np.arange(SIZE[1]) + 0.5) / SIZE[1] * 255
    assert np.abs(pixels[..., 0] - across).max() <= 1
    assert np.abs(pixels[..., 1] - up[:, np.newaxis]).max() <= 1
    assert np.abs(pixels[..., 2] - 128).max() <= 1


MESHES = {
    "plain": "colour = vec4(normal * 0.5 + 0.5, 1.0);",
    "a loop by the surface": """
        float sum = 0.0;
        for (int i = 0; i < int(uv.x * 9.0); i++) sum += texture(t, uv * float(i)).r;
        colour = vec4(sum / 9.0, normal.xy, 1.0);
    """,
    "discard": """
        if (texture(t, uv * 3.0).r < 0.5) discard;
        float wide = fwidth(uv.x);
        for (int i = 0; i < int(wide * 200.0) % 7; i++) wide += 0.1;
        colour = vec4(wide, uv, 1.0);
    """,
    "demotion": """
        if (fract(uv.x * 5.0) < 0.4) demote;
        colour = vec4(dFdx(uv.x) * 9.0, uv, 1.0);
        if (colour.r > 0.3) colour.g = dFdy(uv.y);
    """,
    "depth of its own": """
        gl_FragDepth = uv.x;
        if (uv.y > 0.5) colour = vec4(uv, 0.0, 1.0); else colour = vec4(normal, 1.0);
    """,
    "by sample": """
        colour = vec4(float(gl_SampleID) * 0.2);
        if (gl_SampleID == 2) colour.r = uv.x;
    """,
}


def shaded(body: str) -> str:
    return (
        "#version 450\n#extension GL_EXT_demote_to_helper_invocation : require\n"
        "layout(location = 0) out vec4 colour;\n"
        "layout(location = 0) in vec2 uv;\nlayout(location = 1) in vec3 normal;\n"
        "layout(set = 1, binding = 2) uniform sampler2D t;\n"
        f"void main() {{ {body} }}\n"
    )


NOISE = Inputs(
    textures=MappingProxyType({"t": Input(Texture(Pattern.CHECKER, Filter.NEAREST), Source.SET)})
)


@pytest.mark.parametrize("samples", [1, 4])
@pytest.mark.parametrize("body", [Body.FULL_SCREEN, Body.TORUS, Body.POT])
@pytest.mark.parametrize("name", MESHES)
def test_counts_on_meshes_equal_the_atomic_reference(
    device, compiled, picture, name, body, samples
) -> None:
    program = compiled(shaded(MESHES[name]))
    draw = draw_of(program, body, NOISE, samples=samples)
    counted = trace(device, draw)
    reference = instrument_atomic(
        program.module,
        program.entry_point,
        bits=64 if "shaderBufferInt64Atomics" in device.features else 32,
        early=is_tested_early(draw),
    )
    with CountedDraw(device, draw, reference) as atomic:
        expected, _ = atomic.draw()
        shown = atomic.picture()
    assert [block.count for block in counted.blocks] == expected.tolist()
    assert expected[0] > 100
    np.testing.assert_array_equal(shown, picture(device, draw))


def test_nearer_surfaces_hide_others_and_hidden_pixels_are_not_counted(device, compiled) -> None:
    """A sphere has two surfaces over each of its pixels; both run only where nothing hides."""
    text = (
        HEADER + "layout(location = 0) in vec3 normal;\nvoid main() { colour = vec4(normal, 1); }"
    )
    program = compiled(text)
    covered = int((picture_of(device, draw_of(program, Body.SPHERE))[..., 3] > 0).sum())
    early = trace(device, draw_of(program, Body.SPHERE)).blocks[0].count
    late = compiled(
        text.replace("vec4(normal, 1)", "vec4(normal, 1); gl_FragDepth = gl_FragCoord.z")
    )
    all_of_them = trace(device, draw_of(late, Body.SPHERE)).blocks[0].count
    assert covered > 0
    assert all_of_them > early


def picture_of(device, draw: Draw) -> np.ndarray:
    out = np.empty((draw.size[1], draw.size[0], 4), np.uint8)
    with Renderer(device, draw) as renderer:
        renderer.render(draw.inputs, out)
    return out


def test_the_camera_moves_without_another_pipeline(device, compiled) -> None:
    text = (
        HEADER + "layout(location = 0) in vec3 normal;\nvoid main() { colour = vec4(normal, 1); }"
    )
    near, far = Camera(distance=2.5), Camera(distance=9.0)
    draw = draw_of(compiled(text), Body.CUBE)
    out = np.empty((SIZE[1], SIZE[0], 4), np.uint8)
    covered = []
    with Renderer(device, draw) as renderer:
        for camera in (near, far, near):
            renderer.render(draw.inputs, out, camera)
            covered.append(int(out[..., :3].any(axis=2).sum()))
    assert covered[0] == covered[2] > covered[1] > 0


@pytest.mark.parametrize("colour", list(ColourFormat))
def test_formats_of_the_picture(device, compiled, picture, colour) -> None:
    text = HEADER + "void main() { colour = vec4(0.2, 3.0, -1.0, 0.4); }\n"
    pixels = picture(device, draw_of(compiled(text), colour=colour))
    dim = 124 if colour is ColourFormat.RGBA8_SRGB else 51  # 0.2, and as sRGB encodes it
    assert (pixels == (dim, 255, 0, 102)).all()


@pytest.mark.parametrize(
    ("blend", "expected"),
    [
        (Blend.OFF, (102, 0, 0, 128)),
        (Blend.ALPHA, (51, 0, 0, 255)),
        (Blend.ADD, (102, 0, 0, 255)),
        (Blend.PREMULTIPLIED, (102, 0, 0, 255)),
    ],
)
def test_blending_with_opaque_black(device, compiled, picture, blend, expected) -> None:
    text = HEADER + "void main() { colour = vec4(0.4, 0.0, 0.0, 128.0 / 255.0); }\n"
    pixels = picture(device, draw_of(compiled(text), blend=blend)).astype(int)
    assert np.abs(pixels - expected).max() <= 1


def test_several_samples_smooth_edges(device, compiled, picture) -> None:
    text = HEADER + "layout(location = 0) in vec4 tint;\nvoid main() { colour = vec4(1.0); }"
    shades = [
        len(np.unique(picture(device, draw_of(compiled(text), Body.SPHERE, samples=n))[..., 0]))
        for n in (1, 4)
    ]
    assert shades[0] == 2 < shades[1]


def test_samples_a_device_lacks_are_refused(device, compiled) -> None:
    program = compiled(HEADER + "void main() { colour = vec4(1.0); }")
    with pytest.raises(WrongUse, match=r"64 samples per pixel: .* offers 1, "):
        Renderer(device, draw_of(program, samples=64))


def test_faces_have_a_front(device, compiled, picture) -> None:
    text = HEADER + (
        "layout(location = 0) in vec3 normal;\n"
        "void main() { colour = gl_FrontFacing ? vec4(0, normal.x * 0.0 + 1, 0, 1) : vec4(1); }"
    )
    pixels = picture(device, draw_of(compiled(text), Body.CUBE))
    is_covered = pixels[..., 1] > 0
    assert is_covered.any()
    assert (pixels[is_covered] == (0, 255, 0, 255)).all()


def test_distances_nobody_writes_are_refused(device, compiled) -> None:
    text = (
        HEADER + "in float gl_ClipDistance[1];\nvoid main() { colour = vec4(gl_ClipDistance[0]); }"
    )
    with pytest.raises(UnsupportedShader, match="ClipDistance"):
        Renderer(device, draw_of(compiled(text)))
