from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from models.laboratory.cards import BAND_STARTS_S, LEAST, bands


def samples(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Predicted times over four decades, and measured ones that err more where they are long."""
    generator = np.random.default_rng(seed)
    predicted = 10 ** generator.uniform(-5.5, -1.5, n)
    width = np.where(predicted < 1e-4, 0.05, 0.5)
    return predicted * np.exp(generator.normal(0.0, width)), predicted


def test_new_shaders_lie_inside_as_often_as_it_says():
    inside = []
    for seed in range(25):
        for band in bands(*samples(200, seed)):
            measured, predicted = samples(400, seed + 1000)
            to_s = np.inf if band.to_s is None else band.to_s
            mine = (predicted >= band.from_s) & (predicted < to_s)
            ratios = measured[mine] / predicted[mine]
            inside += ((ratios >= band.low) & (ratios <= band.high)).tolist()
    assert 0.8 <= np.mean(inside) < 0.86


def test_ranges_err_differently_and_cover_all_times():
    found = bands(*samples(600, 1))
    assert len(found) == len(BAND_STARTS_S)
    assert [band.to_s for band in found[:-1]] == [band.from_s for band in found[1:]]
    assert (found[0].from_s, found[-1].to_s) == (0.0, None)
    assert found[0].high / found[0].low < 1.3 < 2 < found[-1].high / found[-1].low
    assert all(0.7 < band.coverage < 0.95 for band in found)


@settings(max_examples=30)
@given(st.integers(LEAST, 400), st.integers(0, 1000))
def test_no_range_stands_on_few_shaders(n, seed):
    measured, predicted = samples(n, seed)
    found = bands(measured, predicted)
    assert sum(band.n for band in found) == n
    assert all(band.n >= LEAST for band in found)
    assert all(band.low <= 1 <= band.high for band in found)
