"""Odds in a file are untrusted input; a band without a trace is never narrower than with one."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.errors import InvalidModel
from shaderlab.prediction.forecast import Forecast, Validation
from shaderlab.prediction.forecasts import static_counts
from shaderlab.prediction.forecasts.static_counts import Spread, StaticCounts
from shaderlab.prediction.forecasts.static_forecast import band, without_trace
from shaderlab.spirv.analysis.frequencies import Odds

ODDS = Odds(0.5, 0.5, 0.4, 0.8, 0.9, 0.3, (10.0, 4.0))
COUNTS = StaticCounts(
    ODDS,
    ODDS,
    0.8,
    Spread(0.9, 1.1, 99),
    Spread(0.2, 6.0, 45),
    {"rtx3060 additive guessed": Validation(0.95, 0.89, 144, "on shaders", 0.18, 0.55)},
)
FORECAST = Forecast(
    "rtx3060", 1e-3, 8e-4, 1.3e-3, "additive", "Prices.", Validation(0.3, 0.9, 144, "traced")
)


def test_what_is_written_is_read():
    assert StaticCounts.parse(COUNTS.to_json("tests").encode()) == COUNTS


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda raw: raw.update(format=2), "format 2"),
        (lambda raw: raw.pop("lanes"), "lanes: missing"),
        (lambda raw: raw.update(extra=1), "extra: unknown field"),
        (lambda raw: raw["lanes"].update(then=1.5), "then: out of range"),
        (lambda raw: raw["lanes"].update(then=True), "then: not a number"),
        (lambda raw: raw["lanes"]["trips"].update(inner=-1), "inner: out of range"),
        (lambda raw: raw["known"].update(low=1.2), "low: out of range"),
        (lambda raw: raw["guessed"].update(high=0.5), "high: out of range"),
        (lambda raw: raw["validated"][0].update(spearman=7), "spearman: out of range"),
        (lambda raw: raw["validated"].clear(), "validated"),
    ],
)
def test_a_wrong_file_is_refused_with_the_field(change, reason):
    raw = json.loads(COUNTS.to_json("tests"))
    change(raw)
    with pytest.raises(InvalidModel, match=reason):
        StaticCounts.parse(json.dumps(raw).encode())


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff", b'{"format": NaN}', b"[" * 100_000])
def test_what_is_no_json_is_refused(data):
    with pytest.raises(InvalidModel, match=r"static\.json"):
        StaticCounts.parse(data)


def test_a_missing_or_huge_file_is_refused(tmp_path):
    with pytest.raises(InvalidModel, match="No such file"):
        static_counts.read(tmp_path)
    (tmp_path / static_counts.FILE).write_bytes(b" " * 300_000)
    with pytest.raises(InvalidModel, match="the limit is"):
        static_counts.read(tmp_path)


def test_the_shipped_file_is_sound():
    counts = static_counts.read()
    assert counts.guessed.low < counts.known.low <= 1 <= counts.known.high < counts.guessed.high
    for odds in (counts.invocations, counts.lanes):
        assert all(0 < getattr(odds, name) < 1 for name in ("then", "either", "leave", "breaks"))
        assert odds.trips[0] > odds.trips[1] > 1
    assert counts.lanes.then > counts.invocations.then  # one lane of a group suffices
    assert {
        "rtx3060 additive known",
        "rx6600xt additive guessed",
        "llvmpipe additive known",
    } <= set(counts.validated)


factors = st.floats(1.0, 1e4)


@given(st.floats(1e-6, 1.0), factors, factors, factors, factors)
def test_bands_add_as_squares_of_logarithms(time_s, down, up, lower, higher):
    low, high = band(time_s / down, time_s, time_s * up, Spread(1 / lower, higher, 10))
    assert low <= min(time_s / down, time_s / lower) * (1 + 1e-9)
    assert high >= max(time_s * up, time_s * higher) * (1 - 1e-9)
    assert math.log(time_s / low) == pytest.approx(math.hypot(math.log(down), math.log(lower)))
    assert high <= time_s * up * higher * (1 + 1e-9)


def test_a_forecast_says_that_the_shader_was_not_run():
    found = without_trace(FORECAST, COUNTS, True)
    assert found.method == "additive, counts estimated"
    assert found.basis.startswith("Not run: ")
    assert "loop trip counts are guessed" in found.basis
    assert found.basis.endswith("Prices.")
    assert found.validated == COUNTS.validated["rtx3060 additive guessed"]
    assert found.warnings[0].startswith("Not run")
    known = without_trace(FORECAST, COUNTS, False)
    assert "guessed" not in known.basis
    assert found.low_s < known.low_s < FORECAST.low_s
    assert found.high_s > known.high_s > FORECAST.high_s
    assert known.validated.mape is None
    floored = without_trace(FORECAST, COUNTS, True, floor_s=6e-4)
    assert floored.low_s == 6e-4


def test_a_target_never_judged_without_a_trace_says_so():
    from dataclasses import replace

    found = without_trace(replace(FORECAST, target="uhd630", method="pilr"), COUNTS, True)
    assert found.validated.mape is None
    assert "counts are estimated" in found.validated.source
