from __future__ import annotations

from dataclasses import replace

from shaderlab.cli.command import code_of
from shaderlab.cli.terminal import table
from shaderlab.cli.texts import diagnostics
from shaderlab.cli.texts import forecasts as texts
from shaderlab.cli.texts.numbers import finite
from shaderlab.frontend.program import Diagnostic, Severity
from shaderlab.prediction.forecast import Forecast, Side, Status, Validation
from shaderlab.prediction.line_shares import LineShares

FORECAST = Forecast(
    "rtx3060", 1e-3, 5e-4, 3e-3, "additive", "basis", Validation(0.2, 0.9, 100, "here")
)
LOWER_BOUND = replace(FORECAST, time_s=None, high_s=None, status=Status.LOWER_BOUND)


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
    nothing_wrote = "reads what nothing wrote"
    said = texts.warnings(
        [("rtx3060", nothing_wrote), ("rtx3060", "no loops"), ("rx6600xt", nothing_wrote)]
    )
    assert said.splitlines() == [
        "warning: rtx3060, rx6600xt: reads what nothing wrote",
        "warning: rtx3060: no loops",
    ]


def test_status_and_domain_are_in_json_and_text() -> None:
    odd = replace(LOWER_BOUND, domain=Side.OUTSIDE)
    found = texts.data([odd])["targets"][0]
    assert (found["status"], found["domain"]) == ("lower bound", "outside")
    assert (found["time_s"], found["low_s"], found["high_s"]) == (None, 5e-4, None)
    row = texts.text([odd]).splitlines()[1]
    assert "lower bound, outside" in row
    assert " error " not in row, "the error is that of times"
    assert "500 \u00b5s" in row


def test_hot_lines_are_those_of_the_target_with_the_smallest_error_and_show_their_text() -> None:
    lines = LineShares([("", 2, 0.5), ("noise.glsl", 2, 0.2), ("", 9, 0.1)])
    vague = replace(FORECAST, target="gtx1660ti", validated=Validation(None, None, 0, ""))
    sure = replace(
        FORECAST, lines=lines, validated=Validation(0.2, 0.9, 100, "here", median_ape=0.05)
    )
    source = "void main() {\n  colour = " + "f(x) + " * 20 + "1;\n}"
    table = texts.text([vague, FORECAST, sure], source).partition("hottest lines on ")[2]
    target, header, first, included, beyond = table.splitlines()
    assert (target, header.split()) == ("rtx3060", ["share", "line"])
    assert first.split()[:4] == ["50", "%", "2", "colour"]
    assert first.endswith("\u2026")
    assert included.split() == ["20", "%", "noise.glsl:2"], "the text is of another file"
    assert beyond.split() == ["10", "%", "9"]


def test_an_answer_fails_where_no_forecast_has_a_time() -> None:
    nothing = replace(FORECAST, status=Status.NONE)
    answers = (FORECAST, nothing), (LOWER_BOUND,), (nothing,)
    assert [code_of(each) for each in answers] == [0, 0, 1]
