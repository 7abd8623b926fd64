from __future__ import annotations

from shaderlab.cli.terminal import table
from shaderlab.cli.texts import diagnostics
from shaderlab.cli.texts.forecasts import checks_text
from shaderlab.cli.texts.numbers import finite
from shaderlab.frontend.program import Diagnostic, Severity


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
    check = times | {"within": True, "method": "additive"}
    checks = [
        check | {"target": "rtx3060", "warnings": ["reads what nothing wrote", "no loops"]},
        check | {"target": "rx6600xt", "warnings": ["reads what nothing wrote"]},
    ]
    *_, first, second = checks_text(checks).splitlines()
    assert first == "warning: rtx3060, rx6600xt: reads what nothing wrote"
    assert second == "warning: rtx3060: no loops"
