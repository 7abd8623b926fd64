"""Additive and matched bundles: what fits together is read, all else is refused."""

from __future__ import annotations

import os
import re
from dataclasses import replace

import numpy as np
import pytest

from shaderlab import units
from shaderlab.frontend.compiler import compile_text
from shaderlab.prediction.bundles import bundle
from shaderlab.prediction.bundles.accuracy import BandCard
from shaderlab.prediction.catalogue import targets
from shaderlab.prediction.features.context import CONTEXT
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.forecasts import static_counts
from shaderlab.prediction.forms import Form
from shaderlab.prediction.models import matched
from shaderlab.prediction.models.additive import Late, Weights, tensors_of
from shaderlab.prediction.models.additive_model import (
    COMPILED,
    OPTIMIZED,
    AdditiveModel,
    believed_s,
)
from shaderlab.prediction.models.bands import calibrated_band
from shaderlab.prediction.models.matched import MatchedModel

KINDS = ("other", "uniform:Sin", "varying:OpLoad:part")
INPUTS = len(CONTEXT)
BANDS = (BandCard(0.0, 1e-4, 0.9, 1.2, 0.8, 40, 0.81), BandCard(1e-4, None, 0.5, 1.5, 0.8, 50, 0.8))


def weights() -> Weights:
    return Weights(
        kinds=KINDS,
        prices=np.array([1e-12, 2e-12, 3e-12]),
        floor_s=1e-5,
        exponent=4.0,
        bound=1.0,
        mean=np.zeros(INPUTS),
        scale=np.ones(INPUTS),
        low=np.zeros(INPUTS),
        high=np.full(INPUTS, 10.0),
        hidden=np.full((INPUTS + 1, 2), 0.01),
        out=np.array([0.1, -0.2, 0.3]),
    )


@pytest.fixture
def additive_card(card):
    only = replace(card.methods[0], name="additive", features=KINDS, bands=BANDS)
    return replace(card, architecture="additive-lane-work", methods=(only,), preference=10)


@pytest.fixture
def matched_card(card):
    band = replace(BANDS[1], from_s=0.0)
    only = replace(
        card.methods[0], name="matched", features=("toy",), bands=(band,), by_time=(),
    )  # fmt: skip
    target = replace(card.target, slug="other")
    return replace(card, architecture=matched.ARCHITECTURE, target=target, methods=(only,))


MAP = {
    "from": np.array([1e-5, 1e-4, 1e-3], np.float32),
    "to": np.array([2e-5, 4e-4, 2e-3], np.float32),
}


def test_what_was_written_comes_back(tmp_path, additive_card):
    bundle.write(tmp_path / "toy", additive_card, tensors_of(weights()))
    read = bundle.read(tmp_path / "toy")
    assert read.card.methods == additive_card.methods
    model = AdditiveModel.from_bundle(read)
    assert model.weights.kinds == KINDS
    for name in ("prices", "hidden", "out", "low", "high"):
        np.testing.assert_allclose(
            getattr(model.weights, name), getattr(weights(), name), rtol=1e-6
        )
    assert model.weights.floor_s == pytest.approx(1e-5)


def test_a_clock_that_rises_comes_back(tmp_path, additive_card):
    rising = replace(weights(), late=Late(4e-4, 0.3, 6.0))
    bundle.write(tmp_path / "toy", additive_card, tensors_of(rising))
    late = AdditiveModel.from_bundle(bundle.read(tmp_path / "toy")).weights.late
    assert (late.floor_s, late.slope, late.exponent) == pytest.approx((4e-4, 0.3, 6.0))


def test_both_views_of_a_target_stand_side_by_side(tmp_path, additive_card):
    (method,) = additive_card.methods
    better = replace(additive_card, methods=(replace(method, name=OPTIMIZED),), preference=9)
    bundle.write(tmp_path / "toy", additive_card, tensors_of(weights()))
    bundle.write(tmp_path / "toy-optimized", better, tensors_of(weights()))
    assert targets.problems(tmp_path) == ()
    (info,) = targets.installed(tmp_path)
    assert info.methods == ("additive", OPTIMIZED)


