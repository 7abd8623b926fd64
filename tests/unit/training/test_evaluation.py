from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from shaderlab.training import evaluation
from shaderlab.training.evaluation import evaluate, evaluate_by_decade

TIMES = arrays.arrays(np.float64, st.integers(2, 30), elements=st.floats(1e-6, 10))


def test_the_metrics_of_a_case_done_by_hand():
    measured = np.array([1.0, 2.0, 4.0, 8.0])
    predicted = np.array([1.1, 1.0, 4.0, 16.0])  # errors 0.1, 0.5, 0, 1
    result = evaluate(measured, predicted)
    assert result.n == 4
    assert result.mape.value == pytest.approx(0.4)
    assert result.median_ape.value == pytest.approx(0.3)
    assert result.within20.value == 0.5
    assert result.spearman.value == pytest.approx(0.8)  # one swap of neighbours


def test_intervals_hold_the_value_and_are_reproducible():
    generator = np.random.default_rng(7)
    measured = generator.lognormal(-8, 2, 300)
    predicted = measured * generator.lognormal(0, 0.3, 300)
    first, second = evaluate(measured, predicted), evaluate(measured, predicted)
    assert first == second
    for name in ("mape", "median_ape", "within20", "spearman"):
        estimate = getattr(first, name)
        assert estimate.low < estimate.value < estimate.high
        assert estimate.high - estimate.low < 0.2


def test_the_interval_covers_the_truth_about_as_often_as_it_says():
    generator = np.random.default_rng(11)
    hits = 0
    for _ in range(100):
        predicted = generator.exponential(0.3, 60) + 1.0
        mape = evaluate(np.ones(60), predicted, resamples=100).mape
        hits += mape.low <= 0.3 <= mape.high
    assert 85 <= hits <= 100


def test_decades_are_exact_at_the_powers_of_ten():
    times = np.array([float(f"1e{exponent}") for exponent in range(-9, 3)])
    assert evaluation.decade(times).tolist() == list(range(-9, 3))
    assert evaluation.decade(np.nextafter(times, 0)).tolist() == list(range(-10, 2))


def test_each_decade_is_evaluated_on_its_own_shaders():
    measured = np.array([2e-5, 5e-5, 1e-3, 5e-3])
    by_decade = evaluate_by_decade(measured, measured * [1.1, 1.3, 2.0, 2.0])
    assert {exponent: each.n for exponent, each in by_decade.items()} == {-5: 2, -3: 2}
    assert by_decade[-5].mape.value == pytest.approx(0.2)
    assert by_decade[-3].mape.value == pytest.approx(1.0)


@given(TIMES, st.floats(0.01, 100))
def test_the_unit_of_time_does_not_matter(measured, factor):
    predicted = measured[::-1].copy()
    plain = evaluate(measured, predicted, resamples=10)
    scaled = evaluate(measured * factor, predicted * factor, resamples=10)
    assert scaled.mape.value == pytest.approx(plain.mape.value)
    assert scaled.median_ape.value == pytest.approx(plain.median_ape.value)


@given(TIMES)
def test_a_perfect_prediction_has_no_error(measured):
    result = evaluate(measured, measured, resamples=10)
    assert (result.mape.value, result.within20.value) == (0.0, 1.0)
    assert np.isnan(result.spearman.value) or result.spearman.value == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("measured", "predicted"),
    [
        ([], []),
        ([1.0], [1.0, 2.0]),
        ([[1.0]], [[1.0]]),
        ([0.0], [1.0]),
        ([float("nan")], [1.0]),
        ([1.0], [float("inf")]),
    ],
)
def test_what_cannot_be_judged_is_refused(measured, predicted):
    with pytest.raises(ValueError, match=r"shape|shaders|time"):
        evaluate(np.array(measured), np.array(predicted))
