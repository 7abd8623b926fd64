"""Forecasts of compute shaders from counts that are given, not run."""

from dataclasses import replace

import pytest

from shaderlab.frontend.compiler import compile_text
from shaderlab.prediction.cost import Bound
from shaderlab.prediction.features.memory_accesses import Reached, memory_accesses
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.forecast import Side, Status
from shaderlab.prediction.forecasts.compute_work import PRICES
from shaderlab.prediction.forecasts.predict import predict
from shaderlab.spirv.analysis.cfg import reachable_blocks
from shaderlab.spirv.block_counts import describe
from shaderlab.spirv.trace import CutLoop, SourceLine, Trace

KERNEL = """\
#version 450
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) buffer B { uint b[]; };
shared float part[32];
void main() {
    part[gl_LocalInvocationID.x] = a[gl_GlobalInvocationID.x];
    barrier();
    atomicAdd(b[0], uint(part[0]));
}
"""


WITHOUT_ATOMICS = KERNEL.replace("atomicAdd(b[0], uint(part[0]))", "b[0] = uint(part[0])")
EMPTY = "#version 450\nlayout(local_size_x = 32) in;\nvoid main() {}\n"


def traced(groups: int, cut: tuple[CutLoop, ...] = (), text: str = WITHOUT_ATOMICS) -> tuple:
    program = compile_text(text, "a.comp", None)
    blocks = reachable_blocks(program.module, program.entry())
    assert len(blocks) == 1
    described = describe(program.module, blocks, [32 * groups], [groups])
    trace = Trace("none", (32 * groups, 1), 1.0, 1, described, float("nan"), cut=cut)
    return program, trace


def test_accesses_are_counted_by_kind_and_line():
    program, trace = traced(100, text=KERNEL)
    found = memory_accesses(program.module, trace)
    assert found.total == Reached(buffer=3200, shared=6400, atomic=3200, barrier=3200)
    assert found.lines[SourceLine("", 7)] == Reached(buffer=3200, shared=3200)
    assert found.lines[SourceLine("", 8)] == Reached(barrier=3200)


def test_atomics_run_for_those_lanes_alone_that_are_on():
    program, _ = traced(100, text=KERNEL)
    blocks = reachable_blocks(program.module, program.entry())
    described = describe(program.module, blocks, [320], [100])
    trace = Trace("none", (3200, 1), 1.0, 1, described, float("nan"))
    found = memory_accesses(program.module, trace)
    assert (found.total.atomic, found.total.buffer) == (320, 3200)
    assert found.lines[SourceLine("", 9)].atomic == 320


def test_every_forecast_is_an_estimate_that_says_why():
    for forecast in predict(*traced(1000), assumed=("n = 4 is a default",)):
        assert forecast.domain is Side.OUTSIDE
        assert "n = 4 is a default" in forecast.warnings
        if forecast.status is Status.NONE:
            continue
        assert forecast.status is Status.ESTIMATE
        assert "fitted on fragment shaders" in forecast.warnings[0]
        low_s, time_s, high_s = forecast.interval_s
        assert 0 < low_s <= time_s < high_s
        assert sum(each.share for each in forecast.lines) <= 1 + 1e-9


@pytest.mark.parametrize("device", ["llvmpipe", "swiftshader"])
def test_on_software_devices_the_error_was_measured(device):
    (forecast,) = predict(*traced(1000), [device])
    assert forecast.validated.n == 78
    assert forecast.validated.mape is not None
    assert "held-out shaders" in forecast.basis
    assert any(share > 0 for name, share in forecast.cost.shares if name == "memory")
    by_line = {each.line: each.share for each in forecast.lines}
    assert max(by_line, key=lambda line: by_line[line]) in (7, 8, 9)


def test_more_groups_take_longer():
    once, few, many = (
        predict(*traced(groups), ["rtx3060"])[0].time_s for groups in (1, 10_000, 20_000)
    )
    assert many - once == pytest.approx(2 * (few - once), rel=0.02)  # beside one wait of each


def test_units_that_do_not_draw_compute_all_the_same():
    """An H200 draws with 4 of its 132 units, so its compute shaders are no slower than a 3060's."""
    program, trace = traced(1 << 20)
    both = predict(program, trace, ["h200", "rtx3060"])
    h200, rtx3060 = (each.time_s for each in both)
    assert h200 is not None
    assert rtx3060 is not None
    assert h200 < rtx3060


