from __future__ import annotations

import re
from dataclasses import replace

from shaderlab.app.panels.targets.details import details_html, error_text
from shaderlab.app.widgets.theme import DARK
from shaderlab.prediction.catalogue.targets import TargetInfo
from shaderlab.prediction.forecast import Forecast, Validation

GOOD = Validation(0.3, 0.95, 1234, "judged <here>", median_ape=0.1, within20=0.7)
PUBLISHED = Validation(0.4, 0.9, 99, "elsewhere")
FORECAST = Forecast("toy", 1e-3, 5e-4, 2e-3, "additive", "basis & origin", GOOD)
INFO = TargetInfo(
    "toy", "Toy GPU", "Toys", "measured", ("additive", "pilr"), "locked", "driver 1", 10, GOOD,
    None, "", {"additive": "additive errs less"}, {"additive": GOOD, "pilr": PUBLISHED},
)  # fmt: skip


def test_the_error_is_the_typical_one_where_that_is_known():
    assert error_text(GOOD) == "typically 10 % off"
    assert error_text(PUBLISHED) == "40 % off on average"
    assert error_text(Validation(None, None, None, "")) == "error unknown"


def test_details_tell_method_error_reason_other_methods_and_origin():
    html = details_html(FORECAST, INFO, DARK)
    for text in (
        "Toy GPU, additive",
        "mean error 30 %, median error 10 %, within 20 %: 70 %, rank correlation 0.95",
        "(1\u202f234 shaders).",
        "Why additive</b> additive errs less",
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
    assert "Why" not in details_html(FORECAST, None, DARK)
