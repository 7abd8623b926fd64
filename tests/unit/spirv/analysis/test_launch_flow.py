"""Rounds and branches that follow from a launch; the texts are compiled for real."""

from __future__ import annotations

import struct

import pytest

from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.program import Program
from shaderlab.prediction.forecasts import static_counts
from shaderlab.spirv.analysis.cfg import FlowGraph
from shaderlab.spirv.analysis.dispatch import Dispatch
from shaderlab.spirv.analysis.launch_flow import LaunchFlow
from shaderlab.spirv.analysis.launch_values import LaunchValues
from tests import kernels

HEAD = """#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer B { uint b[]; };
layout(push_constant) uniform C { uint n; int k; };
void main() {
    uint i = gl_GlobalInvocationID.x, own = gl_LocalInvocationID.x, sum = 0u;
"""
DISPATCH = Dispatch((8, 1, 1), (64, 1, 1), struct.pack("<Ii", 1000, 6))


def program(body: str) -> Program:
    return compile_text(f"{HEAD}{body}\n b[i] = sum; }}", "kernel.comp", None)


def flow(body: str, by_warp: bool = False) -> tuple[LaunchFlow, FlowGraph]:
    module = program(body).module
    (function,) = [each for each in module.functions if each.blocks]
    return LaunchFlow(LaunchValues(module, DISPATCH), by_warp), FlowGraph(function)


@pytest.mark.parametrize(
    ("loop", "rounds"),
    [
        ("for (uint j = 0u; j < n; j++)", 1000),
        ("for (int j = k; j >= 0; j--)", 7),
        ("for (int j = k; 0 < j; j -= 2)", 3),
        ("for (int j = -3; j < k; j++)", 9),
        ("for (int j = -3; j <= k; j++)", 10),
        ("for (int j = k; j > -4; j--)", 10),
        ("for (int j = k; j >= -4; j--)", 11),
        ("for (uint j = 0u; j < n; j += gl_NumWorkGroups.x * gl_WorkGroupSize.x)", 2),
        ("for (uint j = 32u; j > 0u; j >>= 1)", 6),
        ("for (uint j = 1u; j < n; j *= 3u)", 7),
    ],
)
def test_rounds_of_a_loop_that_push_constants_and_the_launch_end(loop, rounds):
    found, graph = flow(f"{loop} sum += b[j];")
    assert list(found.trips(graph).values()) == [rounds]


EXPRESSIONS = {
    "(k - 12) / 4 + 9": 8,
    "int(n) / -7 + 150": 8,
    "int(n % 7u)": 6,
    "int(n / 7u)": 142,
    "((k - 12) >> 1) + 5": 2,
    "int(0xfffffff0u - n >> 28)": 15,
    "k << 2": 24,
    "k & 3": 2,
    "k | 9": 15,
    "k ^ 3": 5,
    "(k - 12) * -2": 12,
    "max((k - 12), 3)": 3,
    "min((k - 12), 3) + 10": 4,
    "int(max(n, 0xfffffff0u) >> 28)": 15,
    "int(min(n, 0xfffffff0u))": 1000,
    "(k - 12) < 3 ? 5 : 2": 5,
    "(k - 12) <= -6 ? 5 : 2": 5,
    "(k - 12) > 3 ? 5 : 2": 2,
    "(k - 12) >= -6 ? 5 : 2": 5,
    "n < 0xfffffff0u ? 5 : 2": 5,
    "n <= 1000u ? 5 : 2": 5,
    "n > 1000u ? 5 : 2": 2,
    "n >= 1000u ? 5 : 2": 5,
    "n == 1000u ? 5 : 2": 5,
    "k != 6 ? 5 : 2": 2,
    "!(k == 6) ? 5 : 2": 2,
}
"""Where k is 6 and n 1000."""


def test_every_operation_on_integers():
    loops = (
        f"for (int j{n} = 0; j{n} < ({text}); j{n}++) sum += b[j{n}];"
        for n, text in enumerate(EXPRESSIONS)
    )
    found, graph = flow("\n".join(loops))
    assert list(found.trips(graph).values()) == list(EXPRESSIONS.values())


def test_rounds_that_differ_between_lanes_are_a_mean_and_of_a_warp_those_of_its_last_lane():
    loop = "for (uint j = 0u; j <= own % 32u; j++) sum += b[j];"
    found, graph = flow(loop)
    assert list(found.trips(graph).values()) == [16.5]
    found, graph = flow(loop, by_warp=True)
    assert list(found.trips(graph).values()) == [32]


@pytest.mark.parametrize(
    "loop",
    [
        "for (uint j = 0u; j < b[0]; j++)",
        "for (uint j = b[1]; j < n; j++)",
        "for (uint j = 0u; j < n; j += b[2])",
        "for (int j = 0; j >= 0; j++)",  # ends when it overflows
    ],
)
def test_rounds_that_follow_from_a_buffer_are_not_known(loop):
    found, graph = flow(f"{loop} sum += b[j];")
    assert not found.trips(graph)


def test_a_variable_that_a_function_may_change_is_not_known():
    text = (
        f"{HEAD} uint m = n; change(m); for (uint j = 0u; j < m; j++) sum += b[j]; b[i] = sum; }}"
    )
    text = text.replace("void main", "void change(inout uint m) { m = b[0]; }\nvoid main")
    module = compile_text(text, "kernel.comp", None).module
    values = LaunchValues(module, DISPATCH)
    graphs = [FlowGraph(each) for each in module.functions]
    assert not any(LaunchFlow(values, by_warp=False).trips(each) for each in graphs)


def test_a_branch_on_the_launch_is_taken_by_the_lanes_for_which_it_holds():
    body = "if (own < 16u) sum = b[0];"
    found, graph = flow(body)
    assert list(found.taken(graph).values()) == [(0.25, 0.75)]
    found, graph = flow(body, by_warp=True)
    assert list(found.taken(graph).values()) == [(0.5, 1.0)]


@pytest.mark.parametrize(
    ("name", "mark"),
    [
        ("reduction", "element"),
        ("scan_reduce", "element"),
        ("kmeans", "feature"),
        ("nearest", "record"),
        ("lennard_jones", "pair"),
    ],
)
@pytest.mark.parametrize("n", [1 << 11, 1 << 16])
def test_kernels_whose_loops_end_by_scalars_are_counted_without_a_run(name, mark, n, tmp_path):
    case = kernels.KERNELS[name](n)
    draw = kernels.draw(name, case, tmp_path)
    counted = static_counts.read().count(draw.program, dispatch=draw.dispatch)
    assert not counted.guessed
    found = kernels.counted(name, counted.trace)[mark]
    assert found == pytest.approx(case.counts[mark], rel=0.02)


def test_a_dispatch_without_known_values_still_counts(tmp_path):
    case = kernels.KERNELS["spmv_csr_scalar"](1 << 11)
    draw = kernels.draw("spmv_csr_scalar", case, tmp_path)
    counted = static_counts.read().count(draw.program, dispatch=draw.dispatch)
    assert counted.guessed
    assert kernels.counted("spmv_csr_scalar", counted.trace)["row"] == 1 << 11
