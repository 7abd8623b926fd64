"""Frames of several passes: pictures handed on, feedback, and each pass counted by itself."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
import pytest

from shaderlab.errors import WrongUse
from shaderlab.frontend.compiler import compile_text
from shaderlab.gpu.vulkan.frame_rendering import (
    FrameRenderer,
    profile_frame,
    profile_pass,
    trace_pass,
)
from shaderlab.scene.draw import Attachments, ColourFormat, Draw, DrawState, Frame, Pass
from shaderlab.scene.inputs import Input, Inputs, Source
from shaderlab.scene.textures import Filter, PassPicture, Texture
from shaderlab.scene.uniforms import Uniforms
from shaderlab.spirv.heat import HeatKind, HeatView

SIZE = (40, 24)
FLOATS = ColourFormat.RGBA32F


def a_pass(name, text, frame=1, reads=None, size=SIZE, colour=FLOATS, how=Filter.NEAREST) -> Pass:
    textures = {
        channel: Input(Texture(PassPicture(other), how), Source.SET)
        for channel, other in (reads or {}).items()
    }
    inputs = Inputs(
        Input(Uniforms(frame=frame, time_s=frame / 60), Source.SET),
        textures=MappingProxyType(textures),
    )
    state = DrawState(inputs, attachments=Attachments(size, colour))
    return Pass(name, Draw(compile_text(text, name, None), state))


COUNTS_FRAMES = """void mainImage(out vec4 c, in vec2 p) {
    float before = texelFetch(iChannel0, ivec2(p), 0).r;
    c = vec4(before + 1.0);
}"""
SHOWS = """void mainImage(out vec4 c, in vec2 p) {
    c = vec4(texelFetch(iChannel1, ivec2(p), 0).rgb / 255.0, 1.0);
}"""


def feedback(frame: int) -> Frame:
    shown = a_pass("Image", SHOWS, frame, {"iChannel1": "Buffer A"}, colour=ColourFormat.RGBA8)
    return Frame((a_pass("Buffer A", COUNTS_FRAMES, frame, {"iChannel0": "Buffer A"}), shown))


def rendered(renderer, frame: Frame) -> np.ndarray:
    out = np.empty((frame.shown.size[1], frame.shown.size[0], 4), np.uint8)
    renderer.render(frame, out)
    return out


def test_a_pass_that_reads_itself_reads_the_frame_before(device) -> None:
    with FrameRenderer(device, feedback(0)) as renderer:
        seen = [int(rendered(renderer, feedback(n))[3, 3, 0]) for n in (0, 1, 2, 3)]
        assert seen == [1, 2, 3, 4]
        assert int(rendered(renderer, feedback(0))[3, 3, 0]) == 1


def test_a_pass_reads_earlier_ones_of_this_frame_and_later_ones_of_the_last(device) -> None:
    number = "void mainImage(out vec4 c, in vec2 p) { c = vec4(float(iFrame)); }"
    both = """void mainImage(out vec4 c, in vec2 p) {
        float early = texelFetch(iChannel0, ivec2(p), 0).r;
        float late = texelFetch(iChannel2, ivec2(p), 0).r;
        c = vec4(early / 255.0, late / 255.0, 0.0, 1.0);
    }"""

    def frame(n: int) -> Frame:
        return Frame(
            (
                a_pass("early", number, n),
                a_pass("both", both, n, {"iChannel0": "early", "iChannel2": "late"}),
                a_pass("late", number, n),
                a_pass("Image", SHOWS.replace("/ 255.0", ""), n, {"iChannel1": "both"}),
            )
        )

    with FrameRenderer(device, frame(5)) as renderer:
        rendered(renderer, frame(5))
        assert tuple(rendered(renderer, frame(6))[2, 2, :2]) == (6, 5)


def test_mip_levels_of_a_picture_are_its_means(device) -> None:
    stripes = "void mainImage(out vec4 c, in vec2 p) { c = vec4(mod(floor(p.x), 2.0)); }"
    mean = "void mainImage(out vec4 c, in vec2 p) { c = textureLod(iChannel1, p / 64.0, 2.0); }"
    size = (64, 32)
    frame = Frame(
        (
            a_pass("Buffer A", stripes, size=size),
            a_pass("Image", mean, reads={"iChannel1": "Buffer A"}, size=size, how=Filter.MIPMAP),
        )
    )
    with FrameRenderer(device, frame) as renderer:
        assert np.abs(rendered(renderer, frame)[..., 0].astype(int) - 128).max() <= 1


def test_a_cube_map_is_drawn_face_by_face(device) -> None:
    cube = """void mainCubemap(out vec4 c, in vec2 p, in vec3 from, in vec3 to) {
        c = vec4(to * 0.5 + 0.5, 1.0);
    }"""
    shows = """#version 450
    layout(location = 0) out vec4 colour;
    layout(binding = 1) uniform samplerCube sky;
    void main() {
        vec3 to = normalize(vec3(gl_FragCoord.xy - 12.0, 9.0));
        colour = vec4(abs(texture(sky, to).rgb - (to * 0.5 + 0.5)) * 9.0, 1.0);
    }"""
    frame = Frame(
        (
            a_pass("Cube A", cube, size=(64, 48)),
            a_pass("Image", shows, reads={"sky": "Cube A"}, how=Filter.LINEAR),
        )
    )
    with FrameRenderer(device, frame) as renderer:
        assert rendered(renderer, frame)[..., :3].max() < 60
    counted = trace_pass(device, frame, "Cube A")
    assert counted.blocks[0].count == 6 * 48 * 48


def test_the_picture_of_any_pass_is_shown_and_the_simulation_goes_on(device) -> None:
    out = np.empty((SIZE[1], SIZE[0], 4), np.uint8)
    with FrameRenderer(device, feedback(0)) as renderer:
        rendered(renderer, feedback(0))
        renderer.render(feedback(1), out, "Buffer A")
        assert out.min() == 255, "2.0 is shown as white"
        assert int(rendered(renderer, feedback(2))[3, 3, 0]) == 3


HALF = """void mainImage(out vec4 c, in vec2 p) {
    int rounds = p.x < 16.0 ? int(texelFetch(iChannel0, ivec2(p), 0).r) : 0;
    c = vec4(float(iFrame));
    for (int i = 0; i < rounds; i++)
        c.a += 1.0;
}"""
"""Left of 16 as many rounds as the frame before had a number."""


@pytest.mark.parametrize("kind", [HeatKind.INSTRUCTIONS, HeatKind.LANES])
def test_a_heat_map_is_of_the_pass_shown_with_what_it_reads(device, kind) -> None:
    def frame(n: int) -> Frame:
        shown = a_pass("Image", SHOWS, n, {"iChannel1": "Buffer A"}, colour=ColourFormat.RGBA8)
        return Frame((a_pass("Buffer A", HALF, n, {"iChannel0": "Buffer A"}), shown))

    view = HeatView(kind)
    out, seen = np.empty((SIZE[1], SIZE[0], 4), np.uint8), []
    with FrameRenderer(device, frame(0)) as renderer:
        for n in range(4):
            values = np.empty((SIZE[1], SIZE[0]), view.dtype)
            made_s = renderer.render_heat(frame(n), "Buffer A", view, out, values)
            assert (made_s > 0) is (n == 0), "the counting program is kept"
            seen.append(values)
        assert out.min() == 255, "the picture is the buffer's"
        values = np.empty((SIZE[1], SIZE[0]), view.dtype)
        renderer.render_heat(frame(4), "Image", view, out, values)
        assert int(out[3, 3, 0]) == 4, "the buffer was drawn once per frame"
        assert np.ptp(values) == 0, "all pixels of the image cost the same"
    if kind is HeatKind.LANES:
        assert all(np.all(each == 1) for each in seen), "groups are 8 wide: none diverges"
        return
    left, right = [each[5, 3] for each in seen], [each[5, 30] for each in seen]
    assert len(set(right[1:])) == 1
    steps = np.diff([int(each) for each in left])
    assert steps[1] == steps[2] > 0, "one more round in each frame after the second"


def test_all_faces_of_a_cube_map_are_shown_and_counted(device) -> None:
    cube = """void mainCubemap(out vec4 c, in vec2 p, in vec3 from, in vec3 to) {
        c = vec4(0.0);
        if (to.x > abs(to.y) && to.x > abs(to.z)) c = vec4(1.0, 0.0, 0.0, 1.0);
        if (-to.z > abs(to.y) && -to.z > abs(to.x)) c = vec4(0.0, 0.0, 1.0, 1.0);
    }"""
    frame = Frame((a_pass("Cube A", cube, size=(64, 16)), a_pass("Image", SHOWS)))
    width, height = frame.named("Cube A").picture_size
    assert (width, height) == (48, 32)
    out = np.empty((height, width, 4), np.uint8)
    with FrameRenderer(device, frame) as renderer:
        renderer.render(frame, out, "Cube A")
        plus_x, minus_z = out[16:, :16], out[:16, 32:]
        assert plus_x[4, 4].tolist() == [255, 0, 0, 255]
        assert minus_z[4, 4].tolist() == [0, 0, 255, 255]
        assert not out[:16, :32].any()
        plain = out.copy()
        values = np.empty((height, width), np.uint32)
        view = HeatView(HeatKind.INSTRUCTIONS)
        renderer.render_heat(frame, "Cube A", view, out, values)
    assert np.array_equal(out, plain)
    assert values.min() > 0


def test_a_pass_is_counted_with_what_it_reads(device) -> None:
    """Loops as often as the buffer has counted frames: 3 at frame 2."""
    loops = """void mainImage(out vec4 c, in vec2 p) {
        int rounds = int(texelFetch(iChannel1, ivec2(p), 0).r);
        c = vec4(0.0);
        for (int i = 0; i < rounds; i++)
            c += 0.1;
    }"""
    frame = Frame(
        (
            a_pass("Buffer A", COUNTS_FRAMES, 2, {"iChannel0": "Buffer A"}),
            a_pass("Image", loops, 2, {"iChannel1": "Buffer A"}),
        )
    )
    counted = trace_pass(device, frame, "Image")
    pixels = SIZE[0] * SIZE[1]
    by_line = {at.line: count for at, count in counted.line_counts.items()}
    assert by_line[5] == 3 * pixels
    assert trace_pass(device, frame, "Buffer A").blocks[0].count == pixels
    measured = profile_pass(device, frame, "Image", trials=3, draws=2)
    assert measured.size == SIZE
    whole = profile_frame(device, frame, trials=3, draws=2)
    assert whole.draws == 2
    assert min(whole.trials_s) > 0


def test_what_is_no_pass_is_refused(device) -> None:
    with pytest.raises(WrongUse, match='no pass "Buffer C"'):
        trace_pass(device, feedback(1), "Buffer C")
    twice = Frame(feedback(1).passes * 2)
    with pytest.raises(WrongUse, match="the same name"):
        FrameRenderer(device, twice)
