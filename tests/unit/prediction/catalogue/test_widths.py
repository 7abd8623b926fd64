from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab import locations
from shaderlab.errors import InvalidModel
from shaderlab.prediction.catalogue import widths
from shaderlab.prediction.catalogue.domain import Features, Novelty
from shaderlab.prediction.catalogue.targets import catalogue
from shaderlab.prediction.catalogue.widths import ModelWidths, Widths
from shaderlab.prediction.features.context import CONTEXT
from shaderlab.prediction.forecast import Forecast, Validation
from shaderlab.prediction.forecasts.widening import Widening

SIZES, OPERATIONS = (4.0, 6.0), ("Tan", "OpSMod")
COLUMNS = widths.width(len(SIZES), len(OPERATIONS))
NEAR = Novelty(0.1, 0.0, 0.0, "")
FAR = Novelty(2.0, 1.0, 0.0, "Outside the training data: it is far.")
ERROR = Validation(0.5, 0.8, 60, "left out", 0.3, 0.4)


def shader(size: float = 5.0, **work: float) -> Features:
    context = np.zeros(len(CONTEXT))
    context[CONTEXT.index("log_instructions")] = size
    return Features(context, work)


def regression(**at: float) -> np.ndarray:
    """1, and so much more by column: `outside` is the eighth, `Tan` the last but one."""
    found = np.zeros(COLUMNS)
    found[0] = 1.0
    for name, value in at.items():
        found[{"outside": 3 + len(widths.DISTANCES), "Tan": -2}[name]] = value
    return found


MODEL = ModelWidths(regression(outside=0.5), regression(outside=1.0, Tan=0.25), ERROR)
LESS = np.eye(1, COLUMNS)[0] * 0.5
OTHERS = ModelWidths(regression(outside=1.0) - LESS, regression(), ERROR)
FOUND = Widths(SIZES, OPERATIONS, {("rtx3060", "additive"): MODEL}, OTHERS)


def test_written_and_read_again_it_is_the_same():
    text = FOUND.to_json("made up", "by hand")
    again = Widths.parse(text.encode())
    broken = replace(FOUND, others=replace(OTHERS, outside=replace(ERROR, mape=float("nan"))))
    with pytest.raises(ValueError, match="JSON"):
        broken.to_json("made up", "by hand")
    assert again.to_json("made up", "by hand") == text
    assert (again.sizes, again.operations) == (SIZES, OPERATIONS)
    assert again.models["rtx3060", "additive"].outside == ERROR


def test_a_shader_s_kind_makes_its_band_longer():
    usual = FOUND.factors("rtx3060", "additive", NEAR, shader())
    outside = FOUND.factors("rtx3060", "additive", FAR, shader())
    rare = FOUND.factors("rtx3060", "additive", NEAR, shader(Tan=3.0))
    assert usual == (1.0, 1.0)
    assert outside == (1.5, 2.0)
    assert rare == (1.0, 1.25)


def test_a_method_without_its_own_is_never_surer_than_its_own_band():
    assert FOUND.of("uhd630", "pilr") is None
    assert FOUND.factors("uhd630", "pilr", NEAR, shader()) == (1.0, 1.0)
    assert FOUND.factors("uhd630", "pilr", FAR, shader())[0] == 1.5


def test_only_inside_the_training_data_a_band_may_be_shorter_than_its_own():
    narrow = ModelWidths(LESS, LESS, ERROR)
    found = Widths(SIZES, OPERATIONS, {("rtx3060", "additive"): narrow}, narrow)
    assert found.factors("rtx3060", "additive", NEAR, shader()) == (widths.NARROWEST,) * 2
    assert found.factors("rtx3060", "additive", FAR, shader()) == (1.0, 1.0)
    assert found.factors("uhd630", "pilr", NEAR, shader()) == (1.0, 1.0)
    assert found.factors("uhd630", "pilr", FAR, shader()) == (1.0, 1.0)


def test_the_columns_of_a_shader():
    distances = [max(np.log(2.0 / each), 0) for each in widths.DISTANCES]
    found = FOUND.columns(replace(FAR, new_work=1.0), shader(SIZES[0] + 1, Tan=1.0))
    largest = found[2 + len(distances)]
    less = FOUND.columns(replace(FAR, new_work=0.0), shader(SIZES[0] + 1))
    sizes = [1.0] + [float(SIZES[0] + 1 > each) for each in SIZES[1:]]
    assert found.tolist() == pytest.approx(
        [1, *distances, 1, largest, 1, *sizes, *(float(name == "Tan") for name in OPERATIONS)]
    )
    assert (largest > 1, less[2 + len(distances)]) == (True, 0)