def test_a_form_without_lines_needs_the_model_of_the_program_as_written(tmp_path, additive_card):
    (method,) = additive_card.methods
    left = replace(additive_card, methods=(replace(method, name=COMPILED),), preference=8)
    bundle.write(tmp_path / "a-compiled", left, tensors_of(weights()))
    (problem,) = targets.problems(tmp_path)
    assert "needs the model 'additive' of its target" in problem.reason
    bundle.write(tmp_path / "toy", additive_card, tensors_of(weights()))
    assert targets.problems(tmp_path) == ()
    (info,) = targets.installed(tmp_path)
    assert info.methods == ("additive", COMPILED)
    assert info.forms_of() == {Form.COMPILED}


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("prices", [1e-12, 2e-12], "prices: shape"),
        ("prices", [1e-12, -2e-12, 3e-12], "prices: a value outside"),
        ("prices", [1e-12, 1.0, 3e-12], "prices: a value outside"),
        ("floor", [0.0], "floor: a value outside"),
        ("floor", [1e-5, 1e-5], "floor: shape"),
        ("exponent", [0.5], "exponent: a value outside"),
        ("bound", [100.0], "bound: a value outside"),
        ("context.scale", [0.0] * INPUTS, "scale: a value outside"),
        ("context.high", [-1.0] * INPUTS, "above context.high"),
        ("context.hidden", np.zeros((INPUTS, 2)), "hidden: shape"),
        ("context.out", np.zeros((2, 2)), r"out: not 2 to"),
        ("context.out", np.zeros(1), r"out: not 2 to"),
        ("context.out", np.zeros(10_000), r"out: not 2 to"),
        ("late", [4e-4, 0.3], "late: shape"),
        ("late", [4e-4, 1.5, 6.0], "late: a number out of its range"),
        ("late", [0.0, 0.3, 6.0], "late: a number out of its range"),
        ("late", [4e-4, 0.3, 0.5], "late: a number out of its range"),
        ("surplus", [1.0], "'surplus' is missing or has no use"),
        ("mean", None, "'context.mean' is missing or has no use"),
    ],
)
def test_weights_that_do_not_fit_the_card_are_a_problem(
    tmp_path, additive_card, name, value, reason
):
    tensors = tensors_of(weights())
    if value is None:
        del tensors[f"context.{name}"]
    else:
        tensors[name] = np.asarray(value, np.float32)
    bundle.write(tmp_path / "toy", additive_card, tensors)
    (problem,) = targets.problems(tmp_path)
    assert re.search(reason, problem.reason)
    assert targets.installed(tmp_path) == ()


def test_a_card_without_bands_or_with_other_methods_is_a_problem(tmp_path, additive_card):
    (method,) = additive_card.methods
    for number, methods in enumerate(
        [(replace(method, bands=()),), (replace(method, name="pilr"),)]
    ):
        folder = tmp_path / str(number)
        bundle.write(folder / "toy", replace(additive_card, methods=methods), tensors_of(weights()))
        assert len(targets.problems(folder)) == 1


def test_the_preferred_bundle_leads_and_the_others_stay(folder, additive_card):
    bundle.write(folder / "toy-additive", additive_card, tensors_of(weights()))
    (info,) = targets.installed(folder)
    assert info.methods == ("additive", "pilr", "sh")
    assert info.reasons["additive"] == additive_card.default_reason
    assert set(info.validations) == {"additive", "pilr", "sh"}


def test_two_bundles_that_cannot_be_told_apart(folder, card, tensors, additive_card):
    bundle.write(folder / "toy-again", card, tensors)
    rival = replace(additive_card, preference=0)
    bundle.write(folder / "toy-rival", rival, tensors_of(weights()))
    bundle.write(folder / "toy-same", replace(card, preference=3), tensors)
    reasons = {problem.bundle: problem.reason for problem in targets.problems(folder)}
    assert "second bundle for target toy of preference 0" in reasons["toy-again"]
    assert "second bundle for target toy of preference 0" in reasons["toy-rival"]
    assert "a second 'pilr'" in reasons["toy-same"]
    assert targets.installed(folder)[0].methods == ("pilr", "sh")


def test_a_matched_model_maps_its_relative(tmp_path, additive_card, matched_card):
    bundle.write(tmp_path / "toy", additive_card, tensors_of(weights()))
    bundle.write(tmp_path / "a-match", matched_card, MAP)
    assert targets.problems(tmp_path) == ()
    (found,) = targets.catalogue(tmp_path).choose(["other"])
    (model,) = found.models
    assert isinstance(model, MatchedModel)
    assert model.here_s(1e-4) == pytest.approx(4e-4)
    assert model.here_s(1e-6) == pytest.approx(2e-6)
    assert model.here_s(1.0) == pytest.approx(2.0)
    times = [model.here_s(each) for each in np.geomspace(1e-6, 1.0, 200)]
    assert (np.diff(times) > 0).all()


@pytest.mark.parametrize(
    ("tensors", "reason"),
    [
        (MAP | {"more": MAP["to"]}, "not 'from' and 'to'"),
        ({"from": MAP["from"][:1], "to": MAP["to"][:1]}, "knots"),
        ({"from": MAP["from"], "to": MAP["to"][:2]}, "knots"),
        (MAP | {"to": MAP["to"][::-1]}, "does not ascend"),
        (MAP | {"from": MAP["from"] * -1}, "from: "),
        (MAP | {"to": MAP["to"] * np.float32(1e20)}, "a time no frame takes"),
    ],
)
def test_maps_that_are_none_are_a_problem(tmp_path, additive_card, matched_card, tensors, reason):
    bundle.write(tmp_path / "toy", additive_card, tensors_of(weights()))
    bundle.write(tmp_path / "a-match", matched_card, tensors)
    (problem,) = targets.problems(tmp_path)
    assert reason in problem.reason
    assert [info.target for info in targets.installed(tmp_path)] == ["toy"]


