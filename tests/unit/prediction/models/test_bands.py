"""The band around a forecast: which range it falls into, its ends, and what it rests on."""

from __future__ import annotations

from dataclasses import replace
from math import inf, log
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.errors import InvalidModel
from shaderlab.prediction.bundles.accuracy import BandCard
from shaderlab.prediction.models.bands import (
    FLOOR,
    LEVEL,
    calibrated_band,
    calibrated_or_floor,
    checked_floor,
    conformal_band,
    range_of,
    stretched,
)

FAST = BandCard(0.0, 1e-3, 0.5, 2.0, 0.8, 40, 0.79)
MIDDLE = BandCard(1e-3, 1e-2, 0.8, 1.5, 0.8, 30, 0.81)
SLOW = BandCard(1e-2, None, 0.9, 1.25, 0.8, 20, 0.82)
BANDS = (FAST, MIDDLE, SLOW)


@pytest.mark.parametrize(
    ("time_s", "found"),
    [(1e-5, FAST), (0.99e-3, FAST), (1e-3, MIDDLE), (9e-3, MIDDLE), (1e-2, SLOW), (9.0, SLOW)],
)
def test_a_range_begins_where_the_one_before_it_ends(time_s, found):
    assert range_of(time_s, BANDS) is found


def test_a_band_is_that_of_its_range_and_says_how_often_it_held():
    band = calibrated_band(2e-3, BANDS, 0.0)
    assert (band.low_s, band.high_s) == (pytest.approx(1.6e-3), pytest.approx(3e-3))
    assert band.origin == (
        "Band: holds 80 % of validation shaders predicted from 1.00 ms to 10.0 ms "
        "(n 30; 81 % of shaders held out of its calibration)."
    )
    assert not band.extrapolated
    assert "predicted under 1.00 ms (n 40" in calibrated_band(1e-4, BANDS, 0.0).origin
    assert "predicted over 10.0 ms (n 20" in calibrated_band(1.0, BANDS, 0.0).origin
    assert "at any time" in calibrated_band(1.0, (replace(SLOW, from_s=0.0),), 0.0).origin


@pytest.mark.parametrize(("floor_s", "low_s"), [(0.0, 5e-5), (7e-5, 7e-5), (3e-4, 1e-4)])
def test_no_band_goes_below_the_floor_nor_excludes_its_forecast(floor_s, low_s):
    assert calibrated_band(1e-4, BANDS, floor_s).low_s == pytest.approx(low_s)
    assert stretched(1e-4, BANDS, floor_s, 1.0, 1.0)[0] == pytest.approx(low_s)


@given(st.floats(1e-6, 1.0), st.floats(1.0, 5.0), st.floats(1.0, 5.0))
def test_a_stretched_band_is_so_many_times_as_long(time_s, below, above):
    own = calibrated_band(time_s, BANDS, 0.0)
    low_s, high_s = stretched(time_s, BANDS, 0.0, below, above)
    assert log(low_s / time_s) == pytest.approx(below * log(own.low_s / time_s))
    assert log(high_s / time_s) == pytest.approx(above * log(own.high_s / time_s))


def test_where_a_gpu_may_run_next_to_nothing_the_band_goes_down_to_the_floor():
    method = SimpleNamespace(bands=BANDS)
    usual = calibrated_or_floor(method, 1e-6, 2e-3, reads_uninitialised=False)
    assert usual == calibrated_band(2e-3, BANDS, 1e-6)
    assert calibrated_or_floor(method, 1e-6, 2e-3, reads_uninitialised=True) == replace(
        usual, low_s=1e-6
    )


@pytest.mark.parametrize("floor_s", [1e-9, 1e-5, 10.0])
def test_a_floor_is_a_time_that_a_frame_may_take(floor_s):
    assert checked_floor({FLOOR: np.array([floor_s])}) == floor_s


@pytest.mark.parametrize("floor_s", [0.9e-9, 0.0, -1.0, 10.1, inf, float("nan")])
def test_a_floor_that_is_none_is_refused(floor_s):
    with pytest.raises(InvalidModel, match="weights: floor"):
        checked_floor({FLOOR: np.array([floor_s])})


def test_a_band_of_ratios_holds_as_many_as_it_says():
    ratios = np.geomspace(0.25, 4.0, 101)
    card = conformal_band(ratios, np.random.default_rng(1), 1e-3, 1e-2)
    assert (card.from_s, card.to_s, card.n, card.level) == (1e-3, 1e-2, 101, LEVEL)
    inside = np.mean((card.low <= ratios) & (ratios <= card.high))
    assert LEVEL <= inside < LEVEL + 0.05
    assert card.low == pytest.approx(1 / card.high, abs=0.02)
    assert card.coverage == pytest.approx(LEVEL, abs=0.1)
    assert card.low == round(card.low, 4)
    anywhere = conformal_band(ratios, np.random.default_rng(1))
    assert (anywhere.from_s, anywhere.to_s) == (0.0, None)
