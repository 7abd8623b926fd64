"""LLMPerf's index analysis on its own listings, and what is said of accesses outside."""

from fractions import Fraction

import pytest

from shaderlab.errors import UnsupportedShader
from shaderlab.frontend.compiler import compile_text
from shaderlab.gpu.vulkan.buffer_sizes import buffer_sizes, rules
from shaderlab.scene.draw import Draw, DrawState
from shaderlab.scene.inputs import Input, Inputs, Source
from shaderlab.scene.launch import LaunchChoice

HEAD = """\
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
"""
SUMMATION = (
    HEAD
    + """\
layout(push_constant) uniform C { int N; int k; };
void main() {
    int g = int(gl_GlobalInvocationID.x);
    float sum = 0.0;
    for (int i = 0; i < k && g * k + i < N; i++) { sum += src[g * k + i]; }
    dst[g] = sum;
}
"""
)
CONVOLUTION = (
    HEAD
    + """\
layout(push_constant) uniform C { int os; int st; };
void main() {
    int g = int(gl_GlobalInvocationID.x);
    int at = g * st + os;
    dst[g] = src[at - 1] + src[at] + src[at + 1];
}
"""
)
INIT = (
    HEAD.replace("readonly buffer In { float src[]; }", "readonly buffer In { float one; }")
    + """\
layout(push_constant) uniform C { int N; };
void main() {
    int g = int(gl_GlobalInvocationID.x);
    if (g < N) { dst[g] = one; }
}
"""
)
INDIRECT = (
    HEAD.replace("float src[]", "uint src[]")
    + """\
void main() { dst[src[gl_GlobalInvocationID.x]] = 1.0; }
"""
)


@pytest.fixture(params=("llvmpipe", "swiftshader"))
def device(request, open_device):
    return open_device(request.param)


def drawn(text: str, groups: int, **values: float) -> Draw:
    given = {name: Input((float(value),), Source.SET) for name, value in values.items()}
    state = DrawState(Inputs(values=given), launch=LaunchChoice(groups=(groups, 1, 1)))
    return Draw(compile_text(text, "a.comp", None), state)


def elements(device, draw: Draw) -> dict[str, int]:
    return {each.name: each.elements for each in buffer_sizes(device).of(draw)}


def test_summation_reads_four_for_each_invocation(device):
    draw = drawn(SUMMATION, 4, k=4, N=10**6)
    found = rules(device, draw)
    assert (found["src"].text, found["dst"].text) == ("4 g", "g")
    assert elements(device, draw) == {"src": 1024, "dst": 256}


def test_convolution_reads_two_for_each_and_one(device):
    draw = drawn(CONVOLUTION, 4, os=1, st=2)
    rule = rules(device, draw)["src"]
    # The largest index is (g - 1) st + os + 1, so its elements are 2 g + 1; the smallest is 0.
    assert (rule.slope, rule.start, rule.lowest) == (Fraction(2), Fraction(1), 0)
    assert elements(device, draw) == {"src": 2 * 256 + 1, "dst": 256}


def test_an_index_before_the_first_element_is_named_with_its_line(device):
    draw = drawn(CONVOLUTION, 4, os=0, st=2)
    assert rules(device, draw)["src"].lowest == -1
    with pytest.raises(UnsupportedShader, match=r"line 9 reaches src\[-1\]"):
        buffer_sizes(device).of(draw)


def test_init_writes_at_most_n(device):
    assert elements(device, drawn(INIT, 4, N=100)) == {"dst": 100}
    assert elements(device, drawn(INIT, 4, N=1000)) == {"dst": 256}


def test_an_index_out_of_a_buffer_follows_no_line_and_stays_inside(device):
    draw = drawn(INDIRECT, 4)
    assert rules(device, draw)["dst"] is None
    found = elements(device, draw)
    assert found["src"] == 256
    assert found["dst"] <= 256


def test_a_length_that_was_chosen_is_kept_and_what_is_beyond_it_named(device):
    draw = drawn(SUMMATION, 4, k=4, N=10**6)
    state = draw.state
    shorter = LaunchChoice((4, 1, 1), lengths={"src": 100})
    cut = Draw(draw.program, DrawState(state.inputs, launch=shorter))
    with pytest.raises(UnsupportedShader, match=r"src\[1,023\], which has 100 elements"):
        buffer_sizes(device).of(cut)
