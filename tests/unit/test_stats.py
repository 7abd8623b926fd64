from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from shaderlab import stats
from shaderlab.stats import Estimate, conformal_factors, estimate, line_through, mean_interval

VALUES = arrays.arrays(np.float64, st.integers(2, 30), elements=st.floats(1e-6, 10))


@settings(deadline=None)  # the first call loads LAPACK
@given(
    st.lists(st.integers(1, 10**7), min_size=2, max_size=8, unique=True),
    st.floats(1e-12, 1.0),
    st.floats(0.0, 10.0),
)
def test_times_on_a_line_give_that_line(amounts, slope, intercept):
    line = line_through(amounts, [intercept + slope * n for n in amounts])
    assert line.deviation < 1e-6
    if intercept < 1e6 * slope * min(amounts):  # else the slope drowns in rounding
        assert line.slope_s == pytest.approx(slope, rel=1e-6)


def test_every_amount_counts_alike():
    """An absolute fit would follow the long time and miss the short ones by half."""
    line = line_through([1, 2, 100], [1.0, 2.0, 110.0])
    assert abs((line.intercept_s + line.slope_s) - 1.0) < 0.1
    assert line.deviation == pytest.approx(
        np.max(np.abs((line.intercept_s + line.slope_s * np.array([1, 2, 100])) / [1, 2, 110] - 1))
    )


def test_a_dropped_draw_is_no_line():
    assert line_through([4, 8, 16], [1.0, 1.0, 1.9]).deviation > 0.05


@pytest.mark.parametrize("seconds", [[1.0, 0.0], [1.0, -1.0]])
def test_no_line_through_impossible_times(seconds):
    with pytest.raises(ValueError, match="line"):
        line_through([1, 2], seconds)


def test_no_line_through_one_amount():
    with pytest.raises(ValueError, match="two amounts"):
        line_through([3, 3], [1.0, 2.0])


@pytest.mark.parametrize(("n", "t"), [(2, 12.706), (3, 4.303), (10, 2.262), (31, 2.042)])
def test_intervals_are_students(n, t):
    """Against the published table of Student's t (two-sided, 95 %)."""
    trials = np.arange(n, dtype=float)
    low, high = mean_interval(trials)
    assert (high - low) / 2 == pytest.approx(t * trials.std(ddof=1) / np.sqrt(n), rel=1e-3)
    assert (high + low) / 2 == pytest.approx(trials.mean())


def test_a_single_trial_bounds_nothing():
    assert np.isnan(mean_interval(np.array([1.0]))).all()


def test_coverage_counts_both_ends():
    times = np.array([1.0, 2.0, 3.0, 4.0])
    assert stats.coverage(times, np.full(4, 2.0), np.full(4, 3.0)) == 0.5


@given(VALUES, st.integers(0, 2**32))
def test_spearman_is_the_correlation_of_ranks_even_with_ties(values, seed):
    other = np.random.default_rng(seed).permutation(np.round(values, 1))
    ours = stats.spearman(values, other)
    if np.ptp(values) == 0 or np.ptp(other) == 0:
        assert np.isnan(ours)
        return

    def ranks(numbers):
        below = (numbers[None, :] < numbers[:, None]).sum(1)
        equal = (numbers[None, :] == numbers[:, None]).sum(1)
        return below + (equal - 1) / 2

    assert ours == pytest.approx(np.corrcoef(ranks(values), ranks(other))[0, 1], abs=1e-12)


@settings(deadline=None)
@given(VALUES, st.integers(0, 2**32))
def test_resampled_spearman_is_that_of_every_resample(values, seed):
    generator = np.random.default_rng(seed)
    left, right = np.round(values, 1), generator.permutation(np.round(values, 0))
    draws = generator.integers(0, len(values), (20, len(values)))
    at_once = stats.resampled_spearman(left, right, draws)
    one_by_one = [stats.spearman(left[draw], right[draw]) for draw in draws]
    np.testing.assert_allclose(at_once, one_by_one, atol=1e-12)


def test_quantiles_are_those_of_each_tail_with_one_more_shader():
    ratios = np.arange(1, 20) / 10  # 19 shaders: the 2nd and the 18th are 10 % and 90 % of 20
    assert conformal_factors(ratios, 0.8) == (pytest.approx(0.2), pytest.approx(1.8))
    assert conformal_factors(np.array([1.5, 2.0]), 0.8) == (1.0, 2.0)


def test_an_estimate_has_the_interval_of_its_finite_resamples():
    found = estimate(3.0, np.array([*range(101), np.nan, np.inf]))
    assert found == Estimate(3.0, pytest.approx(2.5), pytest.approx(97.5))
    unknown = estimate(3.0, np.array([np.nan, np.inf]))
    assert (unknown.value, np.isnan([unknown.low, unknown.high]).all()) == (3.0, True)
