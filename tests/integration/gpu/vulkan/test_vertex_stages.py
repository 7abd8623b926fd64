"""Draws with a vertex stage of the user's: fed, drawn and counted."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
import pytest

from shaderlab.errors import UnsupportedShader, WrongUse
from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.program import Program
from shaderlab.frontend.reading import Reading
from shaderlab.frontend.stage import Stage
from shaderlab.frontend.stage_linking import linked
from shaderlab.gpu.vulkan.loop_limit import ends_loops
from shaderlab.gpu.vulkan.rendering import Renderer
from shaderlab.gpu.vulkan.tracing import require_end, trace
from shaderlab.gpu.vulkan.vertex_tracing import trace_vertex
from shaderlab.scene.draw import Attachments, Draw, DrawState
from shaderlab.scene.geometry import Body, Geometry
from shaderlab.scene.inputs import Input, Inputs, Source
from shaderlab.spirv.passes.atomic_counting import instrument_atomic
from shaderlab.spirv.passes.guarding import ROUNDS
from tests.integration.spirv.counted_draw import CountedDraw

SIZE = (40, 24)
VERTEX = """#version 450
layout(location = 0) in vec3 position;
layout(location = 2) in vec2 uv;
layout(location = 0) out vec2 passed;
layout(set = 1, binding = 0) uniform Settings { float grow; int rounds; };
layout(constant_id = 7) const float shift = 0.0;
void main() {
    vec3 at = position;
    for (int i = 0; i < rounds; i++)
        at.x += shift;
    gl_Position = vec4(at.xy * grow, 0.5, 1.0);
    passed = uv;
}
"""
FRAGMENT = """#version 450
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 colour;
layout(set = 0, binding = 0) uniform Tint { vec4 tint; };
void main() {
    if (uv.x > 0.5)
        colour = vec4(uv, 1.0, 1.0);
    else
        colour = tint;
}
"""


def vertex_program(text: str = VERTEX) -> Program:
    return compile_text(text, "vertex", None, Reading(stage=Stage.VERTEX))


def draw_of(text: str = VERTEX, **values: tuple[float, ...]) -> Draw:
    given = {"grow": (0.5,), "rounds": (3,), "tint": (0.0, 1.0, 0.0, 1.0)} | values
    inputs = Inputs(values=MappingProxyType({n: Input(v, Source.SET) for n, v in given.items()}))
    state = DrawState(inputs, Geometry(Body.QUAD), Attachments(SIZE))
    return Draw(compile_text(FRAGMENT, "fragment", None), state, vertex_program(text))


def test_a_vertex_stage_of_ones_own_places_the_body(device, picture) -> None:
    pixels = picture(device, draw_of())
    is_green = (pixels == (0, 255, 0, 255)).all(axis=2)
    is_blue = pixels[..., 2] == 255
    corner = np.abs(np.argwhere(is_green | is_blue) - (11.5, 19.5)).max(axis=0)
    assert is_green.any()
    assert is_blue.any()
    assert corner[0] < 10
    assert corner[1] < 16


def test_varyings_of_64_bits_are_fed(device, picture) -> None:
    text = (
        "#version 450\nlayout(location = 1) flat in dvec3 normal;\n"
        "layout(location = 3) flat in dvec2 uv;\nlayout(location = 0) out vec4 colour;\n"
        "void main() { colour = vec4(normal + dvec3(0.25LF, 0, 0), 1); }"
    )
    draw = Draw.of(compile_text(text, "wide", None), SIZE)
    if "shaderFloat64" not in device.features:
        with pytest.raises(UnsupportedShader, match="needs Float64"):
            picture(device, draw)
        return
    assert (picture(device, draw) == (64, 0, 255, 255)).all()
    counted = trace(device, draw)
    assert counted.blocks[0].count == SIZE[0] * SIZE[1]


def test_its_specialisation_constants_are_compiled_in(device) -> None:
    out = np.empty((SIZE[1], SIZE[0], 4), np.uint8)
    left = []
    draws = draw_of(shift=(0.1,)), draw_of(shift=(-0.1,))
    assert draws[0].pipeline_key != draws[1].pipeline_key
    for draw in draws:
        with Renderer(device, draw) as renderer:
            renderer.render(draw.inputs, out)
        left.append(int(np.argwhere(out[..., :3].any(axis=2))[:, 1].min()))
    assert left[0] > left[1]


def test_both_stages_are_counted(device) -> None:
    draw = draw_of()
    counted = trace_vertex(device, draw)
    vertices = counted.blocks[0].count
    assert 4 <= vertices <= 6
    by_line = {at.line: count for at, count in counted.line_counts.items()}
    assert by_line[10] == 3 * vertices
    pixels = trace(device, draw)
    reference = instrument_atomic(
        draw.program.module,
        draw.program.entry_point,
        bits=32,
        early=True,
        taken=[each.descriptor for each in draw.vertex.interface.resources],
    )
    with CountedDraw(device, draw, reference) as atomic:
        assert [block.count for block in pixels.blocks] == atomic.draw()[0].tolist()


def test_a_draw_without_one_has_nothing_to_count(device) -> None:
    draw = Draw.of(compile_text("void mainImage(out vec4 c, in vec2 p) {}", "toy", None), SIZE)
    with pytest.raises(WrongUse, match="without a vertex stage"):
        trace_vertex(device, draw)


def test_what_it_does_not_write_is_named(device) -> None:
    text = VERTEX.replace("layout(location = 0) out", "layout(location = 3) out")
    with pytest.raises(UnsupportedShader, match="uv: the vertex stage does not write"):
        Renderer(device, draw_of(text))


COVERING = """#version 450
void main() {
    vec2 at = vec2((gl_VertexIndex << 1) & 2, gl_VertexIndex & 2);
    gl_Position = vec4(at * 2.0 - 1.0, 1.0, 1.0);
}
"""


@pytest.mark.parametrize(
    ("geometry", "vertices"),
    [(Geometry(), 3), (Geometry(vertices=9), 9), (Geometry(Body.QUAD, vertices=6), 6)],
)
def test_vertices_made_of_their_numbers_alone(device, geometry, vertices) -> None:
    text = "#version 450\nlayout(location = 0) out vec4 c; void main() { c = vec4(1.0); }"
    state = DrawState(geometry=geometry, attachments=Attachments(SIZE))
    draw = Draw(compile_text(text, "white", None), state, vertex_program(COVERING))
    assert trace_vertex(device, draw).blocks[0].count == vertices
    usual = Draw(draw.program, DrawState.of(SIZE), draw.vertex)
    assert (draw.pipeline_key == usual.pipeline_key) == (geometry == Geometry())
    with Renderer(device, draw) as renderer:
        out = np.empty((SIZE[1], SIZE[0], 4), np.uint8)
        renderer.render(draw.inputs, out)
    assert (out == 255).all()  # at the far plane, as backgrounds are


def test_opengl_links_stages_by_name_and_keeps_their_uniforms_apart(device, picture) -> None:
    fragment = compile_text(
        "precision highp float; varying vec2 uv; varying vec3 tint; uniform float glow;"
        "void main() { gl_FragColor = vec4(tint * glow, 1.0) + 0.0 * uv.x; }", "pair", None,
    )  # fmt: skip
    vertex = vertex_program(
        "attribute vec3 position; uniform vec4 shift; uniform float glow; varying float more;"
        "varying vec3 tint; varying vec2 uv;"
        "void main() { uv = vec2(0.0); tint = vec3(glow, 0.4, shift.x); more = 1.0;"
        "gl_Position = vec4(position.xy, 0.5, 1.0); }"
    )
    given = {"shift": (0.6, 0.0, 0.0, 0.0), "glow": (1.0,)}
    inputs = Inputs(values=MappingProxyType({n: Input(v, Source.SET) for n, v in given.items()}))
    state = DrawState(inputs, attachments=Attachments(SIZE))
    pixels = picture(device, Draw(fragment, state, linked(vertex, fragment)))
    assert np.abs(pixels.astype(int) - (255, 102, 153, 255)).max() <= 1


def test_an_endless_vertex_stage_ends_and_is_named(device) -> None:
    assert not trace_vertex(device, draw_of(rounds=(100.0,))).cut
    (cut,) = trace_vertex(device, draw_of(rounds=(100_000.0,))).cut
    assert (cut.rounds, cut.ends) == (ROUNDS, False)


def test_an_endless_vertex_stage_is_not_drawn_where_no_driver_ends_it(device) -> None:
    require_end(device, draw_of(rounds=(100.0,)))
    if ends_loops(device):
        return
    with pytest.raises(UnsupportedShader, match="may never end"):
        require_end(device, draw_of(rounds=(100_000.0,)))
