"""Endless loops: every device leaves them and says which they are; other counts stay the same."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import pytest

from shaderlab.errors import CompileFailed, UnsupportedShader
from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.examples import examples
from shaderlab.frontend.optimizing import optimized
from shaderlab.frontend.program import Program
from shaderlab.frontend.toolchain.choice import toolchain
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.loop_limit import ends_loops
from shaderlab.gpu.vulkan.submitting import Pace
from shaderlab.gpu.vulkan.tracing import MEMORY_BUDGET, Tracer, require_end, trace
from shaderlab.scene.draw import Draw, DrawState
from shaderlab.scene.geometry import Body, Geometry
from shaderlab.scene.launch import LaunchChoice
from shaderlab.spirv.analysis.cfg import reachable_functions
from shaderlab.spirv.passes.guarding import SHORT, guard

SIZE = (64, 48)
_HEADS = (
    "while (i < 4) ",
    "while (s < 9.0) ",
    "for (;;) ",
    "for (int k = 0; k < 4; k += 0) ",
    "do ",
)
_BODIES = {
    "nothing": "{ }",
    "adds": "{ s += 0.0; }",
    "breaks in vain": "{ s += 0.0; if (s > 99.0) break; }",
    "continues": "{ if (p.x < 9999.0) continue; i++; s += 9.0; k++; }",
    "inner loop": "{ for (int j = 0; j < 3; j++) s += 0.0; }",
    "inner endless": "{ int j = 0; while (j < 3) s += 0.0; }",
    "switch": "{ switch (i) { case 0: s += 0.0; break; default: i = 0; } }",
    "returns in vain": "{ s += 0.0; if (s > 99.0) return s; }",
    "some pixels": "{ if (int(p.x) % 8 != 3) { i = 9; s = 99.0; k = 9; break; } }",
}


def endless() -> dict[str, str]:
    """Texts of Shadertoys, by what they do."""
    found = {}
    for head in _HEADS:
        for name, body in _BODIES.items():
            tail = " while (i < 4);" if head == "do " else ""
            found[f"{head}{name}"] = (
                "float f(vec2 p) { int i = 0, k = 0; float s = 0.0;\n"
                f"{head.replace('int k = 0', '')}{body}{tail}\n"
                "return s; }\n"
                "void mainImage(out vec4 c, in vec2 p) { c = vec4(f(p)); }\n"
            )
    return found


@pytest.mark.parametrize("name", endless())
def test_an_endless_loop_is_left_and_named(device: Device, compiled, name: str):
    found = trace(device, Draw.of(compiled(endless()[name]), SIZE))
    width, height = SIZE
    assert found.blocks[0].count == width * height or found.lost == 0
    lines = {each.line.line for each in found.cut}
    assert lines == {2}, found.notes
    pixels = width * height
    assert found.cut[0].invocations == (pixels // 8 if "some pixels" in name else pixels)
    assert found.cut_notes[0].startswith("line 2 may never end: ")


BARRIER = """\
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };
shared uint part[64];
void main() {
    uint me = gl_LocalInvocationID.x;
    part[me] = 0u;
    for (int i = 0; i < 2; i += 0) {
        for (uint j = 0u; j < me / 32u * 1000u; j++)
            part[me] += j;
        barrier();
    }
    result[gl_GlobalInvocationID.x] = part[me];
}
"""


def test_a_workgroup_leaves_a_loop_with_barriers_together(device: Device):
    """Invocations that used up their rounds elsewhere go on to every barrier."""
    program = compile_text(BARRIER, "barrier.comp", None)
    draw = Draw(program, DrawState(launch=LaunchChoice(groups=(1, 1, 1))))
    found = trace(device, draw)
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
    draw = Draw.of(compiled(endless()["for (;;) adds"]), SIZE)
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


def forms() -> list[Program]:
    found = []
    for text in endless().values():
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
