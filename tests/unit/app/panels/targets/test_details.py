from __future__ import annotations

import re
from dataclasses import replace

import pytest

from shaderlab import units
from shaderlab.app.panels.targets.details import details_html, doubt_text
from shaderlab.app.widgets.theme import DARK
from shaderlab.prediction.catalogue.targets import TargetInfo
from shaderlab.prediction.cost import PASS, Bound, Cost
from shaderlab.prediction.forecast import Forecast, Side, Status, Validation

GOOD = Validation(0.3, 0.95, 1234, "judged <here>", median_ape=0.1, within20=0.7)
PUBLISHED = Validation(0.4, 0.9, 99, "elsewhere")
FORECAST = Forecast("toy", 1e-3, 5e-4, 2e-3, "additive", "basis & origin", GOOD)
INFO = TargetInfo(
    "toy", "Toy GPU", "Toys", "measured", ("additive", "pilr"), "locked", "driver 1", 10, GOOD,
    None, "", {"additive": "additive errs less"}, {"additive": GOOD, "pilr": PUBLISHED},
)  # fmt: skip


def test_the_error_is_the_typical_one_where_that_is_known():
    assert GOOD.text == "median error 10 %"
    assert PUBLISHED.text == "mean error 40 %"
    assert Validation(None, None, None, "").text == "not validated"


def test_details_tell_method_error_other_methods_and_origin():
    html = details_html(FORECAST, INFO, DARK)
    for text in (
        "Toy GPU, fitted prices",
        "mean error 30 %, median error 10 %, within 20 %: 70 %, rank correlation 0.95",
        "(1,234 shaders).",
        "basis &amp; origin",
        "driver 1; locked",
        "judged &lt;here&gt;",
    ):
        assert text in html, text
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", html)
    assert cells[-5:] == ["PILR", "40 %", "unknown", "unknown", "99"]


def test_one_method_needs_no_table_and_no_target_no_reason():
    alone = replace(INFO, methods=("additive",), validations={"additive": GOOD})
    assert "<table" not in details_html(FORECAST, alone, DARK)
    assert "Why fitted prices</b> additive errs less" in details_html(FORECAST, alone, DARK)
    assert "Why" not in details_html(FORECAST, None, DARK)


@pytest.mark.parametrize("kind", [0, 1, None])
def test_a_method_has_one_error_on_the_screen(kind):
    of_all = replace(GOOD, mape=0.25, median_ape=0.067)
    kinds = [replace(GOOD, mape=m, median_ape=m / 2, n=131) for m in (0.14, 0.92)]
    stated = GOOD if kind is None else kinds[kind]
    reason = "Error on all (on those without undefined values): 25 % and 6.7 % (14 % and 7.0 %)."
    info = replace(
        INFO,
        reasons={"additive": reason},
        validations={"additive": of_all, "pilr": PUBLISHED, "trees": of_all},
        methods=("additive", "trees", "pilr"),
        by_kind=({"additive": kinds[0], "trees": kinds[0]}, {"additive": kinds[1]}),
    )
    forecast = replace(FORECAST, validated=stated)
    html = details_html(forecast, info, DARK)
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", html)
    own = units.percent(stated.mape), units.percent(stated.median_ape)
    assert cells[6:8] == list(own)
    assert f"mean error {own[0]}, median error {own[1]}" in html
    assert doubt_text(forecast) == f"median error {own[1]}"
    others = {units.percent(each) for each in (0.25, 0.067, 0.14, 0.07, 0.92, 0.46)} - set(own)
    assert not others & set(cells[6:10])
    assert reason not in html


def test_what_a_time_is_made_of_and_bound_by_comes_first():
    cost = Cost(Bound.PASS, ((PASS, 0.9), ("arithmetic", 0.1)), on_floor=0.27)
    html = details_html(replace(FORECAST, cost=cost), INFO, DARK)
    assert "Pass-bound.</b> Optimising this changes nothing on the Toy GPU: 27 %" in html
    assert "Breakdown: 90 % render pass, 10 % arithmetic." in html


def test_what_takes_more_of_the_time_there_than_here_is_said_in_points():
    there = Cost(Bound.WORK, (("transcendental", 0.5), ("arithmetic", 0.45), (PASS, 0.05)))
    at_hand = Cost(Bound.WORK, (("arithmetic", 0.7), ("transcendental", 0.25), (PASS, 0.05)))
    here = replace(FORECAST, target="llvmpipe", cost=at_hand)
    forecast = replace(FORECAST, cost=there)
    html = details_html(forecast, INFO, DARK, here)
    words = "Compared with llvmpipe: transcendental +25 points, arithmetic \u221225 points."
    assert words in html
    assert "points" not in details_html(here, INFO, DARK, here)
    assert "points" not in details_html(replace(forecast, cost=at_hand), INFO, DARK, here)


def test_outside_the_training_data_no_in_population_error_is_shown():
    outside = replace(FORECAST, domain=Side.OUTSIDE, validated=Validation(None, None, None, "none"))
    html = details_html(outside, INFO, DARK)
    assert "Outside the training data" in html
    assert "<table" not in html, "the methods' errors are of shaders like the training data"
    assert doubt_text(outside) == "not validated"


@pytest.mark.parametrize(
    ("status", "method", "doubt"),
    [
        (Status.OK, "pilr", "median error 10 %"),
        (Status.LOWER_BOUND, "pilr", "a lower bound"),
        (Status.ESTIMATE, "pilr", "an estimate"),
        (Status.ESTIMATE, "pilr, counts estimated", "median error 10 %"),
        (Status.NONE, "pilr", ""),
    ],
)
def test_the_error_beside_a_time_is_one_that_holds_for_it(status, method, doubt):
    assert doubt_text(replace(FORECAST, status=status, method=method)) == doubt
