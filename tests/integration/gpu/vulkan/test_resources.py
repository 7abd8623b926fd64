"""Every kind of resource a fragment shader can declare, bound with what was given for it."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
import pytest
from PIL import Image as Pillow

from shaderlab.errors import UnsupportedShader
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.mip_levels import can_make_levels
from shaderlab.gpu.vulkan.rendering import Renderer
from shaderlab.gpu.vulkan.tracing import trace
from shaderlab.scene.draw import Attachments, Draw, DrawState
from shaderlab.scene.inputs import Input, Inputs, Source
from shaderlab.scene.textures import Filter, ImageFile, Pattern, Texture
from shaderlab.scene.uniforms import Uniforms
from shaderlab.spirv.value_types import Component, Dimension, Image
from shaderlab.textures.sources import pixels

SIZE = (40, 24)
HEADER = "#version 450\nlayout(location = 0) out vec4 colour;\n"


def given(values=None, textures=None) -> Inputs:
    return Inputs(
        values=MappingProxyType({n: Input(v, Source.SET) for n, v in (values or {}).items()}),
        textures=MappingProxyType({n: Input(t, Source.SET) for n, t in (textures or {}).items()}),
    )


def drawn(device, compiled, picture, declarations: str, body: str, inputs: Inputs) -> np.ndarray:
    program = compiled(f"{HEADER}{declarations}\nvoid main() {{ {body} }}\n")
    draw = Draw(program, DrawState(inputs, attachments=Attachments(SIZE)))
    pixels = picture(device, draw)
    counted = trace(device, draw)
    assert counted.blocks[0].count == SIZE[0] * SIZE[1]
    return pixels


WHITE, BLACK = Texture(Pattern.WHITE), Texture(Pattern.BLACK)
TEXTURES = {
    "2D": ("uniform sampler2D t;", "colour = texture(t, vec2(0.3));"),
    "2D elsewhere": (
        "layout(set = 2, binding = 9) uniform sampler2D t;",
        "colour = texture(t, vec2(0.3));",
    ),
    "1D": ("uniform sampler1D t;", "colour = texture(t, 0.3);"),
    "3D": ("uniform sampler3D t;", "colour = texture(t, vec3(0.3));"),
    "cube": ("uniform samplerCube t;", "colour = texture(t, vec3(0.3, 1.0, 0.1));"),
    "2D array": ("uniform sampler2DArray t;", "colour = texture(t, vec3(0.3));"),
    "1D array": ("uniform sampler1DArray t;", "colour = texture(t, vec2(0.3));"),
    "cube array": ("uniform samplerCubeArray t;", "colour = texture(t, vec4(0.3, 1, 0.1, 0));"),
    "multisampled": ("uniform sampler2DMS t;", "colour = texelFetch(t, ivec2(0), 1);"),
    "integers": ("uniform isampler2D t;", "colour = vec4(texture(t, vec2(0.3))) / 255.0;"),
    "naturals": ("uniform usampler2D t;", "colour = vec4(texture(t, vec2(0.3))) / 255.0;"),
    "shadow": (
        "uniform sampler2DShadow t;",
        "colour = vec4(texture(t, vec3(0.3, 0.3, 0.5)));",
    ),
    "cube shadow": (
        "uniform samplerCubeShadow t;",
        "colour = vec4(texture(t, vec4(0.3, 1.0, 0.3, 0.5)));",
    ),
    "array shadow": (
        "uniform sampler2DArrayShadow t;",
        "colour = vec4(texture(t, vec4(0.3, 0.3, 0.0, 0.5)));",
    ),
    "apart": (
        "layout(binding = 1) uniform texture2D t; layout(binding = 2) uniform sampler s;",
        "colour = texture(sampler2D(t, s), vec2(0.3));",
    ),
    "apart and compared": (
        "layout(binding = 1) uniform texture2D t; layout(binding = 2) uniform samplerShadow s;",
        "colour = vec4(texture(sampler2DShadow(t, s), vec3(0.3, 0.3, 0.5)));",
    ),
    "at the same place": (
        "layout(binding = 1) uniform texture2D t; layout(binding = 1) uniform sampler s;",
        "colour = texture(sampler2D(t, s), vec2(0.3));",
    ),
    "four of them": (
        "layout(binding = 1) uniform sampler2D t[4];",
        "colour = texture(t[0], vec2(0.3)) * texture(t[3], vec2(0.3));",
    ),
    "texels": ("uniform samplerBuffer t;", "colour = texelFetch(t, 0);"),
    "integer texels": ("uniform isamplerBuffer t;", "colour = vec4(texelFetch(t, 0)) / 255.0;"),
    "stored texels": (
        "layout(binding = 3, rgba16f) uniform imageBuffer t;",
        "colour = imageLoad(t, 0);",
    ),
    "image": (
        "layout(binding = 3, rgba8) readonly uniform image2D t;",
        "colour = imageLoad(t, ivec2(0));",
    ),
    "float image": (
        "layout(binding = 3, rgba32f) uniform image3D t;",
        "colour = imageLoad(t, ivec3(0));",
    ),
    "natural image": (
        "layout(binding = 3, rgba8ui) uniform uimage2D t;",
        "colour = vec4(imageLoad(t, ivec2(0))) / 255.0;",
    ),
    "attachment": (
        "layout(binding = 3, input_attachment_index = 1) uniform subpassInput t;",
        "colour = subpassLoad(t);",
    ),
    "attachment of several samples": (
        "layout(binding = 3, input_attachment_index = 0) uniform subpassInputMS t;",
        "colour = subpassLoad(t, 3);",
    ),
}


@pytest.mark.parametrize("kind", TEXTURES)
def test_a_texture_shows_what_is_given_for_it(device, compiled, picture, kind) -> None:
    declaration, body = TEXTURES[kind]
    if "binding" not in declaration:
        declaration = f"layout(binding = 1) {declaration}"
    for texture, expected in ((WHITE, 255), (BLACK, 0)):
        inputs = given(textures={"t": texture})
        pixels = drawn(device, compiled, picture, declaration, body, inputs)
        assert (pixels[..., :3] == expected).all(), texture


def test_what_nothing_can_be_bound_for_is_named(device, compiled, picture) -> None:
    declaration = (
        "#extension GL_EXT_buffer_reference : require\n"
        "layout(buffer_reference) buffer Node { vec4 tint; };"
        "layout(binding = 1) uniform Block { Node node; };"
    )
    with pytest.raises(UnsupportedShader, match="reads buffers by their addresses") as refused:
        drawn(device, compiled, picture, declaration, "colour = node.tint;", given())
    assert "predict --static" in refused.value.remedy


def test_a_gradient_is_filtered_or_not(device, compiled, picture) -> None:
    declaration = "layout(binding = 1) uniform sampler2D t;"
    body = "colour = texture(t, gl_FragCoord.xy / 256.0 + 0.1);"
    steps = {}
    for kind in (Filter.NEAREST, Filter.LINEAR, Filter.MIPMAP):
        inputs = given(textures={"t": Texture(Pattern.CHECKER, kind)})
        pixels = drawn(device, compiled, picture, declaration, body, inputs)
        steps[kind] = len(np.unique(pixels[..., 0]))
    assert steps[Filter.NEAREST] <= 2 < steps[Filter.LINEAR]


def test_a_texture_has_all_its_levels_unless_a_filter_was_chosen(device, compiled, picture) -> None:
    declaration = "layout(binding = 1) uniform sampler2D t;"
    body = """
    int levels = textureQueryLevels(t);
    colour = vec4(levels, min(textureSize(t, min(2, levels - 1)).x, 255), 0, 255) / 255.0;
    colour.b = textureLod(t, vec2(0.3), 99.0) == texelFetch(t, ivec2(0), levels - 1) ? 1.0 : 0.0;
    """
    default = drawn(device, compiled, picture, declaration, body, given())
    assert (default[..., :3] == (9, 64, 255)).all()
    linear = given(textures={"t": Texture(Pattern.NOISE, Filter.LINEAR)})
    pixels = drawn(device, compiled, picture, declaration, body, linear)
    assert (pixels[..., :3] == (1, 255, 0)).all()


SHAPES = {
    "2D": ("sampler2D", "ivec2(at, 0)", Dimension.D2, False),
    "3D": ("sampler3D", "ivec3(at, 0, 0)", Dimension.D3, False),
    "2D array": ("sampler2DArray", "ivec3(at, 0, 1)", Dimension.D2, True),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("pattern", [Pattern.NOISE, Pattern.GRADIENT])
def test_levels_are_means(device, compiled, picture, shape, pattern) -> None:
    kind, place, dimension, arrayed = SHAPES[shape]
    texture = Texture(pattern, Filter.MIPMAP)
    declared = Image(Component.FLOAT, 32, dimension, False, arrayed, False, True)
    levels = [each[1 if arrayed else 0, 0, 0] for each in pixels(texture, declared).levels]
    found = first_rows(device, compiled, picture, texture, kind, place)
    compare_rows(found, levels)


def test_levels_made_on_the_device_are_means_of_decoded_values(
    device, compiled, picture, tmp_path
) -> None:
    codes = np.random.default_rng(7).integers(0, 256, (64, 64, 4), np.uint8)
    Pillow.fromarray(codes).save(tmp_path / "noise.png")
    texture = Texture(ImageFile(tmp_path / "noise.png", (1, 1), srgb=True), Filter.MIPMAP)
    assert can_make_levels(device, vk.VK_FORMAT_R8G8B8A8_SRGB)
    means = codes.astype(float) / 255
    means[..., :3] = np.where(
        means[..., :3] <= 0.04045, means[..., :3] / 12.92, ((means[..., :3] + 0.055) / 1.055) ** 2.4
    )
    levels = [means[0] * 255]
    while len(means) > 1:
        means = means.reshape(len(means) // 2, 2, -1, 2, 4).mean(axis=(1, 3))
        levels.append(means[0] * 255)
    found = first_rows(device, compiled, picture, texture, *SHAPES["2D"][:2])
    compare_rows(found, levels)


def first_rows(device, compiled, picture, texture: Texture, kind: str, place: str) -> np.ndarray:
    """A picture whose row n begins as row 0 of level n does."""
    body = f"""
    int level = int(gl_FragCoord.y), at = int(gl_FragCoord.x);
    colour = vec4(0.0);
    if (level < textureQueryLevels(t) && at < textureSize(t, level).x)
        colour = texelFetch(t, {place}, level);
    """
    declaration = f"layout(binding = 1) uniform {kind} t;"
    return drawn(device, compiled, picture, declaration, body, given(textures={"t": texture}))


def compare_rows(found: np.ndarray, levels: list[np.ndarray]) -> None:
    assert len(levels) > 5
    for row, expected in zip(found, levels, strict=False):
        texels = expected[: SIZE[0]].astype(float)
        assert np.abs(row[: len(texels)] - texels).max() <= 2


def test_blocks_hold_what_is_given_by_the_members_names(device, compiled, picture) -> None:
    declaration = """
    layout(set = 1, binding = 3) uniform Light { mat3 turn; vec2 few[3]; int steps; } light;
    layout(set = 1, binding = 4) uniform Loose { bool on; uint bits; };
    layout(set = 0, binding = 7) buffer Store { float first; float rest[]; } store;
    layout(push_constant) uniform Pushed { layout(offset = 16) vec4 tint; float more; } pushed;
    layout(constant_id = 4) const float scale = 0.0;
    layout(constant_id = 5) const bool flip = false;
    layout(constant_id = 6) const int number = 9;
    """
    body = """
    colour.r = light.turn[1][2] + light.few[2].y;
    colour.g = float(light.steps) / 255.0 + (on ? float(bits) / 255.0 : 1.0);
    colour.b = store.first + store.rest[3];
    colour.a = pushed.tint.w + pushed.more + scale + (flip ? 0.0 : 1.0) + float(number) / 255.0;
    """
    inputs = given(
        {
            "light.turn": (0, 0, 0, 0, 0, 0.2, 0, 0, 0),
            "light.few": (0, 0, 0, 0, 0, 0.4),
            "light.steps": (51,),
            "on": (1,),
            "bits": (102,),
            "store.first": (0.2,),
            "store.rest": (0, 0, 0, 0.2),
            "pushed.tint": (0, 0, 0, 0.2),
            "pushed.more": (0.2,),
            "scale": (0.2,),
            "flip": (1,),
            "number": (51,),
        }
    )
    pixels = drawn(device, compiled, picture, declaration, body, inputs)
    assert np.abs(pixels.astype(int) - (153, 153, 102, 204)).max() <= 1


def test_push_constants_follow_from_frame_to_frame(device, compiled) -> None:
    text = HEADER + (
        "layout(push_constant) uniform P { float iTime; } pushed;\n"
        "void main() { colour = vec4(pushed.iTime / 255.0); }\n"
    )
    out = np.empty((SIZE[1], SIZE[0], 4), np.uint8)
    seen = []
    with Renderer(device, Draw.of(compiled(text), SIZE)) as renderer:
        for time_s in (3.0, 3.0, 7.0):
            renderer.render(Inputs.at(Uniforms(time_s=time_s)), out)
            seen.append(int(out[3, 3, 0]))
    assert seen == [3, 3, 7]


def test_an_image_that_nobody_gave_is_as_large_as_the_picture(device, compiled, picture) -> None:
    declaration = "layout(binding = 1, rgba8) uniform image2D t;"
    body = """
    ivec2 at = ivec2(gl_FragCoord.xy);
    imageStore(t, at, vec4(0.4));
    colour = imageLoad(t, at) * float(imageSize(t) == ivec2(40, 24));
    """
    assert (drawn(device, compiled, picture, declaration, body, given()) == 102).all()


def test_two_variables_may_share_a_descriptor(device, compiled, picture) -> None:
    declaration = """
    layout(binding = 1) uniform sampler2D a;
    layout(binding = 1) uniform sampler2D b;
    """
    body = "colour = texture(a, vec2(0.3)) * texture(b, vec2(0.3));"
    inputs = given(textures={"a": WHITE, "b": WHITE})
    assert (drawn(device, compiled, picture, declaration, body, inputs) == 255).all()


@pytest.mark.parametrize(
    ("declaration", "body", "complaint"),
    [
        (
            "layout(binding = 0) uniform Big { vec4 v[9000]; };",
            "colour = v[7];",
            "144,000 bytes, but",
        ),
        (
            "layout(push_constant) uniform Big { vec4 v[90]; } big;",
            "colour = big.v[7];",
            "1440 bytes of push constants",
        ),
        (
            "layout(set = 20, binding = 0) uniform sampler2D t;",
            "colour = texture(t, vec2(0));",
            r"t \(set 20, binding 0\)",
        ),
        (
            "layout(binding = 0) uniform A { float a; };\nlayout(binding = 0) uniform sampler2D t;",
            "colour = texture(t, vec2(a));",
            "set 0, binding 0 is declared with two types",
        ),
    ],
)
def test_what_a_device_cannot_bind_is_refused(
    device, compiled, declaration, body, complaint
) -> None:
    program = compiled(f"{HEADER}{declaration}\nvoid main() {{ {body} }}\n")
    before = +device.live
    with pytest.raises(UnsupportedShader, match=complaint):
        Renderer(device, Draw.of(program, SIZE))
    assert +device.live == before


def test_more_textures_than_a_device_binds_are_refused(device, compiled) -> None:
    limit = int(device.limits.maxPerStageDescriptorSampledImages)
    if limit > 4096:
        pytest.skip("this driver binds more textures than a text can ask for")
    text = f"layout(binding = 0) uniform sampler2D t[{limit + 1}];"
    program = compiled(f"{HEADER}{text}\nvoid main() {{ colour = texture(t[3], vec2(0)); }}\n")
    with pytest.raises(UnsupportedShader, match=f"{limit + 1} textures, but"):
        Renderer(device, Draw.of(program, SIZE))


def test_all_that_is_missing_is_named_at_once(open_device, compiled) -> None:
    text = """#version 450
    #extension GL_EXT_shader_explicit_arithmetic_types : require
    layout(location = 0) out vec4 colour;
    layout(set = 20, binding = 0) uniform sampler2D t;
    void main() {
        colour = texture(t, vec2(0)) * float(int64_t(gl_FragCoord.x)) * float(double(colour.x));
    }
    """
    with pytest.raises(UnsupportedShader, match=r"Float64 and Int64|Int64 and Float64") as caught:
        Renderer(open_device("swiftshader"), Draw.of(compiled(text), SIZE))
    assert "set 20" in str(caught.value)
