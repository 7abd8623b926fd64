from dataclasses import dataclass, replace
from math import inf, nan

import pytest

from shaderlab.app.target_bars import bars_of, columns_of, scale_of, short_name
from shaderlab.prediction.forecast import Forecast, Validation


@dataclass
class Named:
    name: str


def forecast(target="rtx3060", time_s=4.14e-3, low_s=3e-3, high_s=6e-3, **more) -> Forecast:
    validated = Validation(0.29, 0.95, 100, "somebody")
    return Forecast(target, time_s, low_s, high_s, "pilr", "basis", validated, **more)


def test_bars_are_sorted_and_named():
    bars = bars_of(
        [forecast("b", 2.0), forecast("a", 1.0, warnings=("small",))],
        {"a": Named("GeForce RTX 3060")},
    )
    assert [bar.name for bar in bars] == ["RTX 3060", "b"]
    assert [bar.doubtful for bar in bars] == [True, False]


def test_what_is_no_time_is_left_out():
    assert bars_of([forecast(time_s=t) for t in (nan, inf, 0.0, -1.0)], {}) == ()


def test_bands_hold_the_value_they_belong_to():
    (bar,) = bars_of([forecast(time_s=1.0, low_s=2.0, high_s=0.5)], {})
    assert bar.low_s <= bar.time_s <= bar.high_s


def test_columns():
    assert columns_of(forecast()) == ("4.14 ms", "PILR", "29 %")
    blind = replace(forecast(), validated=Validation(None, None, None, ""))
    assert columns_of(blind)[2] == "unknown"


def test_changes_are_told_against_the_pinned_variant():
    known, new = bars_of([forecast("a", 0.9), forecast("b", 2.0)], {}, {"a": 1.0, "b": nan})
    assert known.pinned_s == 1.0
    assert known.columns[0] == "900 ms (\u221210 %)"
    assert new.pinned_s is None
    assert new.columns[0] == "2.00 s"


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("GeForce RTX 4060 Laptop", "RTX 4060 Laptop"),
        ("NVIDIA GeForce GTX 1660 Ti", "GTX 1660 Ti"),
        ("Radeon RX 7900 GRE", "RX 7900 GRE"),
        ("Radeon Graphics (Renoir APU)", "Renoir APU"),
        ("UHD Graphics 630", "UHD Graphics 630"),
        ("llvmpipe", "llvmpipe"),
    ],
)
def test_short_names(name, short):
    assert short_name(name) == short


def test_near_times_have_a_scale_from_zero():
    log, low, high = scale_of(bars_of([forecast("a", 1.0, 0.9, 1.1), forecast("b", 3.0, 2, 4)], {}))
    assert not log
    assert low == 0
    assert high > 4


def test_far_times_have_a_logarithmic_scale_that_holds_every_bar():
    bars = bars_of([forecast("a", 1e-5, 8e-6, 2e-5), forecast("b", 1e-2, 5e-3, 2e-2)], {})
    log, low, high = scale_of(bars)
    assert log
    assert 0 < low < min(bar.low_s for bar in bars)
    assert high > max(bar.high_s for bar in bars)


def test_one_endless_band_does_not_squeeze_the_bars():
    bars = bars_of([forecast("a", 1.0, 0.5, 1000.0), forecast("b", 2.0, 1.0, 3.0)], {})
    assert scale_of(bars)[2] < 10
