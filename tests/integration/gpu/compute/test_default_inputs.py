"""Kernels run with buffers and scalars that nobody chose: what these are follows from their use."""

import numpy as np
import pytest

from shaderlab.frontend.compiler import compile_text
from shaderlab.gpu.vulkan.buffer_sizes import needs
from shaderlab.gpu.vulkan.compute_rendering import ComputeRenderer
from shaderlab.gpu.vulkan.dispatching import contents
from shaderlab.gpu.vulkan.tracing import trace
from shaderlab.scene.binding import Binding
from shaderlab.scene.buffer_filling import EACH
from shaderlab.scene.draw import Draw, DrawState
from shaderlab.scene.launch import DEFAULT_SQUARED
from shaderlab.spirv.trace import SourceLine
from tests import kernels

HEAD = "#version 450\nlayout(local_size_x = 64) in;\n"
HISTOGRAM = (
    HEAD
    + """\
layout(binding = 0) readonly buffer A { uint levels[]; };
layout(binding = 1) buffer B { uint bins[24]; };
layout(push_constant) uniform C { uint q; };
void main() {
    uint at = gl_GlobalInvocationID.x;
    if (at < q) { atomicAdd(bins[levels[at]], 1u); }
}
"""
)
LIST = (
    HEAD
    + """\
struct Node { uint after; float weight; };
layout(binding = 0) readonly buffer A { Node nodes[]; };
layout(binding = 1) writeonly buffer B { float sums[]; };
void main() {
    uint at = gl_GlobalInvocationID.x;
    float sum = 0.0;
    while (at != 0xFFFFFFFFu) {
        sum += nodes[at].weight;
        at = nodes[at].after;
    }
    sums[gl_GlobalInvocationID.x] = sum;
}
"""
)
RANGES = (
    HEAD
    + """\
struct Range { uint first; uint count; };
layout(binding = 0) readonly buffer A { Range ranges[]; };
layout(binding = 1) readonly buffer B { float values[]; };
layout(binding = 2) writeonly buffer C { float sums[]; };
void main() {
    uint g = gl_GlobalInvocationID.x;
    float sum = 0.0;
    for (uint i = 0u; i < ranges[g].count; i++) { sum += values[ranges[g].first + i]; }
    sums[g] = sum;
}
"""
)
BODIES = (
    HEAD
    + """\
layout(binding = 0) readonly buffer A { vec4 places[]; };
layout(binding = 1) writeonly buffer B { vec4 forces[]; };
layout(push_constant) uniform C { uint bodies; };
void main() {
    uint g = gl_GlobalInvocationID.x;
    if (g >= bodies) { return; }
    vec4 force = vec4(0.0);
    for (uint i = 0u; i < bodies; i++) { force += places[i] - places[g]; }
    forces[g] = force;
}
"""
)
ROWS = """\
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) readonly buffer A { float src[]; };
layout(binding = 1) writeonly buffer B { float dst[]; };
layout(push_constant) uniform C { uint right; uint down; uint leap; };
void main() {
    uvec2 g = gl_GlobalInvocationID.xy;
    if (g.x >= right || g.y >= down) { return; }
    dst[g.y * leap + g.x] = src[g.x * down + g.y];
}
"""


@pytest.fixture(params=("llvmpipe", "swiftshader"))
def device(request, open_device):
    return open_device(request.param)


def drawn(text: str) -> Draw:
    return Draw(compile_text(text, "a.comp", None), DrawState())


def values(draw: Draw) -> dict[str, float]:
    listed = Binding.of(draw.program).listed(draw.inputs, draw.extent)
    return {each.name: each.value[0] for each in listed if isinstance(each.value, tuple)}


def test_an_index_into_an_array_of_fixed_length_stays_inside(device):
    draw = drawn(HISTOGRAM)
    (levels,) = needs(device, draw)
    assert (levels.elements, levels.access, levels.holds) == (65_536, "in", "random indices")
    at = next(each.descriptor for each in draw.program.interface.resources if each.name == "B")
    before = contents(draw, {levels.descriptor: levels.elements})[at].view(np.uint32)
    with ComputeRenderer(device, draw) as renderer:
        renderer.render(draw.inputs, np.zeros((1, 1, 4), np.uint8))
        added = renderer.buffer(at).view(np.uint32) - before
    assert int(added.sum()) == 65_536  # none fell outside
    assert (added > 0).all()


def test_a_list_ends(device):
    draw = drawn(LIST)
    visits = trace(device, draw).line_counts[SourceLine("", 10)]
    # Each element leads to that at half its place: one visit for each binary digit, and the end.
    assert visits == sum(n.bit_length() + 1 for n in range(65_536))


def test_a_range_is_a_few_elements_long(device):
    draw = drawn(RANGES)
    ranges, found, sums = needs(device, draw)
    assert ranges.holds == (
        f"ranges.first: random indices; ranges.count: random counts up to {2 * EACH}"
    )
    assert found.elements <= 65_536 + 2 * EACH
    assert "ranges.first" in found.why
    assert (sums.elements, sums.access, sums.why) == (
        65_536,
        "out",
        "as many as this launch reaches",
    )


def test_work_that_grows_with_the_square_gets_a_smaller_launch(device):
    draw = drawn(BODIES)
    assert draw.launch.invocations == DEFAULT_SQUARED
    assert "bodies" in draw.launch.why
    assert values(draw)["bodies"] == DEFAULT_SQUARED
    assert {each.elements for each in needs(device, draw)} == {DEFAULT_SQUARED}


def test_bounds_are_known_by_what_they_are_compared_with(device):
    draw = drawn(ROWS)
    assert values(draw) | {"src": 0, "dst": 0} == {
        "src": 0, "dst": 0, "right": 256, "down": 256, "leap": 256,
    }  # fmt: skip
    assert {each.elements for each in needs(device, draw)} == {65_536}


@pytest.mark.parametrize("name", sorted(kernels.KERNELS))
def test_our_kernels_run_without_settings(name, open_device):
    draw = Draw(kernels.program(name), DrawState())
    found = trace(open_device("llvmpipe"), draw)
    counts = kernels.counted(name, found)
    assert all(counts.values())  # every marked line runs
    assert found.pixels == 65_536


@pytest.mark.parametrize(
    ("name", "gathered"),
    [
        ("spmv_csr_scalar", {"x"}),  # not what the rows' loops go through in order
        ("lennard_jones", {"positions"}),
        ("triad", set()),
    ],
)
def test_a_trace_says_what_is_read_by_indices_out_of_buffers(name, gathered, open_device):
    draw = Draw(kernels.program(name), DrawState())
    found = dict(trace(open_device("llvmpipe"), draw).gathered)
    assert set(found) == gathered
    assert all(nbytes > 1 << 17 for nbytes in found.values())
