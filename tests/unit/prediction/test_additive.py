from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.prediction.additive import join

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
