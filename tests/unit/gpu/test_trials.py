from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shaderlab.gpu.trials import (
    FEWEST_TRIALS,
    MEASUREMENT_S,
    SUBMISSION_S,
    fewer_draws,
    is_settled,
    outliers,
    plan,
)
from shaderlab.stats import mean_interval


@pytest.mark.parametrize(
    ("draw_s", "expected"),
    [
        (0.0, (10, 30)),
        (1e-3, (10, 30)),
        (0.05, (10, 10)),
        (0.3, (10, 1)),
        (3.0, (6, 1)),
        (100.0, (3, 1)),
    ],
)
def test_slow_shaders_get_fewer_draws_then_fewer_trials(draw_s, expected):
    assert plan(draw_s, trials=10, draws=30) == expected


@settings(deadline=None)
@given(st.floats(0, 1e4), st.integers(1, 100), st.integers(1, 1000))
def test_plans_keep_their_promises(draw_s, trials, draws):
    planned = plan(draw_s, trials, draws)
    assert 1 <= planned.draws <= draws
    assert min(trials, FEWEST_TRIALS) <= planned.trials <= trials
    assert planned.draws == 1 or planned.draws * draw_s <= SUBMISSION_S
    total = planned.trials * planned.draws * draw_s
    assert planned.trials <= FEWEST_TRIALS or total <= MEASUREMENT_S


def test_outliers_lie_beyond_seven_mads():
    trials = np.array([1.00, 1.01, 0.99, 1.02, 0.98, 1.14, 1.13, 0.80])
    # median 1.005, deviations' median 0.02
    assert outliers(trials, 1e-9) == (7,)
    near = np.array([1.00, 1.01, 0.99, 2.0, 1.06, 0.98, 1.0, 1.0, 0.5])
    assert outliers(near, 1e-9) == (3, 8)


def test_equal_trials_reject_no_neighbour_within_the_clocks_resolution():
    trials = np.array([5.0, 5.0, 5.0, 5.0, 5.001])
    assert outliers(trials, 0.001) == ()
    assert outliers(trials, 0.0001) == (4,)


@settings(deadline=None)
@given(st.lists(st.floats(1e-6, 10.0), min_size=1, max_size=30))
def test_most_trials_are_always_kept(trials):
    assert len(outliers(np.array(trials), 1e-9)) < max(1, len(trials) / 2)


@pytest.mark.parametrize(("draws", "fewer"), [(1, ()), (3, ()), (4, (2, 1)), (30, (15, 7))])
def test_linearity_needs_distinct_numbers_of_draws(draws, fewer):
    assert fewer_draws(draws) == fewer


@given(st.lists(st.floats(0.5, 2.0), min_size=1, max_size=12), st.floats(1e-3, 0.5))
def test_trials_are_enough_once_their_mean_is_known(trials, fraction):
    seconds = np.array(trials)
    low, high = mean_interval(seconds)
    known = len(trials) >= FEWEST_TRIALS and (high - low) / 2 <= fraction * seconds.mean()
    assert is_settled(seconds, fraction) == known
    assert is_settled(np.full(FEWEST_TRIALS, seconds[0]), fraction)
    assert not is_settled(np.full(FEWEST_TRIALS - 1, seconds[0]), fraction)
