from dataclasses import dataclass, field, replace
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.app.panels.targets.bars import Beside, Scale, bars_of, scale_of, short_name
from shaderlab.app.panels.targets.cells import change_colour, tip_of
from shaderlab.app.widgets.theme import DARK
from shaderlab.prediction.catalogue.change_bands import ChangeBand
from shaderlab.prediction.forecast import Forecast, Side, Status, Validation
from shaderlab.prediction.forecasts.time_changes import COUNTING
from shaderlab.prediction.forms import Form


@dataclass
class Named:
    name: str
    changes: dict = field(default_factory=dict)
    vendor: str = ""


def forecast(target="rtx3060", time_s=4.14e-3, low_s=3e-3, high_s=6e-3, **more) -> Forecast:
    validated = Validation(0.29, 0.95, 100, "somebody")
    return Forecast(target, time_s, low_s, high_s, "pilr", "basis", validated, **more)


def test_bars_are_sorted_and_named():
    bars = bars_of(
        [forecast("b", 2.0), forecast("a", 1.0, warnings=("small",))],
        {"a": Named("GeForce RTX 3060")},
    )
    assert [bar.name for bar in bars] == ["RTX 3060", "b"]
    assert [bar.warnings for bar in bars] == [("small",), ()]


def test_targets_without_a_time_come_last_and_say_so():
    bars = bars_of([forecast(f"t{t}", time_s=t) for t in (nan, 2.0, inf, 0.0, -1.0)], {})
    assert [bar.time for bar in bars] == ["2.00 s", *["no time"] * 4]
    none = forecast(time_s=None, low_s=None, high_s=None, status=Status.NONE)
    (bar,) = bars_of([none], {}, Beside({none.comparable: 1.0}))
    assert (bar.time, bar.band, bar.since_last) == ("no time", "", None)
    assert scale_of([bar]) is None


def test_a_lower_bound_is_a_row_without_an_upper_end_or_a_change():
    (bar,) = bars_of(
        [forecast(time_s=None, high_s=None, status=Status.LOWER_BOUND)],
        {},
        Beside({("rtx3060", "pilr", "written"): 1.0}),
    )
    assert (bar.time, bar.band) == ("\u2265\u202f3.00 ms", "no upper bound")
    assert bar.since_last is None


def test_an_estimate_is_marked_as_one():
    (bar,) = bars_of([forecast(status=Status.ESTIMATE)], {})
    assert (bar.time, bar.band) == ("\u2248\u202f4.14 ms", "3.00 ms \u2013 6.00 ms")


WRITTEN, COMPILED = ("rtx3060", "pilr", "written"), ("rtx3060", "additive-compiled", "compiled")


def test_outdated_numbers_stand_beside_no_change():
    beside = Beside({WRITTEN: 1e-3}, {WRITTEN: 2e-3}, outdated=True)
    (bar,) = bars_of([forecast()], {}, beside)
    assert bar.since_last is bar.since_pinned is COUNTING
    assert not bar.since_last, "no figure, no direction"
    (left,) = bars_of([forecast()], {}, replace(beside, awaited=False))
    assert (left.since_last, left.since_pinned) == (None, None), "the text does not compile"
    (alone,) = bars_of([forecast()], {}, Beside(outdated=True))
    assert alone.since_last is alone.since_pinned is None, "there is nothing to compare with"


def test_unequal_stages_are_not_compared_but_waited_for():
    pinned = {COMPILED: 2e-3}
    (bar,) = bars_of([forecast()], {}, Beside({}, pinned, finer={"rtx3060": Form.COMPILED}))
    assert bar.since_pinned is COUNTING
    assert bar.time == "4.14 ms\u2026"
    (bar,) = bars_of([forecast()], {}, Beside({}, pinned))
    assert bar.since_pinned is None, "the stage will not come"
    (bar,) = bars_of(
        [forecast()], {}, Beside({}, {WRITTEN: 2.07e-3}, finer={"rtx3060": Form.COMPILED})
    )
    assert bar.since_pinned.relative == "+100 %", "equal stages, though not the last"


def test_bands_hold_the_value_they_belong_to():
    (bar,) = bars_of([forecast(time_s=1.0, low_s=2.0, high_s=0.5)], {})
    assert bar.low_s <= bar.time_s <= bar.high_s


def test_a_row_tells_time_band_and_method():
    (bar,) = bars_of([forecast()], {})
    assert (bar.time_s, bar.band, bar.method) == (4.14e-3, "3.00 ms \u2013 6.00 ms", "PILR")
    assert bar.since_last is bar.since_pinned is None


