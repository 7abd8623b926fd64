"""Endless loops: every device leaves them and says which they are; other counts stay the same."""

from __future__ import annotations

import pytest

from shaderlab.errors import CompileFailed, UnsupportedShader
from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.examples import examples
from shaderlab.frontend.optimizing import optimized
from shaderlab.frontend.program import Program
from shaderlab.frontend.toolchain.choice import toolchain
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.loop_limit import ends_loops
from shaderlab.gpu.vulkan.tracing import MEMORY_BUDGET, Tracer, require_end, trace
from shaderlab.scene.draw import Draw, DrawState
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
