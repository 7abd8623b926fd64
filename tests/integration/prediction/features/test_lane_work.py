"""Priced work of compiled shaders, counted by hand."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from shaderlab.frontend.compiler import compile_text
from shaderlab.prediction.features.context import CONTEXT, context
from shaderlab.prediction.features.kinds import OTHER
from shaderlab.prediction.features.lane_work import lane_plan
from shaderlab.prediction.models import additive
from shaderlab.prediction.models.additive import Weights
from shaderlab.spirv.analysis.dataflow import analyse
from shaderlab.spirv.source_lines import instruction_lines
from shaderlab.spirv.trace import BlockCount, Trace

TEXT = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec3 a = fragCoord.xyx * 2.0;
    float unused = cos(a.z);
    float b = sin(iTime);
    fragColor = vec4(a * a, dot(a, a) + b);
}
"""
GROUPS = 24


def traced(lane_groups: int | None = GROUPS):
    """The compiled text, as if each of its blocks had run for 24 groups of 32 lanes."""
    module = compile_text(TEXT, "made-for-the-test", None).module
    names = [
        (function.id, block.label, [each.name for each in block])
        for function in module.functions
        for block in function.blocks
    ]
    blocks = tuple(
        BlockCount(
            function, "f", label, GROUPS * 32, (),
            {name: opcodes.count(name) for name in opcodes if name != "OpLine"}, lane_groups,
        )
        for function, label, opcodes in names
    )  # fmt: skip
    trace = Trace("made-by-hand", (32, 24), 1.0, 1, blocks, float("nan"))
    return module, trace, lane_plan(module, analyse(module)).work(trace)


def test_each_instruction_counts_its_components_in_every_lane():
    _, _, work = traced()
    lanes = GROUPS * 32
    assert work.totals["varying:OpFMul"] == 3 * lanes
    assert work.totals["varying:OpDot"] == 3 * lanes
    assert work.totals["varying:OpVectorTimesScalar:constant"] == 3 * lanes
    assert work.totals["uniform:Sin"] == lanes
    assert not any(kind.endswith("Cos") for kind in work.kinds)


def test_without_lane_groups_invocations_count():
    assert traced(None)[2].totals == pytest.approx(traced()[2].totals)


def toy_weights(kinds, **changes) -> Weights:
    inputs = len(CONTEXT)
    fields = {
        "kinds": tuple(kinds),
        "prices": np.full(len(kinds), 1e-9),
        "floor_s": 1e-6,
        "exponent": 2.0,
        "bound": 1.0,
        "mean": np.zeros(inputs),
        "scale": np.ones(inputs),
        "low": np.full(inputs, -1e9),
        "high": np.full(inputs, 1e9),
        "hidden": np.zeros((inputs + 1, 2)),
        "out": np.zeros(3),
    }
    return Weights(**(fields | changes))


def price(weights, module, trace, work):
    return additive.price(weights, work, context(module, trace, work))


def test_work_is_priced_and_divides_over_lines():
    module, trace, work = traced()
    prices = toy_weights(["varying:OpFMul", "varying:OpDot", "uniform:Sin"])
    priced = price(prices, module, trace, work)
    # Seven operations a lane: six on line 6, one on line 5.
    assert priced.work_s == pytest.approx(7 * GROUPS * 32 * 1e-9)
    lines = instruction_lines(module)
    shares = Counter()
    for index, part in zip(work.instruction.tolist(), priced.parts.tolist(), strict=True):
        if part:
            shares[lines.at(index).line] += part
    assert shares == pytest.approx({6: 6 / 7, 5: 1 / 7})
    assert priced.time_s == pytest.approx(np.hypot(1e-6, priced.work_s))
    known = 7 * GROUPS * 32
    assert priced.unknown_share == pytest.approx(1 - known / work.operations.sum())


def test_the_context_factor_scales_all_work_alike_within_its_bound():
    module, trace, work = traced()
    kinds = ["varying:OpFMul", "uniform:Sin"]
    plain = price(toy_weights(kinds), module, trace, work)
    out = np.array([0.0, 0.0, 50.0])
    raised = price(toy_weights(kinds, out=out), module, trace, work)
    assert raised.work_s == pytest.approx(np.e * plain.work_s)
    np.testing.assert_array_equal(raised.parts, plain.parts)


def test_a_frame_that_runs_nothing_takes_the_floor():
    module, trace, _ = traced()
    empty = Trace(trace.device, trace.size, 1.0, 1, (), float("nan"))
    work = lane_plan(module, analyse(module)).work(empty)
    priced = price(toy_weights(["varying:OpFMul"]), module, empty, work)
    assert priced.time_s == 1e-6
    assert not len(priced.parts)


def test_kinds_without_a_price_cost_what_the_rest_costs():
    module, trace, work = traced()
    prices = toy_weights(["varying:OpFMul", OTHER])
    priced = price(prices, module, trace, work)
    assert priced.work_s == pytest.approx(work.operations.sum() * 1e-9)
    known = work.totals["varying:OpFMul"]
    assert priced.unknown_share == pytest.approx(1 - known / work.operations.sum())
