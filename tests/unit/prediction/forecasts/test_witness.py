from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest

from shaderlab.errors import InvalidModel
from shaderlab.prediction.catalogue.witnesses import Finding, Witnesses, of_others
from shaderlab.prediction.forecast import Forecast, Measured, Validation
from shaderlab.prediction.forecasts.witness import Witness

MILD = Finding("llvmpipe", "rtx3060", 0.5, 81, 0.06, 0.124, 0.05, 3.0, 1.0)
STRONG = replace(MILD, level=1.0, n=42, share=0.03, median_ape=0.17, towards=4.0, away=2.0)
FOUND = Witnesses(
    (MILD, STRONG, of_others([MILD], "llvmpipe"), of_others([STRONG], "llvmpipe"),
     of_others([MILD]), of_others([STRONG]))
)  # fmt: skip
FORECAST = Forecast(
    "rtx3060", 2e-3, 1e-3, 4e-3, "additive", "basis", Validation(0.2, 0.9, 100, "here")
)


def witness(measured_s: float, *, user: bool = True) -> Witness:
    host = SimpleNamespace(card=SimpleNamespace(target=SimpleNamespace(slug="llvmpipe")), user=user)
    return Witness(FOUND, host, Measured("llvmpipe", measured_s), 0.1)  # type: ignore[arg-type]


def test_a_time_near_its_forecast_says_nothing():
    for measured_s in (0.07, 0.1, 0.15):
        assert witness(measured_s).of(FORECAST) == FORECAST


def test_a_slower_time_stretches_the_band_upwards_and_says_why():
    found = witness(0.2).of(FORECAST)
    assert found.time_s == FORECAST.time_s
    assert found.low_s == FORECAST.low_s
    assert found.high_s == pytest.approx(2e-3 * 2**3)
    assert found.disagreement == pytest.approx(2.0)
    (said,) = found.warnings
    assert "2 times as long as its own forecast" in said
    assert "half of such shaders were off by 12 % or more; of all others, by 5.0 %" in said


def test_a_much_faster_time_stretches_it_downwards():
    found = witness(0.03).of(FORECAST)
    assert found.low_s == pytest.approx(2e-3 / 2**4)
    assert found.high_s == pytest.approx(2e-3 * 2**2)
    assert "3.3 times less time than its own forecast" in found.warnings[0]


def test_the_device_s_own_forecast_is_left_alone():
    own = replace(FORECAST, target="llvmpipe")
    assert witness(0.5).of(own) == own


def test_a_forecast_of_another_machine_is_said_to_be_one():
    assert "Calibrate this one to compare." in witness(0.2, user=False).of(FORECAST).warnings[0]
    assert "Calibrate" not in witness(0.2).of(FORECAST).warnings[0]


def test_targets_and_devices_without_figures_get_those_of_others():
    assert FOUND.on("llvmpipe", "uhd630", 2.0) == of_others([MILD], "llvmpipe")
    assert FOUND.on("radeon", "uhd630", 0.2) == of_others([STRONG])
    assert FOUND.on("llvmpipe", "rtx3060", 1.6) is None


def test_written_and_read_again_they_are_the_same():
    text = FOUND.to_json("made up", "by hand")
    assert Witnesses.parse(text.encode()).to_json("made up", "by hand") == text
    broken = Witnesses((replace(FOUND.every[0], level=float("nan")),))
    with pytest.raises(ValueError, match="JSON"):
        broken.to_json("made up", "by hand")


@pytest.mark.parametrize(
    ("name", "value"), [("level", 0.7), ("towards", 0.5), ("host", "../x"), ("n", 0)]
)
def test_a_damaged_file_is_refused_with_the_field(name, value):
    data = json.loads(FOUND.to_json("made up", "by hand"))
    data["every"][0][name] = value
    with pytest.raises(InvalidModel, match=name):
        Witnesses.parse(json.dumps(data).encode())


def test_where_this_machine_disagrees_the_error_is_that_of_such_shaders():
    usual = replace(FORECAST, validated=replace(FORECAST.validated, median_ape=0.05))
    found = witness(0.2).of(usual)
    assert found.validated.median_ape == MILD.median_ape
    assert found.validated.n == MILD.n
    worse = replace(FORECAST, validated=replace(FORECAST.validated, median_ape=0.5))
    assert witness(0.2).of(worse).validated == worse.validated
