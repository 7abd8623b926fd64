"""A frame's time by stages, and the trend of a stage."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from shaderlab.gpu.measurement import Measurement, OutputTime, VertexTime
from shaderlab.prediction.cost import Bound, Cost
from shaderlab.prediction.forecast import Forecast, Validation, VertexPart
from shaderlab.studies.pipeline import (
    FrameStages,
    PassStages,
    Stage,
    between,
    foreseen,
    stages,
    trend,
)


def measured(seconds: float, floor: float, vertex: VertexTime | None = None) -> Measurement:
    return Measurement("x", "X", "driver", (64, 64), 1, (seconds,) * 3, (), floor, vertex=vertex)


def test_the_stages_of_a_pass_sum_to_its_time():
    vertex = VertexTime((1e-3, 1e-3), (1.5e-3, 1.5e-3))
    found = stages("a", measured(4e-3, 1e-3, vertex), 6)
    assert found.seconds == pytest.approx({
        Stage.VERTEX: 3e-3, Stage.PIXEL: 15e-3, Stage.PASS_AND_OUTPUT: 6e-3
    })  # fmt: skip
    assert found.total_s == pytest.approx(24e-3)
    assert found.bottleneck is Stage.PIXEL


def test_output_is_told_from_the_pass_where_it_was_measured():
    output = OutputTime((1e-3, 1.2e-3, 1.1e-3), (2.6e-3, 2.6e-3, 2.6e-3))
    vertex = VertexTime((1e-3,), (1.5e-3,))
    found = stages("a", replace(measured(9e-3, 2.6e-3, vertex), output=output), 2)
    assert found.seconds == pytest.approx({
        Stage.VERTEX: 1e-3, Stage.PIXEL: 12.8e-3, Stage.OUTPUT: 2e-3, Stage.PASS: 2.2e-3
    })  # fmt: skip
    assert found.total_s == pytest.approx(18e-3)
    quick = stages("a", replace(measured(1.3e-3, 2.6e-3), output=output), 1)
    assert quick.seconds == pytest.approx({
        Stage.VERTEX: 0.0, Stage.PIXEL: 0.0, Stage.OUTPUT: 0.2e-3, Stage.PASS: 1.1e-3
    })  # fmt: skip
    # Passes with and without: a stage that one lacks counts as nothing of it.
    both = FrameStages((found, stages("b", measured(4e-3, 1e-3), 1)), 25e-3)
    assert both.stages == (
        Stage.VERTEX, Stage.PIXEL, Stage.OUTPUT, Stage.PASS, Stage.PASS_AND_OUTPUT,
    )  # fmt: skip
    assert sum(both.shares.values()) == pytest.approx(1, abs=1e-12)
    assert both.shares[Stage.PASS_AND_OUTPUT] == pytest.approx(0.04)
    assert both.shares[Stage.UNEXPLAINED] == pytest.approx(0.12)


def test_noise_makes_no_stage_negative():
    found = stages("a", measured(1e-3, 2e-3, VertexTime((1e-3,), (3e-3,))), 1)
    assert min(found.seconds.values()) >= 0
    assert found.total_s == pytest.approx(1e-3)
    assert found.bottleneck is Stage.PASS_AND_OUTPUT
    unknown = stages("a", measured(1e-3, float("nan")), 1)
    assert unknown.seconds[Stage.PIXEL] == pytest.approx(1e-3)


def test_the_shares_of_a_frame_sum_to_one_with_what_is_unexplained():
    passes = (
        PassStages("a", {Stage.VERTEX: 0.0, Stage.PIXEL: 6e-3, Stage.PASS_AND_OUTPUT: 1e-3}),
        PassStages("b", {Stage.VERTEX: 0.0, Stage.PIXEL: 1e-3, Stage.PASS_AND_OUTPUT: 1.5e-3}),
    )
    found = FrameStages(passes, 10e-3)
    assert sum(found.shares.values()) == pytest.approx(1, abs=1e-12)
    assert found.shares[Stage.UNEXPLAINED] == pytest.approx(0.05)
    assert found.bottlenecks == {Stage.PIXEL: 0.5, Stage.PASS_AND_OUTPUT: 0.5}
    assert found.sum_error == pytest.approx(-0.05)


@pytest.mark.parametrize("power", [0, 0.125, 0.25, 0.5, 1])
def test_a_trend_without_noise_is_recovered(power):
    least = np.random.default_rng(1).lognormal(-1, 1, 1200)
    error = np.exp(-1.2 - 0.4 * least)
    found = trend(least, least * (1 + error) / (1 - error), power)
    assert (found.a, found.b) == pytest.approx((-1.2, 0.4), abs=1e-9)
    assert found.corrected(least) == pytest.approx(least * (1 + error) / (1 - error))


def test_with_noise_the_sum_is_off_by_less_than_one_percent():
    random = np.random.default_rng(2)
    least = random.lognormal(-1, 1, 1200)
    error = np.exp(-1.2 - 0.4 * least + random.normal(0, 0.1, 1200))
    times = least * (1 + error) / (1 - error)
    corrected = trend(least, times).corrected(least)
    assert abs(1 - corrected.sum() / times.sum()) < 0.01
    assert np.abs(corrected / times - 1).mean() > 0.01  # which the sum's error hides


def test_too_few_draws_are_refused():
    with pytest.raises(ValueError, match="11 draws"):
        trend([1.0] * 12, [2.0] * 11 + [0.5])


def test_a_clock_between_two_is_interpolated():
    assert between(900, (750, 1.0), (1000, 0.0)) == pytest.approx(0.4)
    assert between(900, (750, 0.0), (1000, 1.0)) == pytest.approx(0.6)


def test_a_forecast_says_which_stage_bounds_a_draw():
    made = Forecast(
        "x", 10e-3, 8e-3, 12e-3, "additive", "", Validation(None, None, None, ""),
        cost=Cost(Bound.WORK, (("arithmetic", 0.75), ("pass", 0.25))),
        vertex=VertexPart(time_s=6e-3),
    )  # fmt: skip
    found = foreseen(made)
    assert found is not None
    assert found.seconds == pytest.approx(
        {Stage.VERTEX: 6e-3, Stage.PIXEL: 3e-3, Stage.PASS_AND_OUTPUT: 1e-3}
    )
    assert found.bottleneck is Stage.VERTEX
    assert foreseen(replace(made, cost=None)) is None
