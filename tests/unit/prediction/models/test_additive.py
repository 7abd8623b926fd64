from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.prediction.cost import PASS, Bound, Cost
from shaderlab.prediction.features.kinds import OTHER
from shaderlab.prediction.features.lane_work import LaneWork
from shaderlab.prediction.models.additive import Late, Weights, bound_by, join, price, seconds

SECONDS = st.floats(1e-12, 1e6)
EXPONENTS = st.floats(1.0, 50.0)


@given(SECONDS, SECONDS, EXPONENTS)
def test_floor_and_work_join_between_the_larger_and_the_sum(floor_s, work_s, exponent):
    time_s = join(floor_s, work_s, exponent)
    assert max(floor_s, work_s) <= time_s <= (floor_s + work_s) * (1 + 1e-12)


@given(SECONDS, SECONDS, st.floats(1.0, 1e3), EXPONENTS)
def test_more_work_never_takes_less_time(floor_s, work_s, more, exponent):
    less = join(floor_s, work_s, exponent)
    assert join(floor_s, work_s * more, exponent) >= less * (1 - 1e-12)


def test_work_far_below_the_floor_hides_behind_it():
    assert join(1.7e-5, 1e-6, 4.0) == pytest.approx(1.7e-5, rel=1e-5)
    assert join(0.0, 0.0, 4.0) == 0.0


RISING = Weights(
    kinds=(), prices=np.zeros(0), floor_s=2e-5, exponent=4.0, bound=0.0, mean=np.zeros(0),
    scale=np.ones(0), low=np.zeros(0), high=np.zeros(0), hidden=np.zeros((1, 1)), out=np.zeros(2),
    late=Late(4e-4, 0.3, 6.0),
)  # fmt: skip


@given(SECONDS, st.floats(1.0, 1e3))
def test_with_a_clock_that_rises_more_work_still_takes_more_time(work_s, more):
    assert seconds(RISING, work_s * more) >= seconds(RISING, work_s) * (1 - 1e-9)
    steady = seconds(replace(RISING, late=None), work_s)
    assert seconds(RISING, work_s) <= steady * (1 + 1e-12)


def test_a_clock_that_rises_bends_the_time_of_long_frames_alone():
    steady = replace(RISING, late=None)
    assert seconds(RISING, 5e-5) == pytest.approx(seconds(steady, 5e-5), rel=1e-3)
    assert seconds(RISING, 1e-2) == pytest.approx(4e-4 + 0.3 * 1e-2, rel=1e-3)


def test_work_is_bound_by_the_pass_the_clock_or_itself():
    steady = replace(RISING, late=None)
    assert bound_by(RISING, 1e-5) is Bound.PASS
    assert bound_by(RISING, 1e-4) is Bound.WORK
    assert bound_by(RISING, 8e-4) is Bound.CLOCK, "risen, and mostly the time that takes"
    assert bound_by(RISING, 1e-2) is Bound.WORK, "risen long since"
    assert bound_by(steady, 8e-4) is Bound.WORK


def test_only_what_the_pass_bounds_cannot_be_optimised():
    shares = (("transcendental", 0.6), ("arithmetic", 0.3), (PASS, 0.1))
    bound = Cost(Bound.PASS, shares, 0.25)
    assert bound.advice("RTX 3060") == (
        "Optimising this changes nothing on the RTX 3060: 25 % of validation shaders are as fast "
        "as its pass."
    )
    assert "transcendental" in replace(bound, bound=Bound.WORK).advice("RTX 3060")
    assert "clock" in replace(bound, bound=Bound.CLOCK).advice("RTX 3060")


def test_a_price_divides_over_instructions_and_kinds():
    kinds = ("varying:OpFAdd", "varying:OpFMul")
    weights = replace(
        RISING, kinds=kinds, prices=np.array([1e-12, 3e-12]), mean=np.zeros(1), scale=np.ones(1),
        low=np.zeros(1), high=np.zeros(1), hidden=np.zeros((2, 1)), out=np.zeros(2),
    )  # fmt: skip
    work = LaneWork(
        (*kinds, "varying:OpUnheardOf"), np.array([0, 1, 1]), np.array([2e6, 1e6, 1e6]),
        np.array([7, 8, 9]),
    )  # fmt: skip
    priced = price(weights, work, np.zeros(1))
    assert priced.work_s == pytest.approx(8e-6)
    assert priced.parts.tolist() == pytest.approx([0.25, 0.375, 0.375])
    assert priced.instruction.tolist() == [7, 8, 9]
    assert priced.by_kind == pytest.approx({"varying:OpFAdd": 0.25, "varying:OpFMul": 0.75})
    assert priced.unknown_share == 0.0
    assert priced.time_s == pytest.approx(seconds(weights, 8e-6))
    nothing = LaneWork((), *(np.zeros(0, kind) for kind in (int, float, int)))
    assert price(weights, nothing, np.zeros(1)).by_kind == {}


def test_a_texture_read_without_a_price_is_left_to_the_texture_term():
    """Other work without a price has that of work of all kinds."""
    weights = replace(
        RISING, kinds=("varying:OpFAdd", OTHER), prices=np.array([1e-12, 5e-12]), mean=np.zeros(1),
        scale=np.ones(1), low=np.zeros(1), high=np.zeros(1), hidden=np.zeros((2, 1)),
        out=np.zeros(2),
    )  # fmt: skip
    kinds = ("varying:OpFAdd", "varying:OpImageSampleImplicitLod", "varying:OpUnheardOf")
    work = LaneWork(kinds, np.array([0, 1, 2]), np.full(3, 1e6), np.array([7, 8, 9]))
    priced = price(weights, work, np.zeros(1))
    assert priced.work_s == pytest.approx(6e-6)
    assert priced.parts.tolist() == pytest.approx([1 / 6, 0.0, 5 / 6])
    assert (priced.reads_textures, priced.prices_textures) == (True, False)
    assert priced.unknown_share == pytest.approx(1 / 3)
