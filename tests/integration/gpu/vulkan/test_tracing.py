from __future__ import annotations

from math import isnan

import numpy as np
import pytest

from shaderlab.errors import OutOfDeviceMemory
from shaderlab.gpu.vulkan.tracing import Tracer, heat, trace
from shaderlab.scene.draw import Draw
from shaderlab.scene.uniforms import Uniforms
from shaderlab.spirv.heat import HeatKind, HeatView
from shaderlab.spirv.passes.guarding import ROUNDS
from shaderlab.spirv.trace import SourceLine

SIZE = (44, 27)  # no multiple of a lane group
PIXELS = SIZE[0] * SIZE[1]
ONE_TILE = 256 << 20

TWO_LOOPS = """\
float inner(int n) {
    float sum = 0.0;
    for (int j = 0; j < n; j++)
        sum += 0.5;
    return sum;
}
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    float total = 0.0;
    for (int i = 0; i < 5; i++)
        total += inner(3);
    fragColor = vec4(total / 15.0, 0.0, 0.0, 1.0);
}
"""

PER_PIXEL = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    int n = int(fragCoord.x) % 9;
    float total = 0.0;
    for (int i = 0; i < n; i++)
        total += 0.1;
    fragColor = vec4(total);
}
"""

DISCARD = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    fragColor = vec4(0.25);
    if (fragCoord.x < 10.0)
        discard;
    fragColor = vec4(1.0);
}
"""

EARLY_RETURN = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    fragColor = vec4(0.25);
    if (fragCoord.y < 7.0)
        return;
    fragColor = vec4(1.0);
}
"""

SWITCH = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    float v = 0.0;
    switch (int(fragCoord.x) % 4) {
        case 0: v = 0.1;
        case 1: v += 0.2; break;
        case 2: v = 0.3; break;
        default: v = 0.4;
    }
    fragColor = vec4(v);
}
"""

EVERYTHING = (TWO_LOOPS, PER_PIXEL, DISCARD, EARLY_RETURN, SWITCH)


def line_counts(traced) -> dict[int, int]:
    return {at.line: count for at, count in traced.line_counts.items()}


def counts(traced) -> list[int]:
    return [block.count for block in traced.blocks]


