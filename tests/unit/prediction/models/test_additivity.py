"""The law that line shares, sums over passes and new targets rest on: work adds up.

PerfVec (section III) has it by construction, as its predictor is linear without a bias.  Here the
work is; the join with the floor and the context factor are the only parts of a time that are not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.frontend.compiler import compile_text
from shaderlab.prediction.features.context import CONTEXT
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.features.work_rows import LaneWork
from shaderlab.prediction.forecasts import static_counts
from shaderlab.prediction.models.additive import Weights, join, price
from shaderlab.spirv.trace import Trace

KINDS = ("a", "b", "c")
CONTEXTLESS = np.zeros(len(CONTEXT))
TEXT = """\
float wave(float x) { return 0.5 + 0.5 * sin(x); }
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    float v = fragCoord.x;
    for (int i = 0; i < 12; i++) {
        if (v > 40.0) v = wave(v); else v += cos(0.1 * v) * 0.9;
    }
    fragColor = vec4(v, wave(v + fragCoord.y), sqrt(abs(v)), 1.0);
}
"""


def weights(*prices: float) -> Weights:
    """Of three kinds; the context changes nothing."""
    inputs = len(CONTEXT)
    return Weights(
        ("other", *KINDS), np.array([0.0, *prices]), 1e-6, 4.0, 0.0, np.zeros(inputs),
        np.ones(inputs), np.full(inputs, -1e9), np.full(inputs, 1e9), np.zeros((inputs + 1, 1)),
        np.zeros(2),
    )  # fmt: skip


def work(rows: list[tuple[int, float]]) -> LaneWork:
    kind, operations = zip(*rows, strict=True) if rows else ((), ())
    return LaneWork(
        KINDS, np.array(kind, np.int64), np.array(operations, np.float64), np.arange(len(rows))
    )


ROWS = st.lists(st.tuples(st.integers(0, 2), st.floats(0, 1e12)), min_size=1, max_size=20)
PRICES = st.tuples(*[st.floats(0, 1e-6)] * 3)


@given(ROWS, ROWS, PRICES)
def test_two_shaders_in_one_pass_take_the_sum_of_their_work(first, second, prices):
    given = weights(*prices)
    one, other, both = (price(given, work(r), CONTEXTLESS) for r in (first, second, first + second))
    assert both.work_s == pytest.approx(one.work_s + other.work_s, rel=1e-9, abs=1e-300)
    assert both.time_s == pytest.approx(join(1e-6, one.work_s + other.work_s, 4.0), rel=1e-9)


@given(ROWS, PRICES)
def test_the_shares_of_rows_and_of_kinds_sum_to_one(rows, prices):
    found = price(weights(*prices), work(rows), CONTEXTLESS)
    if found.work_s > 0:
        assert found.parts.sum() == pytest.approx(1, abs=1e-9)
        assert sum(found.by_kind.values()) == pytest.approx(1, abs=1e-9)


def times(trace: Trace, factors: list[int]) -> Trace:
    """The trace with each block run so many times as often."""
    return replace(
        trace,
        blocks=tuple(
            replace(
                each,
                count=factor * each.count,
                lane_groups=None if each.lane_groups is None else factor * each.lane_groups,
            )
            for each, factor in zip(trace.blocks, factors, strict=True)
        ),
    )


def without_unrolling(totals: Mapping[str, float]) -> dict[str, float]:
    """Whether a loop is written out follows from the counts of several blocks: it names the kind,
    and changes no number of operations."""
    found: Counter[str] = Counter()
    for kind, operations in totals.items():
        found[kind.removesuffix(":looped").removesuffix(":unrolled")] += operations
    return dict(found)


def test_the_vectors_of_blocks_sum_to_the_program_s():
    program = compile_text(TEXT, "toy", None)
    counted = static_counts.read().count(program).trace
    whole = TracedProgram(program, counted).work.totals
    summed: Counter[str] = Counter()
    for place in range(len(counted.blocks)):
        alone = times(counted, [int(n == place) for n in range(len(counted.blocks))])
        summed.update(TracedProgram(program, alone).work.totals)
    assert len(whole) > 5
    assert without_unrolling(summed) == pytest.approx(without_unrolling(whole), rel=1e-9)


def test_twice_the_runs_are_twice_the_work():
    program = compile_text(TEXT, "toy", None)
    counted = static_counts.read().count(program).trace
    once = TracedProgram(program, counted).work.totals
    twice = TracedProgram(program, times(counted, [2] * len(counted.blocks))).work.totals
    assert twice == pytest.approx({kind: 2 * n for kind, n in once.items()}, rel=1e-9)
