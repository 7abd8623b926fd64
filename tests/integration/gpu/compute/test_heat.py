"""What each invocation costs, as a picture: of the same numbers as the counts."""

import numpy as np
import pytest

from shaderlab.frontend.compiler import compile_text
from shaderlab.gpu.vulkan.compute_tracing import heat_compute
from shaderlab.gpu.vulkan.tracing import heat, trace
from shaderlab.scene.draw import Draw, DrawState
from shaderlab.scene.launch import LaunchChoice
from shaderlab.spirv.heat import HeatKind, HeatView

ROWS = """\
#version 450
layout(local_size_x = 8, local_size_y = 4) in;
layout(binding = 0) writeonly buffer A { float sums[]; };
void main() {
    uvec2 g = gl_GlobalInvocationID.xy;
    float sum = 0.0;
    for (uint i = 0u; i < g.y; i++) { sum += float(i); }
    sums[g.y * 16u + g.x] = sum;
}
"""
ODD = """\
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) writeonly buffer A { float sums[]; };
void main() {
    uint g = gl_GlobalInvocationID.x;
    float sum = 0.0;
    if (g % 4u == 0u) { for (int i = 0; i < 100; i++) { sum += sqrt(float(i)); } }
    sums[g] = sum;
}
"""


@pytest.fixture(params=("llvmpipe", "swiftshader"))
def device(request, open_device):
    return open_device(request.param)


def drawn(text: str, groups: tuple[int, int, int]) -> Draw:
    state = DrawState(launch=LaunchChoice(groups=groups))
    return Draw(compile_text(text, "a.comp", None), state)


def values(device, draw: Draw, view: HeatView, size: tuple[int, int]) -> np.ndarray:
    found = np.zeros(size[::-1], view.dtype)
    heat(device, draw, view, np.zeros((*size[::-1], 4), np.uint8), found)
    return found


def test_instructions_sum_up_to_the_counts(device):
    draw = drawn(ROWS, (2, 3, 1))
    found = values(device, draw, HeatView(HeatKind.INSTRUCTIONS), (16, 12))
    counted = trace(device, draw)
    assert found.sum() == sum(block.count * block.instructions for block in counted.blocks)
    assert (found == found[:, :1]).all()  # a row is alike
    assert (np.diff(found[:, 0].astype(int)) > 0).all()  # and longer than the one before
    windowed = np.zeros_like(found)
    heat_compute(device, draw, HeatView(HeatKind.INSTRUCTIONS), windowed, memory_budget=3_000)
    assert (windowed == found).all()


def test_chosen_blocks_and_lanes(device):
    draw = drawn(ODD, (4, 1, 1))
    counted = trace(device, draw)
    body = max(counted.blocks, key=lambda each: each.count)
    found = values(device, draw, HeatView(HeatKind.BLOCKS, frozenset({body.label})), (16, 16))
    assert found.sum() == body.count
    assert (found.reshape(-1)[1::4] == 0).all()
    busy = values(device, draw, HeatView(HeatKind.LANES), (16, 16))
    assert ((busy > 0.2) & (busy < 0.5)).all()  # one lane in four works most of the time