def test_two_known_loops_count_as_by_hand(device, compiled):
    traced = trace(device, Draw.of(compiled(TWO_LOOPS), SIZE, Uniforms(time_s=2.0, frame=3)))
    assert traced.device == device.info.slug
    assert (traced.size, traced.time_s, traced.frame) == (SIZE, 2.0, 3)
    lines = line_counts(traced)
    assert lines[11] == PIXELS
    assert lines[10] == 5 * PIXELS
    assert lines[2] == 5 * PIXELS  # inner is called 5 times
    assert lines[4] == 15 * PIXELS
    assert lines[3] == 20 * PIXELS  # the condition holds 15 times and fails 5 times
    assert lines[9] == 6 * PIXELS
    by_function = {}
    for block in traced.blocks:
        by_function.setdefault(block.function_name, []).append(block)
    assert {"inner", "mainImage", "main"} <= set(by_function)
    assert by_function["main"][0].count == PIXELS
    assert by_function["mainImage"][0].count == PIXELS
    assert by_function["inner"][0].count == 5 * PIXELS
    assert sorted(block.count // PIXELS for block in by_function["inner"]) == [5, 5, 15, 15, 20, 20]
    sums = sum(b.count * b.opcodes.get("OpFAdd", 0) for b in traced.blocks)
    assert sums == (15 + 5) * PIXELS == traced.opcode_totals["OpFAdd"]


def test_uniform_work_diverges_only_at_cut_lane_groups(device, compiled):
    entry, *_ = trace(device, Draw.of(compiled(TWO_LOOPS), SIZE)).blocks
    assert entry.lane_groups == 6 * 7  # ceil(44 / 8) x ceil(27 / 4)


def test_lane_groups_take_the_trips_of_the_longest_lane(device, compiled):
    traced = trace(device, Draw.of(compiled(PER_PIXEL), SIZE))
    trips = np.arange(SIZE[0]) % 9
    assert line_counts(traced)[5] == trips.sum() * SIZE[1]
    body = next(b for b in traced.blocks if SourceLine("", 5) in b.lines)
    longest = sum(int(trips[x : x + 8].max()) for x in range(0, SIZE[0], 8)) * 7
    assert body.lane_groups == longest
    assert body.divergence == pytest.approx(body.count / (longest * 32))


def test_discarding_and_returning_invocations_are_counted(device, compiled):
    lines = line_counts(trace(device, Draw.of(compiled(DISCARD), SIZE)))
    assert (lines[2], lines[4], lines[5]) == (PIXELS, 10 * SIZE[1], PIXELS - 10 * SIZE[1])
    lines = line_counts(trace(device, Draw.of(compiled(EARLY_RETURN), SIZE)))
    assert (lines[2], lines[4], lines[5]) == (PIXELS, 7 * SIZE[0], PIXELS - 7 * SIZE[0])


def test_demoted_invocations_stop_counting(device, compiled):
    """GLSL's `demote` goes on as a helper, whose work is nobody's."""
    text = (
        "#version 450\n"
        "#extension GL_EXT_demote_to_helper_invocation : require\n"
        "layout(location = 0) out vec4 colour;\n"
        "void main() {\n"
        "    colour = vec4(0.0);\n"
        "    if (gl_FragCoord.x < 10.0)\n"
        "        demote;\n"
        "    for (int i = 0; i < 3; i++)\n"
        "        colour += 0.25;\n"
        "}\n"
    )
    lines = line_counts(trace(device, Draw.of(compiled(text), SIZE)))
    demoted = 10 * SIZE[1]
    assert (lines[5], lines[7], lines[9]) == (PIXELS, demoted, 3 * (PIXELS - demoted))


def test_switch_cases_fall_through(device, compiled):
    traced = trace(device, Draw.of(compiled(SWITCH), SIZE))
    quarter = SIZE[0] // 4 * SIZE[1]
    lines = line_counts(traced)
    assert [lines[n] for n in (4, 5, 6, 7)] == [quarter, 2 * quarter, quarter, quarter]


def heat_buffers():
    view = HeatView(HeatKind.INSTRUCTIONS)
    shape = (SIZE[1], SIZE[0])
    return view, np.empty((*shape, 4), np.uint8), np.empty(shape, view.dtype)


def executed(device, program):
    """Instructions each pixel executed, (height, width)."""
    view, pixels, values = heat_buffers()
    heat(device, Draw.of(program, SIZE), view, pixels, values)
    return values


def test_heat_is_the_instructions_each_pixel_executed(device, compiled):
    for text in EVERYTHING:
        traced = trace(device, Draw.of(compiled(text), SIZE))
        per_pixel = executed(device, compiled(text))
        assert int(per_pixel.sum(dtype=np.int64)) == traced.instructions_executed
    per_pixel = executed(device, compiled(PER_PIXEL))
    assert (per_pixel == per_pixel[0]).all()  # the same in every row
    assert (per_pixel[0, 1:9] > per_pixel[0, 0:8]).all()
    assert per_pixel[0, 9] == per_pixel[0, 0]


@pytest.mark.parametrize("text", EVERYTHING)
def test_drivers_agree(open_device, compiled, text):
    program = compiled(text)
    one, other = (open_device(slug) for slug in ("llvmpipe", "swiftshader"))
    draw = Draw.of(program, SIZE)
    assert trace(one, draw).blocks == trace(other, draw).blocks
    np.testing.assert_array_equal(executed(one, program), executed(other, program))


@pytest.mark.parametrize("text", EVERYTHING)
def test_tiles_change_neither_counts_nor_picture(device, compiled, picture, text):
    draw = Draw.of(compiled(text), SIZE)
    plain = picture(device, draw)
    whole = Tracer(device, draw, ONE_TILE)
    first = whole.trace(draw.inputs)
    view, pixels, values = heat_buffers()
    whole.heat(draw.inputs, view, pixels, values)
    np.testing.assert_array_equal(whole.picture(), plain)
    for group_rows in (5, 1):
        rows = 4 * group_rows
        budget = 4 * whole.header_words + 4 * whole.counters * (SIZE[0] * rows)
        tiled = Tracer(device, draw, budget)
        assert len(tiled.tiles) == -(-SIZE[1] // rows)
        assert tiled.trace(draw.inputs).blocks == first.blocks
        _, tiled_pixels, tiled_values = heat_buffers()
        tiled.heat(draw.inputs, view, tiled_pixels, tiled_values)
        np.testing.assert_array_equal(tiled_values, values)
        np.testing.assert_array_equal(tiled.picture(), plain)
        tiled.close()
    whole.close()


def test_a_budget_for_a_lane_group_is_enough_and_less_is_refused(llvmpipe, compiled):
    draw = Draw.of(compiled(SWITCH), SIZE)
    whole = trace(llvmpipe, draw)
    tracer = Tracer(llvmpipe, draw, ONE_TILE)
    least = 16 + 4 * tracer.counters * 32
    tracer.close()
    assert trace(llvmpipe, draw, memory_budget=least).blocks == whole.blocks
    with pytest.raises(OutOfDeviceMemory, match="do not fit"):
        trace(llvmpipe, draw, memory_budget=least - 4)


def test_another_time_costs_no_new_pipeline(device, compiled):
    text = (
        "void mainImage(out vec4 c, in vec2 p) {\n"
        "c = vec4(0.0);\n"
        "for (int i = 0; i < int(iTime); i++)\n"
        "c += 0.1;\n"
        "}\n"
    )
    program = compiled(text)
    seen = []
    for time_s in (2.0, 7.0, 3.0, 0.0):
        traced = trace(device, Draw.of(program, SIZE, Uniforms(time_s=time_s)))
        seen.append(line_counts(traced)[4] // PIXELS)
        made = +device.live
        trace(device, Draw.of(program, SIZE, Uniforms(time_s=time_s)))
        assert +device.live == made
    assert seen == [2, 7, 3, 0]


def test_tracing_many_programs_keeps_one(device, compiled):
    for text in EVERYTHING:
        trace(device, Draw.of(compiled(text), SIZE))
    before = +device.live
    for text in EVERYTHING:
        trace(device, Draw.of(compiled(text), SIZE))
    assert +device.live == before


@pytest.mark.parametrize(("outer", "inner"), [(70_000, 1), (300, 300), (100, 100)])
def test_loops_a_driver_cuts_short_are_never_passed_off_as_whole(device, compiled, outer, inner):
    """lavapipe leaves all loops of a pixel after 65,535 iterations; SwiftShader does not."""
    text = (
        "void mainImage(out vec4 c, in vec2 p) {\n"
        "float x = p.x;\n"
        f"for (int i = 0; i < {outer}; i++)\n"
        f"for (int j = 0; j < {inner}; j++)\n"
        "x = fract(x * 1.1 + 0.3);\n"
        "c = vec4(x);\n"
        "}\n"
    )
    traced = trace(device, Draw.of(compiled(text), (8, 4)))
    exact = line_counts(traced)[5] == 32 * outer * inner
    assert exact == (not traced.cut)
    assert exact == (traced.notes == ())
    assert exact or "goes on for long: 32 invocations" in traced.notes[0]
    assert exact or outer * inner > ROUNDS


def test_slowdown_is_told(device, compiled):
    assert trace(device, Draw.of(compiled(TWO_LOOPS), SIZE), slowdown=True).slowdown > 0
    assert isnan(trace(device, Draw.of(compiled(TWO_LOOPS), SIZE)).slowdown)