@given(
    distance=st.floats(0, 1e6),
    beyond=st.floats(0, 1e6),
    new=st.floats(0, 1),
    size=st.floats(0, 30),
)
def test_factors_stay_within_their_limits(distance, beyond, new, size):
    seen = Novelty(distance, beyond, new, "")
    inside = FOUND.factors("rtx3060", "additive", seen, shader(size))
    outside = FOUND.factors("rtx3060", "additive", replace(seen, outside="Far."), shader(size))
    assert all(widths.NARROWEST <= each <= widths.WIDEST for each in inside)
    assert all(1 <= each <= widths.WIDEST for each in outside)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"format": 2}, "format"),
        ({"sizes": [5.0, 4.0]}, "ascend"),
        ({"sizes": ["5"]}, "sizes"),
        ({"operations": ["../x"]}, "operations"),
        ({"operations": ["Tan"]}, "not"),
        ({"models": []}, "models"),
        ({"more": 1}, "unknown field"),
    ],
)
def test_a_damaged_file_is_refused_with_the_field(change, reason):
    data = json.loads(FOUND.to_json("made up", "by hand")) | change
    with pytest.raises(InvalidModel, match=reason):
        Widths.parse(json.dumps(data).encode())


@pytest.mark.parametrize(
    ("field", "value"),
    [("mape", -0.1), ("spearman", 1.1), ("n", 0), ("median_ape", 1e7), ("within20", 1.5)],
)
def test_an_error_that_cannot_be_is_refused(field, value):
    data = json.loads(FOUND.to_json("made up", "by hand"))
    data["models"][0]["outside"][field] = value
    with pytest.raises(InvalidModel, match=field):
        Widths.parse(json.dumps(data).encode())


def test_no_widths_for_other_methods_is_refused():
    data = json.loads(FOUND.to_json("made up", "by hand"))
    data["models"] = [each for each in data["models"] if each["target"] != "*"]
    with pytest.raises(InvalidModel, match="other methods"):
        Widths.parse(json.dumps(data).encode())


def test_the_shipped_ones_are_of_every_additive_model():
    found = widths.read(locations.models())
    assert found is not None
    fitted = {
        (target.card.target.slug, method.name)
        for target in catalogue(locations.models()).targets
        for model in target.models
        if model.HAS_FORMS
        for method in model.methods
    }
    assert set(found.models) == fitted
    assert all(each.outside.n and each.outside.n >= 30 for each in found.models.values())


@pytest.fixture
def target():
    (found,) = catalogue(locations.models()).choose(["rtx3060"])
    return found


def forecast(target, method: str = "additive") -> Forecast:
    floor_s = target.card.target.floor_s
    low_s, high_s = Widening(FOUND, NEAR, shader()).ends_s(
        target, method, (max(5e-4, floor_s), 1e-3, 2e-3)
    )
    error = Validation(0.2, 0.9, 100, "here", 0.1)
    return Forecast("rtx3060", 1e-3, low_s, high_s, method, "basis", error)


def test_outside_the_band_is_longer_and_the_error_that_of_shaders_left_out(target):
    before = forecast(target)
    inside = Widening(FOUND, NEAR, shader()).of(before, target)
    outside = Widening(FOUND, FAR, shader()).of(before, target)
    assert inside == before
    assert outside.low_s < before.low_s
    assert outside.high_s > before.high_s
    assert outside.time_s == before.time_s
    assert outside.validated == ERROR
    assert "further down" in outside.basis


def test_outside_of_a_method_that_none_were_left_out_of_no_error_is_known(target):
    found = Widening(FOUND, FAR, shader()).of(forecast(target, "pilr"), target)
    assert found.validated.median_ape is None
    assert found.validated.mape is None


def test_the_floor_where_uninitialised_values_may_end_a_shader_stays(target):
    floor_s = target.card.target.floor_s
    narrow = replace(
        FOUND, models={("rtx3060", "additive"): replace(MODEL, below=MODEL.below * 0.5)}
    )
    uninitialised = replace(forecast(target), low_s=floor_s)
    assert Widening(narrow, NEAR, shader()).of(uninitialised, target).low_s == floor_s
