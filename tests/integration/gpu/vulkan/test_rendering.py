from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest

from shaderlab.errors import UnsupportedShader, WrongUse
from shaderlab.frontend import tools
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.drawing import Drawing
from shaderlab.gpu.vulkan.memory import HostBuffer
from shaderlab.gpu.vulkan.rendering import Renderer
from shaderlab.scene.draw import Draw
from shaderlab.scene.inputs import Inputs
from shaderlab.scene.uniforms import Uniforms
from shaderlab.spirv.grammar import Op
from shaderlab.spirv.module import Module

SIZE = (40, 24)

COORDINATES = """
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    fragColor = vec4(floor(fragCoord) / 255.0, 0.0, 1.0);
}
"""

UNIFORMS = """
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    float value = 0.0;
    int row = int(fragCoord.y);
    if (row == 0) value = iResolution.x;
    if (row == 1) value = iResolution.y;
    if (row == 2) value = iResolution.z;
    if (row == 3) value = iTime;
    if (row == 4) value = iMouse.x;
    if (row == 5) value = iMouse.w;
    if (row == 6) value = iDate.z;
    if (row == 7) value = float(iFrame);
    if (row == 8) value = iTimeDelta;
    if (row == 9) value = iFrameRate;
    fragColor = vec4(value / 255.0, 0.0, 0.0, 1.0);
}
"""

HEADER = "#version 450\nlayout(location = 0) out vec4 colour;\n"


def test_row_0_is_the_smallest_frag_coord(device, compiled, picture):
    pixels = picture(device, Draw.of(compiled(COORDINATES), SIZE))
    columns, rows = np.meshgrid(np.arange(SIZE[0]), np.arange(SIZE[1]))
    np.testing.assert_array_equal(pixels[..., 0], columns)
    np.testing.assert_array_equal(pixels[..., 1], rows)
    np.testing.assert_array_equal(pixels[..., 3], 255)


@pytest.mark.parametrize("size", [(1, 1), (3, 1), (1, 5), (257, 3)])
def test_sizes_without_alignment(device, compiled, picture, size):
    pixels = picture(device, Draw.of(compiled(COORDINATES), size))
    assert pixels.shape == (size[1], size[0], 4)
    assert pixels[-1, -1].tolist() == [min(size[0] - 1, 255), size[1] - 1, 0, 255]


def test_uniforms_reach_the_shader(device, compiled, picture):
    uniforms = Uniforms(
        time_s=11.0,
        frame=12,
        time_delta_s=13.0,
        frame_rate=14.0,
        mouse=(15.0, 0.0, 0.0, 16.0),
        date=(0.0, 0.0, 17.0, 0.0),
    )
    pixels = picture(device, Draw.of(compiled(UNIFORMS), SIZE, uniforms))
    assert pixels[:10, 0, 0].tolist() == [40, 24, 0, 11, 15, 16, 17, 12, 13, 14]


def test_one_renderer_draws_many_frames(device, compiled):
    out = np.empty((SIZE[1], SIZE[0], 4), np.uint8)
    with Renderer(device, Draw.of(compiled(UNIFORMS), SIZE)) as renderer:
        made = +device.live
        seen = []
        for time_s in (1.0, 2.0, 3.0):
            seconds = renderer.render(Inputs.at(Uniforms(time_s=time_s)), out)
            assert seconds > 0
            seen.append(int(out[3, 0, 0]))
        assert seen == [1, 2, 3]
        assert +device.live == made
        assert renderer.pipeline_s > 0


def test_out_of_another_shape_is_refused(llvmpipe, compiled):
    with (
        Renderer(llvmpipe, Draw.of(compiled(COORDINATES), SIZE)) as renderer,
        pytest.raises(ValueError, match="out is"),
    ):
        renderer.render(Inputs.at(), np.empty((SIZE[0], SIZE[1], 4), np.uint8))


def test_discarded_pixels_are_opaque_black(device, compiled, picture):
    body = "void mainImage(out vec4 c, in vec2 p) { if (p.x < 8.0) discard; c = vec4(1.0); }"
    pixels = picture(device, Draw.of(compiled(body), SIZE))
    assert (pixels[:, :8] == (0, 0, 0, 255)).all()
    assert (pixels[:, 8:] == 255).all()


def test_empty_channels_are_black_in_2d_and_cube(device, compiled, picture):
    text = HEADER + (
        "layout(binding = 1) uniform sampler2D iChannel0;\n"
        "layout(binding = 3) uniform samplerCube iChannel2;\n"
        "void main() {\n"
        "  colour = texture(iChannel0, gl_FragCoord.xy);\n"
        "  colour += texture(iChannel2, vec3(1.0, 0.2, 0.1));\n"
        "  colour.g += 0.5 * float(textureSize(iChannel0, 0).x);\n"
        "}\n"
    )
    pixels = picture(device, Draw.of(compiled(text), SIZE))
    assert (pixels[..., (0, 2)] == 0).all()
    assert (abs(pixels[..., 1].astype(int) - 128) <= 1).all()


