from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.app.panels.targets.cells import change_colour, change_text
from shaderlab.app.widgets.theme import DARK, LIGHT
from shaderlab.prediction.catalogue.change_bands import ChangeBand
from shaderlab.prediction.forecast import Forecast, Validation
from shaderlab.prediction.forecasts.time_changes import Change, History, change_of
from shaderlab.prediction.forms import Form

MINUS = "\u2212"


@pytest.mark.parametrize(
    ("now", "then", "relative", "absolute", "slower"),
    [
        (1.12e-3, 1e-3, "+12 %", "+120 µs", True),
        (0.5e-3, 1e-3, f"{MINUS}50 %", f"{MINUS}500 µs", False),
        (1.0005, 1.0, "", "", False),
        (50e-3, 20e-6, "\u00d72500", "+50.0 ms", True),
        (20e-6, 50e-3, f"{MINUS}100 %", f"{MINUS}50.0 ms", False),
    ],
)
def test_changes_are_signed_in_percent_and_time(now, then, relative, absolute, slower):
    change = change_of(now, then)
    assert (change.relative, change.absolute, change.slower) == (relative, absolute, slower)
    assert bool(change) == bool(relative)


@pytest.mark.parametrize("then", [None, 0.0, -1.0, float("nan"), float("inf")])
def test_without_a_time_before_there_is_no_change(then):
    assert change_of(1.0, then) is None
    assert change_text(None) == "\u2013"


times = st.floats(1e-7, 1e3)


@given(times, times)
def test_there_and_back_are_told_with_opposite_signs(now, then):
    there, back = change_of(now, then), change_of(then, now)
    if there and back:
        assert there.slower is not back.slower
        assert there.absolute[1:] == back.absolute[1:]


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_slower_is_red_faster_is_green_and_neither_the_same_nor_the_unknown_is(theme):
    band = ChangeBand("gpu", "pilr", 99, 0.1, 0.1, 0.8)
    assert change_colour(change_of(2.0, 1.0, band), theme) == theme.error
    assert change_colour(change_of(1.0, 2.0, band), theme) == theme.good
    assert change_colour(change_of(1.05, 1.0, band), theme) == theme.dim, "or slower, or faster"
    assert change_colour(change_of(1.0, 1.05, band), theme) == theme.dim
    assert change_colour(change_of(2.0, 1.0), theme) == theme.dim
    assert change_of(2.0, 1.0).known == "change not validated"
    assert change_colour(change_of(1.0, 1.0), theme) == change_colour(None, theme) == theme.dim
    assert change_text(change_of(1.0, 1.0)) == "same"
    assert change_text(Change("+5 %", "+1 µs", True)) == "+5 %"


def forecasts(method="pilr", **times_s: float) -> list[Forecast]:
    blind = Validation(None, None, None, "")
    return [Forecast(t, s, s, s, method, "", blind) for t, s in times_s.items()]


def test_the_version_before_is_the_last_other_program():
    history = History()
    history.add("first", forecasts(a=1.0))
    assert history.before_s == {}
    history.add("first", forecasts(a=1.0, b=3.0))
    assert history.before_s == {}, "the same program again"
    history.add("second", forecasts(a=2.0))
    assert history.before_s == {("a", "pilr", "written"): 1.0}, "b has no time to compare"
    history.add("second", forecasts(a=2.0, b=4.0))
    assert history.before_s == {("a", "pilr", "written"): 1.0, ("b", "pilr", "written"): 3.0}
    history.add("first", forecasts(a=1.0))
    assert history.before_s[("a", "pilr", "written")] == 2.0, "undoing is a change too"
    history.clear()
    history.add("third", forecasts(a=5.0))
    assert history.before_s == {}, "another document"


def test_a_method_is_compared_with_itself_however_often_the_others_came_between():
    history = History()
    history.add("first", forecasts(a=1.0))
    history.add("first", forecasts("slow", a=1.5))
    assert history.now_s == {("a", "pilr", "written"): 1.0, ("a", "slow", "written"): 1.5}
    for n in range(3):
        history.add(f"typing {n}", forecasts(a=2.0 + n))
    assert history.before_s == {("a", "pilr", "written"): 3.0}
    history.add("typing 2", forecasts("slow", a=6.0))
    assert history.before_s == {("a", "pilr", "written"): 3.0, ("a", "slow", "written"): 1.5}
    assert history.now_s == {("a", "pilr", "written"): 4.0, ("a", "slow", "written"): 6.0}


def test_a_method_that_rests_on_another_form_is_not_compared():
    history = History()
    (first,) = forecasts("matched", a=1.0)
    history.add("one", [first])
    history.add("one", [replace(first, form=Form.COMPILED, time_s=0.5)])
    history.add("two", [replace(first, time_s=3.0)])
    assert history.before_s == {("a", "matched", "written"): 1.0}