def test_no_dispatch_takes_less_than_a_launch():
    for forecast in predict(*traced(1, text=EMPTY)):
        if forecast.status is Status.NONE:
            continue
        low_s, time_s, high_s = forecast.interval_s
        prices = PRICES.get(forecast.target)
        assert time_s >= (prices.dispatch if prices else 5.2e-6)
        assert 1e-6 < low_s < time_s < high_s
        assert forecast.cost.bound is Bound.LAUNCH
        assert dict(forecast.cost.shares)["launch"] > 0.99
        assert prices or "H200" in forecast.basis


def test_atomics_make_a_lower_bound_where_they_have_no_price():
    for forecast in predict(*traced(100, text=KERNEL)):
        warned = "A lower bound: line 9 runs 3.20 k atomic operations, which have no price."
        priced = forecast.target in PRICES
        assert (warned in forecast.warnings) == (not priced and forecast.status is not Status.NONE)
        if forecast.status is not Status.NONE:
            assert forecast.status is (Status.ESTIMATE if priced else Status.LOWER_BOUND)
            assert (forecast.time_s is None) == (not priced)


def test_atomics_of_a_fragment_shader_have_no_price_anywhere():
    text = """\
#version 450
layout(binding = 0) buffer B { uint hits[]; };
layout(location = 0) out vec4 colour;
void main() {
    atomicAdd(hits[int(gl_FragCoord.x) & 7], 1u);
    colour = vec4(1);
}
"""
    program = compile_text(text, "a.frag", None)
    blocks = reachable_blocks(program.module, program.entry())
    described = describe(program.module, blocks, [1024 * 768], [1024 * 24])
    trace = Trace("none", (1024, 768), 1.0, 1, described, float("nan"))
    for forecast in predict(program, trace):
        assert forecast.status is Status.LOWER_BOUND
        assert "line 5 runs 786 k atomic operations" in forecast.warnings[0]


def test_loops_that_were_ended_make_a_lower_bound():
    (forecast,) = predict(*traced(100, cut=(CutLoop(SourceLine("", 4), 1, 9),)), ["rtx3060"])
    assert forecast.status is Status.LOWER_BOUND
    assert forecast.time_s is None


def test_gathers_out_of_a_large_buffer_are_warned_of_and_widen_a_gpus_band():
    program, trace = traced(10_000)
    small = replace(trace, gathered=(("a", 1 << 18),))
    large = replace(trace, gathered=(("a", 1 << 20), ("c", 4)))
    for before, after in zip(predict(program, small), predict(program, large), strict=True):
        if before.status is Status.NONE:
            continue
        warned = [each for each in after.warnings if "gather from a (1.0 MiB)" in each]
        assert len(warned) == 1
        assert warned[0] not in before.warnings
        assert after.time_s == before.time_s
        assert after.high_s >= before.high_s
        if after.target == "rtx3060":
            assert after.high_s > 2 * before.high_s


CHAIN = """\
#version 450
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer A { int next[]; };
layout(binding = 1) buffer B { int last[]; };
void main() {
    int at = int(gl_GlobalInvocationID.x);
    for (int i = 0; i < 100; i++) at = next[at];
    last[gl_GlobalInvocationID.x] = at;
}
"""


def test_loads_that_need_one_another_are_waited_for_in_turn():
    program = compile_text(CHAIN, "a.comp", None)
    blocks = reachable_blocks(program.module, program.entry())
    runs = [3200 if 0 < n < len(blocks) - 1 else 32 for n in range(len(blocks))]
    described = describe(program.module, blocks, runs, [n // 32 for n in runs])
    trace = Trace("none", (32, 1), 1.0, 1, described, float("nan"))
    loads = TracedProgram(program, trace).waits.loads
    assert loads == {SourceLine("", 7): pytest.approx(100)}
    (found,) = predict(program, trace, targets=["rtx3060"])
    (busy,) = predict(*traced(1), targets=["rtx3060"])
    assert found.time_s > busy.time_s + 1e-5


def test_barriers_are_waited_for_in_turn():
    waited = [
        sum(TracedProgram(*traced(4, text=text)).waits.barriers.values())
        for text in (WITHOUT_ATOMICS, EMPTY)
    ]
    assert waited == [1.0, 0]


def test_the_gpu_that_was_measured_says_how_far_off_its_kernels_were():
    measured, other = predict(*traced(4), targets=["h200", "rtx3060"])
    assert measured.validated.n == 27
    assert "were measured on it" in measured.basis
    assert other.validated.error is None
    assert "none was measured on this GPU" in other.basis
