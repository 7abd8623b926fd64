"""A pair of devices: joined, judged, and compared with what needs no model."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="needs the training extra")

from shaderlab.errors import WrongUse
from shaderlab.training import pairs
from shaderlab.training.pair_models import Weights
from shaderlab.training.pairs import NESTED, Pair, committed, forecasts, ranking, study


def made(n: int, *, work_matters: bool) -> Pair:
    random = np.random.default_rng(n)
    host = np.exp(random.normal(-6, 1.2, n))
    work = random.gamma(2.0, 1e6, n)
    target = 2e-5 + 0.1 * host + (2e-10 * work if work_matters else 0)
    target = target * np.exp(random.normal(0, 0.03, n))
    features = np.column_stack([host, work])
    ids = tuple(f"s{i}" for i in range(n))
    return Pair(
        "one", "other", ids, ("host time", "OpFMul"), features, target, ("x",), features[:1]
    )


def test_a_regression_is_best_only_where_it_beats_the_competitors():
    found = study(
        made(300, work_matters=True), only=["NNLS", "OLS/F/BIC", "one factor", "running median"]
    )
    lines = {line.method: line for line in found.lines}
    assert lines["OLS/F/BIC"].beats
    assert found.best in ("NNLS", "OLS/F/BIC")
    assert lines["running median"].beats is None
    inliers = lines["OLS/F/BIC"].inliers or {}
    assert inliers[0.10].value > 0.9
    assert inliers[0.10].low <= inliers[0.10].value <= inliers[0.10].high
    curve = lines["OLS/F/BIC"].curve
    assert list(curve) == sorted(curve)
    assert (len(curve), curve[9], curve[49]) == (50, inliers[0.10].value, inliers[0.50].value)


def test_the_choice_by_inner_folds_is_a_line_of_its_own():
    found = study(made(150, work_matters=True), only=["NNLS", "OLS/F/BIC"], nested=True)
    (line,) = (each for each in found.lines if each.method == NESTED)
    assert line.result is not None
    assert line.result.median_ape.value < 0.06
    assert found.best is None  # without a competitor nothing can be said to beat one


def test_raw_weights_cost_the_faster_shaders_their_accuracy():
    pair = committed("llvmpipe", "rtx3060")
    errors = {}
    for weights in Weights:
        result = study(pair, weights, only=["OLS"]).lines[0].result
        assert result is not None
        errors[weights] = result.mape.value
    assert errors[Weights.RELATIVE] < 0.4
    assert errors[Weights.RAW] > 1.5 * errors[Weights.RELATIVE]


def test_what_the_host_alone_timed_is_forecast():
    pair = made(300, work_matters=False)
    assert forecasts(pair, "OLS/F/BIC") == pytest.approx({"x": pair.target_s[0]}, rel=0.15)


def test_the_committed_pair_ranks_its_features_as_published_in_the_report():
    pair = committed("llvmpipe", "rtx3060")
    assert len(pair.ids) == 1508
    ranked = ranking(pair, Weights.RELATIVE)
    assert [each.feature for each in ranked[:5]] == [
        "host time", "OpBranchConditional", "OpConvertUToF", "OpFMod", "OpIMul"
    ]  # fmt: skip
    assert ranked[0].p_value == pytest.approx(3.6e-131, rel=0.02)
    assert ranked[4].p_value == pytest.approx(4.5e-12, rel=0.05)
    (load,) = (each for each in ranked if each.feature == "OpLoad")
    assert load.coefficient_s == pytest.approx(-0.38e-3, rel=0.05)


def test_the_competitors_figures_on_the_committed_pair():
    lines = study(committed("llvmpipe", "rtx3060"), only=["one factor", "running median"]).lines
    factor, median, learned = (line.result for line in lines)
    assert factor is not None
    assert median is not None
    assert learned is not None
    assert factor.mape.value == pytest.approx(0.56, abs=0.01)
    assert median.median_ape.value == pytest.approx(0.183, abs=0.01)
    assert learned.median_ape.high < median.median_ape.low


def test_devices_without_samples_are_refused_with_those_there_are():
    with pytest.raises(WrongUse, match="rtx3060"):
        committed("llvmpipe", "voodoo2")


def test_a_regression_must_beat_every_competitor():
    pair = made(100, work_matters=True)
    off = {"NNLS": 1.02, "one factor": 1.5, "running median": 1.0}
    predicted = {name: pair.target_s * factor for name, factor in off.items()}
    lines = {n: pairs._compared(pair, pairs.Line("NNLS", "linear"), p).beats for n, p in (
        ("both", predicted),
        ("the worse", {n: p for n, p in predicted.items() if n != "running median"}),
    )}  # fmt: skip
    assert lines == {"both": False, "the worse": True}
