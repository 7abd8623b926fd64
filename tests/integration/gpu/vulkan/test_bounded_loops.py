"""Endless loops: every device leaves them and says which they are; other counts stay the same."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from shaderlab.errors import CompileFailed, InternalError, UnsupportedShader
from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.examples import examples
from shaderlab.frontend.optimizing import optimized
from shaderlab.frontend.program import Program
from shaderlab.frontend.toolchain.choice import toolchain
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.loop_limit import ends_loops
from shaderlab.gpu.vulkan.profiling import profile
from shaderlab.gpu.vulkan.rendering import Renderer
from shaderlab.gpu.vulkan.submitting import Pace
from shaderlab.gpu.vulkan.tracing import MEMORY_BUDGET, Tracer, require_end, trace
from shaderlab.scene.draw import Draw, DrawState
from shaderlab.scene.geometry import Body, Geometry
from shaderlab.scene.inputs import Inputs
from shaderlab.scene.uniforms import Uniforms
from shaderlab.spirv.analysis.cfg import reachable_functions
from shaderlab.spirv.passes.guarding import BETWEEN, SHORT, guard
from tests.hostile import SIZE, barriers, shadertoys

ENDLESS = shadertoys(1)


@pytest.mark.parametrize("name", ENDLESS)
def test_an_endless_loop_is_left_and_named(device: Device, compiled, name: str):
    found = trace(device, Draw.of(compiled(ENDLESS[name]), SIZE))
    width, height = SIZE
    assert found.blocks[0].count == width * height or found.lost == 0
    lines = {each.line.line for each in found.cut}
    assert lines == {2}, found.notes
    pixels = width * height
    assert found.cut[0].invocations == (pixels // 8 if "some pixels" in name else pixels)
    assert found.cut_notes[0].startswith("line 2 may never end: ")


def test_a_workgroup_leaves_a_loop_with_barriers_together(device: Device):
    """Invocations that used up their rounds elsewhere go on to every barrier."""
    found = trace(device, barriers())
    lines = {each.line.line: each.invocations for each in found.cut}
    assert set(lines) <= {8, 9}
    assert sum(lines.values()) == 64


@pytest.mark.parametrize("example", examples(), ids=lambda each: each.path.stem)
def test_bounds_change_no_count_where_all_loops_end(llvmpipe: Device, example):
    program = compile_text(example.path.read_text(), example.path.name, example.path.parent)
    if program.stage.value != "frag":
        pytest.skip("not of the fragment stage")
    draw = Draw.of(program, SIZE)
    counts = []
    for bounded in (False, True):
        tracer = Tracer(llvmpipe, draw, MEMORY_BUDGET, bounded=bounded)
        found = tracer.trace(draw.inputs)
        tracer.close()
        assert not found.cut
        counts.append([(each.count, each.lane_groups) for each in found.blocks])
    assert counts[0] == counts[1]


INSIDE = """\
float f(float x) { for (int k = 0; k < 7; k++) x += 0.5; return x; }
void mainImage(out vec4 c, in vec2 p) {
    float s = 0.0;
    while (s > -1.0)
        for (int i = 0; i < 20; i++) s += f(float(i)) * 0.0;
    c = vec4(s);
}
"""


def test_loops_that_end_inside_one_that_does_not_run_whole_and_count(device: Device, compiled):
    program = compiled(INSIDE)
    module, entry = program.module, program.entry()
    guarded = guard(module, reachable_functions(module, entry), entry.id, SHORT)
    assert len(guarded.loops) == 1
    with closing(Tracer(device, Draw.of(program, SIZE), MEMORY_BUDGET, bounded=True)) as tracer:
        found = tracer.trace(Inputs.at(Uniforms()))
    pixels = SIZE[0] * SIZE[1]
    calls = next(each.count for each in found.blocks if each.function != entry.id and each.lines)
    assert [(each.line.line, each.invocations) for each in found.cut] == [(4, pixels)]
    rounds = calls / pixels * (7 + 1 + 1 / 20)  # of all three loops
    assert found.cut[0].rounds <= rounds <= found.cut[0].rounds + BETWEEN


PARTED = {
    "derivatives": "void mainImage(out vec4 c, in vec2 p) { float s = 0.0;\n"
    "for (int i = 0; i < int(mod(p.x * 7.0 + p.y, 23.0)); i++) s += sin(s + p.x);\n"
    "if (fwidth(s) > 0.5) s += 1.0; if (s > 9.0) discard; c = vec4(s); }\n",
    "atomics": "#version 450\n"
    "layout(set = 0, binding = 0) buffer Seen { uint seen; };\n"
    "layout(location = 0) out vec4 c;\n"
    "void main() { uint n = atomicAdd(seen, 1u);\n"
    "if (n < 100u) c = vec4(1.0); else c = vec4(0.5); }\n",
    "body": "#version 450\n"
    "layout(location = 0) in vec3 normal;\nlayout(location = 0) out vec4 c;\n"
    "void main() { float s = 0.0; for (int i = 0; i < int(9.0 * abs(normal.x)); i++) s += 0.1;\n"
    "c = vec4(s, normal.xy, 1.0); }\n",
}


@pytest.mark.parametrize("budget", [MEMORY_BUDGET, 1 << 15])
@pytest.mark.parametrize("name", PARTED)
def test_parts_count_and_draw_what_one_submission_does(device: Device, compiled, name, budget):
    program = compiled(PARTED[name])
    draw = Draw.of(program, (203, 117))
    if name == "body":
        draw = replace(draw, state=replace(draw.state, geometry=Geometry(Body.CUBE)))
    found = []
    for at_pace in (None, Pace(1e-9, 60.0)):
        with closing(Tracer(device, draw, budget, bounded=True, at_pace=at_pace)) as tracer:
            traced = tracer.trace(draw.inputs)
            assert not traced.lost
            counts = [each.count for each in traced.blocks]
            groups = [each.lane_groups for each in traced.blocks]
            found.append((counts, traced.pixels, groups, tracer.picture()))
    assert found[0][:2] == found[1][:2]
    if name != "atomics":  # which pixels come first is up to the device
        assert found[0][2] == found[1][2]
        assert (found[0][3] == found[1][3]).all()


def test_a_picture_that_takes_too_long_is_given_up_with_a_lower_bound(device: Device, compiled):
    draw = Draw.of(compiled(ENDLESS["for (;;) adds"]), SIZE)
    with closing(
        Tracer(device, draw, MEMORY_BUDGET, bounded=True, at_pace=Pace(1e-9, 1e-9))
    ) as tracer:
        found = tracer.trace(draw.inputs)
    drawn = 5 * 64
    assert found.pixels == found.blocks[0].count == drawn
    assert found.left_out == SIZE[0] * SIZE[1] - drawn
    assert found.lost == 0
    assert "2,752 of 3,072 pixels" in found.cut_notes[-1]


def test_what_may_never_end_is_drawn_only_where_the_driver_ends_it(device: Device, compiled):
    endless_text = "void mainImage(out vec4 c, in vec2 p) { while (p.x > 0.0) { } c = vec4(1.0); }"
    by_time = (
        "void mainImage(out vec4 c, in vec2 p) {\n"
        "for (int i = 0; i < int(iTime); i++) c += 0.1;\n"
        "}\n"
    )
    draw = Draw.of(compiled(by_time), SIZE)
    require_end(device, draw)
    endless_draw = Draw.of(compiled(endless_text), SIZE)
    if ends_loops(device):
        require_end(device, endless_draw)
        return
    with pytest.raises(UnsupportedShader, match="line 1 may never end"):
        require_end(device, endless_draw)


COUNTED = """\
#version 450
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[8]; };
void main() {
    uint n = gl_LocalInvocationIndex;
    while (n < gl_WorkGroupID.x + 9u) n += 2u;
    result[gl_LocalInvocationIndex] = n;
}
"""


WHILE = "void mainImage(out vec4 c, in vec2 p) { while (p.x < p.y) p.x += 1.0; c = vec4(p.x); }"


@pytest.mark.parametrize("text", [WHILE, COUNTED], ids=["draw", "dispatch"])
def test_what_was_never_counted_does_not_run_as_it_is(device: Device, text: str):
    program = compile_text(text, "uncounted", None)
    draw = DrawState.of(SIZE).draw(program)
    if not ends_loops(device):
        with pytest.raises(InternalError, match="before it was known to end"):
            profile(device, draw, trials=3, draws=1)
    trace(device, draw)
    assert profile(device, draw, trials=3, draws=1).time_s > 0


def test_a_loop_that_time_makes_endless_does_not_hang_later_frames(device: Device, compiled):
    text = (
        "void mainImage(out vec4 c, in vec2 p) { float s = 0.0;\n"
        "while (s < iTime) s += iTime > 9.0 ? 0.0 : 1.0; c = vec4(s); }\n"
    )
    draw = Draw.of(compiled(text), SIZE)
    require_end(device, draw)
    out = np.empty((SIZE[1], SIZE[0], 4), np.uint8)
    with Renderer(device, draw) as renderer:
        renderer.render(Inputs.at(Uniforms(time_s=0.5)), out)
        assert (out[..., :3] == 255).all()
        renderer.render(Inputs.at(Uniforms(time_s=10.0)), out)
        renderer.render(Inputs.at(Uniforms(time_s=0.0)), out)
        assert (out[..., :3] == 0).all()
    later = replace(draw, state=replace(draw.state, inputs=Inputs.at(Uniforms(time_s=10.0))))
    require_end(device, later, at_any_time=True)
    if not ends_loops(device):
        with pytest.raises(UnsupportedShader, match="may never end"):
            require_end(device, later)


def forms() -> list[Program]:
    found = []
    for text in ENDLESS.values():
        written = compile_text(text, "endless", None)
        found.append(written)
        try:
            found.append(optimized(written))
        except CompileFailed:
            continue
    return found


def test_modules_stay_valid_when_their_loops_are_bounded():
    for program in forms():
        functions = reachable_functions(program.module, program.entry())
        guarded = guard(program.module, functions, program.entry().id, SHORT)
        assert not guarded.unguarded
        toolchain().validate(guarded.module.to_bytes())
