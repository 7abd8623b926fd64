"""Heat maps on real drivers: each from the draw that makes its picture."""

from __future__ import annotations

import numpy as np
import pytest

from shaderlab.gpu.vulkan.tracing import forget_heat, heat, trace
from shaderlab.scene.draw import Draw
from shaderlab.scene.uniforms import Uniforms
from shaderlab.spirv.heat import HeatKind, HeatView
from shaderlab.spirv.trace import SourceLine

SIZE = (44, 27)  # no multiple of a lane group
TILES = 4096
"""Bytes of counters at a time that make tiles of the pictures here."""

INSTRUCTIONS = HeatView(HeatKind.INSTRUCTIONS)
LANES = HeatView(HeatKind.LANES)

DISC = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    float total = 0.0;
    if (distance(fragCoord, vec2(30.0, 9.0)) < 6.0)
        for (int i = 0; i < 20; i++)
            total += sin(float(i) + iTime);
    fragColor = vec4(fragCoord / iResolution.xy, total, 1.0);
}
"""

UNIFORM = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    float total = 0.0;
    for (int i = 0; i < 9; i++)
        total += 0.1;
    fragColor = vec4(total);
}
"""

CHECKERBOARD = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    float total = 0.0;
    if ((int(fragCoord.x) + int(fragCoord.y)) % 2 == 0)
        for (int i = 0; i < 200; i++)
            total += 0.1;
    fragColor = vec4(total);
}
"""


def drawn(device, program, view, size=SIZE, **options):
    width, height = size
    pixels = np.empty((height, width, 4), np.uint8)
    values = np.empty((height, width), view.dtype)
    heat(device, Draw.of(program, size, Uniforms(time_s=2.5)), view, pixels, values, **options)
    return pixels, values


def in_disc() -> np.ndarray:
    x, y = np.meshgrid(np.arange(SIZE[0]) + 0.5, np.arange(SIZE[1]) + 0.5)
    return np.hypot(x - 30, y - 9) < 6


@pytest.mark.parametrize("budget", [256 << 20, TILES])
def test_cost_lies_where_the_shader_spends_it(device, compiled, picture, budget):
    program = compiled(DISC)
    pixels, values = drawn(device, program, INSTRUCTIONS, memory_budget=budget)
    draw = Draw.of(program, SIZE, Uniforms(time_s=2.5))
    assert np.array_equal(pixels, picture(device, draw))
    assert np.array_equal(values == values.max(), in_disc())
    assert len(np.unique(values)) == 2
    traced = trace(device, draw)
    assert values.sum(dtype=np.int64) == traced.instructions_executed


@pytest.mark.parametrize("budget", [256 << 20, TILES])
def test_executions_of_a_block_per_pixel(device, compiled, budget):
    program = compiled(DISC)
    blocks = trace(device, Draw.of(program, SIZE)).blocks
    body = next(b for b in blocks if SourceLine("", 5) in b.lines and b.opcodes.get("OpExtInst"))
    view = HeatView(HeatKind.BLOCKS, frozenset((body.label,)))
    _, values = drawn(device, program, view, memory_budget=budget)
    assert np.array_equal(values, np.where(in_disc(), 20, 0))


@pytest.mark.parametrize("budget", [256 << 20, TILES])
def test_lanes_that_do_the_same_are_all_busy(device, compiled, budget):
    _, values = drawn(device, compiled(UNIFORM), LANES, memory_budget=budget)
    assert (values == 1.0).all()  # cut groups too: lanes beyond the picture are no divergence


def test_lanes_that_branch_apart_wait_for_each_other(device, compiled):
    program = compiled(CHECKERBOARD)
    _, values = drawn(device, program, LANES)
    _, instructions = drawn(device, program, INSTRUCTIONS)
    group = instructions[8:12, 16:24].astype(float)
    branch = group.max() - group.min()
    assert 0.5 < values[9, 17] < 0.52
    # The idle half of the lanes misses the branch's work, all others of the group are busy.
    assert values[9, 17] == pytest.approx(1 - 0.5 * branch / group.max(), abs=2e-3)
    assert np.ptp(values[:24, :40]) < 1e-6


def test_a_second_frame_costs_no_compilation(device, compiled):
    program = compiled(DISC)
    pixels = np.empty((27, 44, 4), np.uint8)
    values = np.empty((27, 44), np.uint32)
    arguments = (device, Draw.of(program, SIZE), INSTRUCTIONS, pixels, values)
    forget_heat(device, compiled(UNIFORM))
    assert heat(*arguments) > 0
    assert heat(*arguments) == 0
    forget_heat(device, program)
    assert heat(*arguments) == 0
    forget_heat(device, compiled(UNIFORM))
    assert heat(*arguments) > 0


def test_nothing_is_left_on_the_device(device, compiled):
    program = compiled(DISC)
    forget_heat(device, compiled(UNIFORM))
    before = +device.live
    drawn(device, program, INSTRUCTIONS)
    assert device.live != before
    forget_heat(device, compiled(UNIFORM))
    assert +device.live == before
