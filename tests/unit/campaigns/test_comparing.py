"""How many draws a trial has, and how well the ratio of two times is known."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.campaigns.comparing import draws_of, uncertainty


@pytest.mark.parametrize(
    ("single_s", "draws"), [(0.04, 3), (0.15, 1), (9.0, 1), (1e-4, 100), (0.0, 100)]
)
def test_a_trial_lasts_about_a_seventh_of_a_second(single_s, draws):
    assert draws_of(single_s) == draws


def test_the_uncertainty_is_that_of_a_median_of_normal_errors():
    # Logarithms of the ratio -2 s, -s, 0, s, 2 s: the median distance from their median is s.
    s = 0.01
    turns = [(1.0, math.exp(step * s)) for step in (-2, -1, 0, 1, 2)]
    deviation = 1.4826 * s  # of a normal distribution with that median distance
    assert uncertainty(turns) == pytest.approx(1.96 * 1.2533 * deviation / math.sqrt(5))


@given(st.lists(st.floats(0.1, 10), min_size=1, max_size=9), st.floats(0.1, 10))
def test_what_slows_both_halves_of_a_turn_leaves_no_uncertainty(slowness, ratio):
    turns = [(each, each * ratio) for each in slowness]
    assert uncertainty(turns) == pytest.approx(0.0, abs=1e-9)


def test_the_median_of_four_times_the_turns_is_known_twice_as_well():
    turns = [(1.0, 1.01), (1.0, 0.99), (1.0, 1.0)]
    assert uncertainty(4 * turns) == pytest.approx(uncertainty(turns) / 2)