def test_a_matched_model_is_of_the_size_of_its_relative(tmp_path, additive_card, matched_card):
    bundle.write(tmp_path / "toy", additive_card, tensors_of(weights()))
    other = replace(matched_card, run=replace(matched_card.run, size=(512, 384)))
    bundle.write(tmp_path / "a-match", other, MAP)
    (problem,) = targets.problems(tmp_path)
    assert "is of another size than the additive model of toy" in problem.reason


def test_a_matched_model_without_its_relative_is_a_problem(tmp_path, matched_card):
    bundle.write(tmp_path / "a-match", matched_card, MAP)
    (problem,) = targets.problems(tmp_path)
    assert "needs the additive model of 'toy'" in problem.reason


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"low": 1.5}, "low: out of range"),
        ({"high": 0.5}, "high: out of range"),
        ({"from_s": 1.0}, "not ascending"),
        ({"to_s": 1.0}, "last range has an upper end"),
        ({"coverage": 2.0}, "coverage: out of range"),
    ],
)
def test_bands_that_are_none_are_refused(tmp_path, additive_card, change, reason):
    (method,) = additive_card.methods
    band = replace(BANDS[1], from_s=0.0)
    method = replace(method, bands=(replace(band, **change),))
    bundle.write(tmp_path / "toy", replace(additive_card, methods=(method,)), {})
    (problem,) = targets.problems(tmp_path)
    assert reason in problem.reason


def test_the_optimised_forecast_is_believed_once_it_is_a_third():
    compiled = np.array([3.0, 3.0, 3.0, 3.0])
    optimized = np.array([0.99, 1.0, 2.0, np.nan])
    assert believed_s(compiled, optimized).tolist() == [0.99, 3.0, 3.0, 3.0]


@pytest.mark.parametrize(
    ("time_s", "floor_s", "low_s"),
    [(1e-3, 1e-5, 5e-4), (1e-3, 8e-4, 8e-4), (1e-3, 2e-3, 1e-3), (5e-5, 0.0, 4.5e-5)],
)
def test_a_calibrated_band_ends_at_the_floor_and_holds_the_forecast(time_s, floor_s, low_s):
    assert calibrated_band(time_s, BANDS, floor_s).low_s == pytest.approx(low_s)


def test_a_model_changed_at_the_same_size_is_noticed(tmp_path, additive_card):
    bundle.write(tmp_path / "toy", additive_card, tensors_of(weights()))
    assert targets.problems(tmp_path) == ()
    path = tmp_path / "toy" / bundle.WEIGHTS
    data, before = path.read_bytes(), path.stat()
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    assert path.stat().st_size == before.st_size
    (problem,) = targets.problems(tmp_path)
    assert problem.bundle == "toy"


PRICED = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    float v = fragCoord.x;
    for (int i = 0; i < 12; i++) v = sin(v) * 0.9;
    fragColor = vec4(v);
}
"""


@pytest.mark.parametrize(
    ("left_out", "floor_s", "warned"),
    [("nothing", 1e-5, False), ("varying:Sin", 1e-5, True), ("varying:Sin", 9.0, False)],
)
def test_work_of_kinds_that_training_lacked_is_warned_of(additive_card, left_out, floor_s, warned):
    program = compile_text(PRICED, "priced", None)
    traced = TracedProgram(program, static_counts.read().count(program).trace)
    kinds = tuple(kind for kind in traced.work.kinds if not kind.startswith(left_out))
    known = replace(
        weights(), kinds=("other", *kinds), prices=np.full(len(kinds) + 1, 1e-12), floor_s=floor_s
    )
    found = AdditiveModel(additive_card, known).forecast(traced).warnings
    said = [each for each in found if "too few training shaders had" in each]
    assert bool(said) == warned
    if warned:
        share = traced.work.totals["varying:Sin"] / traced.work.operations.sum()
        assert said[0].startswith(f"{units.percent(share)} of its work")


def test_a_matched_band_ends_at_the_floor(tmp_path, additive_card, matched_card):
    bundle.write(tmp_path / "toy", additive_card, tensors_of(weights()))
    floored = replace(matched_card, target=replace(matched_card.target, floor_s=3e-3))
    program = compile_text(PRICED, "priced", None)
    traced = TracedProgram(program, static_counts.read().count(program).trace)
    lows = []
    for card in (matched_card, floored):
        bundle.write(tmp_path / "a-match", card, MAP)
        forecast = targets.catalogue(tmp_path).choose(["other"])[0].forecast(traced)
        lows.append(forecast.low_s)
        assert forecast.low_s <= forecast.time_s <= forecast.high_s
    assert lows[0] < lows[1] == pytest.approx(min(3e-3, forecast.time_s))