def test_changes_are_told_against_the_version_before_and_the_pinned_variant():
    known, new = bars_of(
        [forecast("a", 0.9), forecast("b", 2.0)],
        {},
        Beside(
            {("a", "pilr", "written"): 0.6, ("b", "another method", "written"): 1.0},
            {("a", "pilr", "written"): 1.0, ("b", "pilr", "written"): nan},
        ),
    )
    assert known.pinned_s == 1.0
    assert (known.since_last.relative, known.since_last.slower) == ("+50 %", True)
    assert (known.since_pinned.relative, known.since_pinned.slower) == ("\u221210 %", False)
    assert new.pinned_s is new.since_last is new.since_pinned is None


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


def test_the_axis_is_logarithmic_and_holds_every_band():
    bars = bars_of([forecast("a", 1e-5, 8e-6, 2e-5), forecast("b", 1e-2, 5e-3, 2e-2)], {})
    scale = scale_of(bars)
    assert scale.at(min(bar.low_s for bar in bars)) > 0
    assert scale.at(max(bar.high_s for bar in bars)) < 1
    assert scale.at(1e-3) - scale.at(1e-4) == pytest.approx(scale.at(1e-4) - scale.at(1e-5))


def test_nearly_equal_times_look_nearly_equal():
    scale = scale_of(bars_of([forecast("a", 1.0, 1.0, 1.0), forecast("b", 1.1, 1.1, 1.1)], {}))
    assert scale.at(1.1) - scale.at(1.0) < 0.05


def test_one_endless_band_does_not_squeeze_the_others():
    bars = bars_of([forecast("a", 1.0, 0.5, 1000.0), forecast("b", 2.0, 1.0, 3.0)], {})
    scale = scale_of(bars)
    assert scale.high_s < 30
    assert scale.at(1000.0) == 1, "cut off at the end"


def test_a_budget_is_on_the_axis_unless_it_is_far_off():
    bars = bars_of([forecast("a", 1e-3, 8e-4, 2e-3)], {})
    assert 0 < scale_of(bars, 1 / 60).at(1 / 60) < 1
    assert scale_of(bars, 10.0) == scale_of(bars)


seconds = st.floats(1e-7, 1e2)


@given(st.lists(seconds, min_size=1, max_size=12))
def test_every_scale_has_round_ticks_inside_it_and_keeps_the_order(times):
    scale = scale_of(bars_of([forecast(str(n), t, t / 2, t * 2) for n, t in enumerate(times)], {}))
    assert 1 <= len(scale.ticks_s) <= 12
    for tick in scale.ticks_s:
        assert scale.low_s <= tick <= scale.high_s * 1.0001
        assert f"{tick:.0e}"[0] in "123456789"
    places = [scale.at(t) for t in sorted(times)]
    assert places == sorted(places)
    assert all(0 <= place <= 1 for place in places)


def test_ticks_are_decades_and_of_a_short_axis_more():
    assert Scale(5e-6, 0.2).ticks_s == pytest.approx((1e-5, 1e-4, 1e-3, 1e-2, 1e-1))
    assert Scale(1.0, 300.0).ticks_s == (1, 10, 100)
    assert Scale(4e-4, 6e-3).ticks_s == pytest.approx((5e-4, 1e-3, 2e-3, 5e-3))


def test_a_change_has_its_own_band_where_the_forecast_is_sure():
    band = ChangeBand("rtx3060", "pilr", 99, 0.1, 0.1, 0.8)
    targets = {"rtx3060": Named("RTX 3060", {"pilr": band})}
    beside = Beside({WRITTEN: 2.07e-3})
    (bar,) = bars_of([forecast()], targets, beside)
    assert bar.since_last.relative == "+100 %"
    assert bar.since_last.within == "+69 % to +137 %"
    assert bar.since_last.clear
    (bar,) = bars_of([forecast()], targets, Beside({WRITTEN: 4e-3}))
    assert not bar.since_last.clear, "it may as well be faster"
    for doubtful in (forecast(domain=Side.OUTSIDE), forecast(status=Status.ESTIMATE)):
        (bar,) = bars_of([doubtful], targets, beside)
        assert bar.since_last.within == ""
        assert not bar.since_last.clear
    for unknown in ({}, {"rtx3060": Named("RTX 3060", {})}):
        (bar,) = bars_of([forecast()], unknown, beside)
        assert bar.since_last.slower
        assert change_colour(bar.since_last, DARK) == DARK.dim
        assert "+100 % (+2.07 ms) vs previous; change not validated" in tip_of(bar)
