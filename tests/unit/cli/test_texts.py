from __future__ import annotations

from dataclasses import replace

import pytest

from shaderlab.cli.terminal import table
from shaderlab.cli.texts import diagnostics
from shaderlab.cli.texts import forecasts as texts
from shaderlab.cli.texts.forecasts import check_data, checks_text
from shaderlab.cli.texts.numbers import finite
from shaderlab.frontend.program import Diagnostic, Severity
from shaderlab.prediction.forecast import Forecast, Side, Status, Validation

FORECAST = Forecast(
    "rtx3060", 1e-3, 5e-4, 3e-3, "additive", "basis", Validation(0.2, 0.9, 100, "here")
)
LOWER_BOUND = replace(FORECAST, time_s=None, high_s=None, status=Status.LOWER_BOUND)
NONE = replace(LOWER_BOUND, low_s=None, status=Status.NONE)


def test_table_aligns_numbers_right_and_words_left() -> None:
    assert table(("n", "name"), [("1", "a"), ("100", "bcd")]).splitlines() == [
        "  n  name",
        "  1  a",
        "100  bcd",
    ]


def test_table_without_rows_is_its_header() -> None:
    assert table(("a", "b"), []) == "a  b"


def test_what_was_not_measured_is_null() -> None:
    assert finite(float("nan")) is None
    assert finite(2.5) == 2.5


def test_diagnostics_read_like_a_compiler_s() -> None:
    at = Diagnostic(3, 7, Severity.ERROR, "no such function", "noise.glsl")
    assert diagnostics.text(at) == "noise.glsl:3:7: error: no such function"
    whole = Diagnostic(0, 0, Severity.NOTE, "compiled as GLSL 4.50")
    assert diagnostics.text(whole) == "note: compiled as GLSL 4.50"


def test_a_warning_of_several_targets_is_said_once() -> None:
    times = {"time_s": 1e-3, "low_s": 5e-4, "high_s": 3e-3, "budget_s": 2e-3}
    check = times | {"within": True, "method": "additive", "status": "ok"}
    checks = [
        check | {"target": "rtx3060", "warnings": ["reads what nothing wrote", "no loops"]},
        check | {"target": "rx6600xt", "warnings": ["reads what nothing wrote"]},
    ]
    *_, first, second = checks_text(checks).splitlines()
    assert first == "warning: rtx3060, rx6600xt: reads what nothing wrote"
    assert second == "warning: rtx3060: no loops"


@pytest.mark.parametrize(
    ("forecast", "budget_s", "within", "verdict"),
    [
        (FORECAST, 2e-3, True, "within budget"),
        (FORECAST, 9e-4, False, "over budget"),
        (LOWER_BOUND, 4e-4, False, "over budget"),
        (LOWER_BOUND, 1.0, None, "unknown"),
        (NONE, 1.0, None, "unknown"),
    ],
)
def test_a_budget_is_only_kept_by_a_time(forecast, budget_s, within, verdict) -> None:
    found = check_data(forecast, budget_s)
    assert (found["within"], found["verdict"]) == (within, verdict)
    shown = checks_text([found]).splitlines()[1]
    assert (verdict if within else verdict.upper()) in shown


def test_status_and_domain_are_in_json_and_text() -> None:
    odd = replace(LOWER_BOUND, domain=Side.OUTSIDE)
    found = texts.data([odd])["targets"][0]
    assert (found["status"], found["domain"]) == ("lower bound", "outside")
    assert (found["time_s"], found["low_s"], found["high_s"]) == (None, 5e-4, None)
    row = texts.text([odd]).splitlines()[1]
    assert "lower bound, outside" in row
    assert "MAPE" not in row, "the error is that of times"
    assert "500 \u00b5s" in row
