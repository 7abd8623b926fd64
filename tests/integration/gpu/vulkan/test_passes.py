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
