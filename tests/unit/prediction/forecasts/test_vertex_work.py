"""The vertex stage's part of a forecast."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.prediction.cost import PASS, Bound, Cost
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.forecast import Forecast, Validation
from shaderlab.prediction.forecasts.vertex_work import HIGH, LOW, VertexWork, sentence, vertex_work
from shaderlab.prediction.line_shares import LineShares
from shaderlab.prediction.models.model import StageCost
from shaderlab.spirv.trace import BlockCount, Trace

COST = Cost(Bound.PASS, ((PASS, 0.75), ("memory", 0.25)), 0.3)
FORECAST = Forecast(
    "toy", 2e-3, 1e-3, 4e-3, "toy", "basis", Validation(0.2, 0.9, 100, "here"),
    LineShares([("", 3, 0.5)]), cost=COST,
)  # fmt: skip
BLOCK = BlockCount(4, "main", 5, 1000, (), {"OpFAdd": 2})
STAGE = TracedProgram(None, Trace("toy", (1000, 1), 1.0, 1, (BLOCK,), 0.0))  # type: ignore[arg-type]


@dataclass(frozen=True)
class Priced:
    """A target that prices every stage alike."""

    cost: StageCost | None
    device: str = "toy"

    def stage_cost(self, _traced: TracedProgram) -> StageCost | None:
        return self.cost


def added(cost: StageCost | None, device: str = "toy", forecast: Forecast = FORECAST) -> Any:
    """The forecast, whose optional parts the tests know are there."""
    return VertexWork(STAGE, 1000).added(forecast, Priced(cost, device))  # type: ignore[arg-type]


@given(st.floats(0, 1), st.sampled_from(["toy", "llvmpipe", "swiftshader"]))
def test_parts_add_up(stage_s, device):
    lines = LineShares([("", 7, 1.0)])
    found = added(StageCost(stage_s, "additive", (("memory", 1.0),), lines), device)
    part, (low_s, time_s, high_s) = found.vertex, found.interval_s
    assert time_s - part.time_s == pytest.approx(2e-3)
    assert low_s - part.low_s == pytest.approx(1e-3)
    assert high_s - part.high_s == pytest.approx(4e-3)
    assert part.low_s == pytest.approx(LOW * part.time_s)
    assert part.high_s >= HIGH * part.time_s
    assert sum(share for _, share in found.cost.shares) == pytest.approx(1)
    assert found.lines[0].share * time_s == pytest.approx(0.5 * 2e-3)
    assert sum(each.share for each in part.lines) * part.time_s == pytest.approx(stage_s)
    assert (part.time_s > stage_s) == (device != "toy"), "fetching is measured there only"


def test_what_bounds_a_draw_is_not_its_fragment_stage_alone():
    little, much = (added(StageCost(each, "sh")) for each in (1e-6, 1e-3))
    assert little.cost.bound is Bound.PASS
    assert much.cost.bound is Bound.WORK
    assert dict(much.cost.shares)["other"] == pytest.approx(1 / 3)
    assert added(StageCost(1e-3, "sh"), forecast=replace(FORECAST, cost=None)).cost is None


def test_few_long_invocations_may_take_as_long_as_one_after_another():
    block = replace(BLOCK, count=3, opcodes={"OpFAdd": 1_000_000})
    stage = TracedProgram(None, Trace("toy", (3, 1), 1.0, 1, (block,), 0.0))  # type: ignore[arg-type]
    target = Priced(StageCost(1e-6, "additive"))
    part = VertexWork(stage, 3).added(FORECAST, target).vertex  # type: ignore[arg-type]
    assert part is not None
    assert part.high_s == pytest.approx(10e-3)


def test_without_a_count_or_a_price_the_time_is_as_before():
    uncounted = VertexWork(None).added(FORECAST, Priced(None))  # type: ignore[arg-type]
    for found, why in ((uncounted, "does not count"), (added(None), "2,000 instructions in 1,000")):
        assert replace(found, vertex=None) == FORECAST
        assert found.vertex is not None
        assert why in sentence(found.vertex)


def test_a_stage_is_priced_as_a_frame_of_its_invocations():
    one = replace(STAGE.trace, blocks=(replace(BLOCK, count=1),))
    program = SimpleNamespace(entry=lambda: SimpleNamespace(id=4))
    found = vertex_work(program, one)  # type: ignore[arg-type]
    assert (found.stage.trace.size, found.invocations) == ((1, 1), 1)
