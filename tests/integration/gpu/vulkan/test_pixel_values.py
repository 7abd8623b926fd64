"""Values of single pixels, against what a person computes."""

from __future__ import annotations

import numpy as np
import pytest

from shaderlab.errors import WrongUse
from shaderlab.frontend.compiler import compile_text
from shaderlab.gpu.vulkan.pixel_values import pixel_values
from shaderlab.gpu.vulkan.tracing import heat
from shaderlab.scene.draw import Draw, Frame
from shaderlab.spirv.heat import HeatKind, HeatView
from shaderlab.spirv.passes.recording import Access
from shaderlab.spirv.trace import SourceLine

SIZE = (40, 30)

LOOP = """\
float halved(float x) {
    return x * 0.5;
}
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    float sum = 0.0;
    ivec2 cell = ivec2(fragCoord) / 8;
    float weights[3] = float[3](1.0, 2.0, 4.0);
    for (int i = 0; i < 3; i++) {
        if (int(fragCoord.x) == 5 && i == 1) continue;
        sum += halved(weights[i]) + float(cell.x);
    }
    bool big = sum > 3.0;
    uint bits = uint(cell.y) << 4u;
    mat2 turn = mat2(1.0, 2.0, 3.0, 4.0) * sum;
    fragColor = vec4(big ? 1.0 : 0.0, float(bits) / 255.0, turn[1].y / 255.0, 1.0);
}
"""


def values(device, line: int, pixel: tuple[int, int], text: str = LOOP):
    draw = Draw.of(compile_text(text, "test", None), size=SIZE)
    return pixel_values(device, Frame.of(draw), "", SourceLine("", line), pixel)


def named(found, step: int) -> dict[tuple[str, str], tuple]:
    return {
        (found.sites[each.site].name, found.sites[each.site].access.value): each.value
        for each in found.steps[step]
    }


def test_a_loop_is_recorded_round_by_round(device):
    found = values(device, 10, (17, 3))  # cell.x is 2
    assert found.runs == len(found.steps) == 3
    assert found.complete
    sums = [(0.0, 2.5), (2.5, 5.5), (5.5, 9.5)]
    for step, (before, after) in enumerate(sums):
        these = named(found, step)
        assert these["sum", "read"] == (before,)
        assert these["sum", "written"] == (after,)
        assert these["i", "read"] == (step,)
        assert these["weights[i]", "read"] == ((1.0, 2.0, 4.0)[step],)
        assert these["cell.x", "read"] == (2,)


def test_a_pixel_that_leaves_a_round_out_has_fewer_steps(device):
    found = values(device, 10, (5, 0))
    assert found.runs == len(found.steps) == 2
    assert [named(found, n)["i", "read"] for n in range(2)] == [(0,), (2,)]
    assert named(found, 1)["sum", "written"] == (2.5,)


def test_every_kind_of_number_is_exact(device):
    pixel = (17, 25)  # cell is (2, 3)
    assert named(values(device, 6, pixel), 0)["cell", "written"] == (2, 3)
    assert named(values(device, 12, pixel), 0)["big", "written"] == (True,)
    assert named(values(device, 13, pixel), 0)["bits", "written"] == (48,)
    turn = named(values(device, 14, pixel), 0)["turn", "written"]
    assert turn == (9.5, 19.0, 28.5, 38.0)
    (event,) = (
        each
        for each in values(device, 2, pixel).steps[2]
        if values(device, 2, pixel).sites[each.site].access is Access.RETURNED
    )
    assert event.value == (2.0,)


def test_colour_and_instructions_are_those_of_picture_and_heat_map(device):
    draw = Draw.of(compile_text(LOOP, "test", None), size=SIZE)
    pixels = np.zeros((SIZE[1], SIZE[0], 4), np.uint8)
    costs = np.zeros((SIZE[1], SIZE[0]), np.uint32)
    heat(device, draw, HeatView(HeatKind.INSTRUCTIONS), pixels, costs)
    for x, y in ((5, 0), (17, 25), (39, 29)):
        found = values(device, 15, (x, y))
        assert found.colour == tuple(pixels[y, x].tolist())
        assert found.instructions == costs[y, x]
        assert found.runs == 1


def test_a_line_that_the_pixel_never_runs_has_no_values(device):
    text = LOOP.replace("bool big", "if (fragCoord.x < 3.0)\n        sum = 9.0;\n    bool big")
    assert values(device, 13, (1, 1), text).runs == 1
    found = values(device, 13, (17, 3), text)
    assert (found.runs, found.steps) == (0, ())
    assert [site.name for site in found.sites] == ["sum"]


def test_a_long_loop_keeps_its_first_rounds(device):
    text = LOOP.replace("i < 3", "i < 40000").replace("weights[i]", "weights[i % 3]")
    found = values(device, 10, (17, 3), text)
    assert found.runs == 40000
    assert not found.complete
    assert 10000 < len(found.steps) < 40000
    assert named(found, 9999)["i", "read"] == (9999,)


def test_a_pixel_beyond_the_picture_is_refused(device):
    with pytest.raises(WrongUse, match="no pixel"):
        values(device, 5, (40, 0))
