from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.gpu.plan import FEWEST_TRIALS
from shaderlab.gpu.trials import is_settled, outliers
from shaderlab.stats import mean_interval


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


@given(st.lists(st.floats(1e-6, 10.0), min_size=1, max_size=30))
def test_most_trials_are_always_kept(trials):
    assert len(outliers(np.array(trials), 1e-9)) < max(1, len(trials) / 2)


@given(st.lists(st.floats(0.5, 2.0), min_size=1, max_size=12), st.floats(1e-3, 0.5))
def test_trials_are_enough_once_their_mean_is_known(trials, fraction):
    seconds = np.array(trials)
    woke = 0 in outliers(seconds, fraction * float(np.median(seconds)))
    kept = seconds[woke:]
    known = len(kept) >= FEWEST_TRIALS
    if known:
        low, high = mean_interval(kept)
        known = (high - low) / 2 <= fraction * kept.mean()
    assert is_settled(seconds, fraction) == known
    assert is_settled(np.full(FEWEST_TRIALS, seconds[0]), fraction)
    assert not is_settled(np.full(FEWEST_TRIALS - 1, seconds[0]), fraction)


def test_a_first_trial_that_woke_the_clocks_asks_for_no_more_than_another_one():
    assert not is_settled(np.array([3.0, 1.0, 1.0]), 0.005)
    assert is_settled(np.array([3.0, 1.0, 1.0, 1.001]), 0.005)


def test_of_99_runs_the_seven_that_were_disturbed_are_left_out():
    """HALWPE's Fig. 8: the warm-up gone, 7 of 99 runs beyond 7 median absolute deviations."""
    random = np.random.default_rng(8)
    runs = 12e-3 * (1 + 0.004 * random.uniform(-1, 1, 99))
    disturbed = (3, 17, 18, 40, 61, 77, 98)
    runs[list(disturbed)] *= (1.06, 1.4, 1.12, 1.05, 2.0, 0.9, 1.08)
    assert outliers(runs, 1e-6) == disturbed