def test_several_outputs_with_a_gap_and_integers(device, compiled, picture):
    text = HEADER + (
        "layout(location = 2) out ivec4 whole;\n"
        "layout(location = 3) out uint natural;\n"
        "void main() { colour = vec4(0.2, 0.4, 0.6, 0.8); whole = ivec4(-1); natural = 7u; }\n"
    )
    pixels = picture(device, Draw.of(compiled(text), SIZE))
    assert (pixels == (51, 102, 153, 204)).all()


def test_quick_pipelines_draw_the_canonical_picture(device, compiled):
    text = HEADER + (
        "void main() {\n"
        "  float x = gl_FragCoord.x;\n"
        "  colour = vec4(x / 40.0, 2.0 - x / 10.0, sqrt(20.0 - x), fract(x * 0.37));\n"
        "}\n"
    )
    pictures = []
    for quick in (False, True):
        with ExitStack() as stack:
            drawing = Drawing(device, Draw.of(compiled(text), SIZE), stack, quick=quick)
            usage = vk.VK_BUFFER_USAGE_TRANSFER_DST_BIT
            buffer = HostBuffer(device, SIZE[0] * SIZE[1] * 4, usage, stack)

            def draw(commands, drawing=drawing, buffer=buffer) -> None:
                drawing.record(commands)
                drawing.target.copy_to(commands, buffer.handle)

            device.run_once(draw)
            buffer.invalidate()
            pictures.append(buffer.bytes.copy())
    np.testing.assert_array_equal(*pictures)
    assert len(np.unique(pictures[0])) > 50


def test_a_shader_without_colour_shows_black(device, compiled, picture):
    text = "#version 450\nvoid main() { gl_FragDepth = 0.5; }\n"
    assert (picture(device, Draw.of(compiled(text), SIZE)) == (0, 0, 0, 255)).all()


@pytest.mark.parametrize(
    ("kind", "value"), [("ivec4", "-7, 300, 5, 255"), ("uvec4", "0, 300, 5, 255")]
)
def test_an_integer_picture_is_shown_clamped(device, compiled, picture, kind, value):
    text = (
        f"#version 450\nlayout(location = 0) out {kind} c;\n"
        f"void main() {{ c = {kind}({value}); }}\n"
    )
    assert (picture(device, Draw.of(compiled(text), SIZE)) == (0, 255, 5, 255)).all()


def test_more_outputs_than_attachments_are_refused(llvmpipe, compiled):
    text = (
        HEADER + "layout(location = 20) out vec4 far;\nvoid main() { colour = far = vec4(1.0); }\n"
    )
    with pytest.raises(UnsupportedShader, match="location 20"):
        Renderer(llvmpipe, Draw.of(compiled(text), SIZE))


def test_a_capability_the_device_lacks_is_refused(open_device, compiled):
    text = HEADER + "void main() { colour = vec4(float(int64_t(gl_FragCoord.x))); }\n"
    text = text.replace(
        "450\n", "450\n#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require\n"
    )
    Renderer(open_device("llvmpipe"), Draw.of(compiled(text), SIZE)).close()
    with pytest.raises(UnsupportedShader, match="Int64"):
        Renderer(open_device("swiftshader"), Draw.of(compiled(text), SIZE))


@pytest.mark.parametrize("size", [(0, 10), (10, 0), (-1, 5), (1 << 20, 4), (4, 1 << 20)])
def test_sizes_beyond_the_device_are_refused(device, compiled, size):
    with pytest.raises(WrongUse, match=f"size {size[0]}x{size[1]} is not between 1x1 and"):
        Renderer(device, Draw.of(compiled(COORDINATES), size))


def test_nothing_is_left_behind_by_fifty_renderers(device, compiled):
    program = compiled(COORDINATES)
    out = np.empty((SIZE[1], SIZE[0], 4), np.uint8)

    def cycle() -> None:
        with Renderer(device, Draw.of(program, SIZE)) as renderer:
            renderer.render(Inputs.at(), out)

    cycle()
    live = +device.live
    for _ in range(10):
        cycle()
    before = _resident_bytes()
    for _ in range(50):
        cycle()
    assert +device.live == live
    assert _resident_bytes() - before < 8 << 20  # one leaked pipeline alone holds 100 KiB


SHADERS = (
    "quad.vert", "constant.frag", "loops.frag", "fill_depth.frag", "fill_stencil.frag",
    *(f"{what}_{kind}.frag" for what in ("fill", "read") for kind in ("float", "int", "uint")),
)  # fmt: skip


def _resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.parametrize("name", SHADERS)
def test_committed_shaders_are_what_their_source_compiles_to(resources_gpu, tmp_path, name):
    source, built = str(resources_gpu / name), tmp_path / "built.spv"
    command = ["glslangValidator", "-V", "--target-env", "vulkan1.0", source, "-o", str(built)]
    assert tools.run(command).returncode == 0
    assert _instructions(built) == _instructions(resources_gpu / f"{name}.spv")


def _instructions(spirv: Path) -> tuple[list[tuple[int, ...]], set[tuple[int, ...]]]:
    """What is no decoration, and the decorations: compilers differ in their order."""
    module = Module.parse(spirv.read_bytes())
    decorations = {i.words for i in module if i.opcode in (Op.Decorate, Op.MemberDecorate)}
    return [i.words for i in module if i.words not in decorations], decorations
