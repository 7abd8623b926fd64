"""Bundles of refitted regressions and of trees: what they refuse, what they forecast."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from shaderlab.errors import InvalidModel
from shaderlab.prediction.bundles.accuracy import BandCard
from shaderlab.prediction.bundles.bundle import Bundle
from shaderlab.prediction.features.context import CONTEXT
from shaderlab.prediction.features.example import Example
from shaderlab.prediction.models import refitted, trees
from shaderlab.prediction.models.bands import calibrated_or_floor
from shaderlab.prediction.models.model import CountedShader
from shaderlab.prediction.models.refitted import RefittedModel
from shaderlab.prediction.models.regressions import TOTAL
from shaderlab.prediction.models.trees import Forest, TreesModel, features_of

BANDS = (BandCard(0.0, None, 0.5, 2.0, 0.8, 100, 0.81),)
NAMES = ("context:coherence", "OpFAdd", "varying:OpFMul")


def counted(traced, opcodes):
    """A traced program without uninitialised reads."""

    class Counted(type(traced(opcodes))):
        uninitialised_reads = ()
        work = None
        context = np.zeros(len(CONTEXT))

    made = traced(opcodes, count=1000)
    return Counted(made.program, made.trace)


@pytest.fixture
def refit_card(card):
    pilr, sh = (
        replace(card.methods[i], name=name, bands=BANDS)
        for i, name in enumerate(("pilr-nonneg", "sh-refit"))
    )
    return replace(card, architecture=refitted.ARCHITECTURE, methods=(pilr, sh))


@pytest.fixture
def refit_tensors():
    """20 us + 1 ns per OpFAdd + 2 ns per OpFMul; SH: -30 us + 0.5 ns; never under 25 us."""
    values = {
        "pilr-nonneg.intercept": [2e-5],
        "pilr-nonneg.coefficients": [1e-9, 2e-9],
        "sh-refit.intercept": [-3e-5],
        "sh-refit.coefficients": [5e-10],
        "floor": [2.5e-5],
    }
    return {name: np.array(value, np.float32) for name, value in values.items()}


def test_a_refitted_regression_forecasts_its_sum(refit_card, refit_tensors, traced):
    model = RefittedModel.from_bundle(Bundle("toy", refit_card, refit_tensors))
    shader = counted(traced, {"OpFAdd": 10, "OpFMul": 15})
    found = model.forecast(shader)
    assert found.method == "pilr-nonneg"
    assert found.time_s == pytest.approx(2e-5 + 40 * 1000 * 1e-9)
    assert (found.low_s, found.high_s) == pytest.approx((3e-5, 1.2e-4))
    assert "fitted by shaderlab to times of 1,000 shaders" in found.basis
    below = model.forecast(shader, "sh-refit")
    assert (below.method, below.time_s) == ("sh-refit", pytest.approx(2.5e-5))
    assert "It gave -17.5 µs, so this is the floor." in below.basis
    assert not below.lines


def test_many_are_predicted_as_each_is_and_none_under_the_floor(refit_card, refit_tensors, traced):
    model = RefittedModel.from_bundle(Bundle("toy", refit_card, refit_tensors))
    shaders = [counted(traced, {"OpFAdd": 1, "OpFMul": n}) for n in (1, 15, 200)]
    table = SimpleNamespace(
        shaders=[
            CountedShader("", s.executed, Example({}, np.zeros(len(CONTEXT))), False)
            for s in shaders
        ]
    )
    for method in ("pilr-nonneg", "sh-refit"):
        found = model.predict(method, table)
        alone = [model.forecast(each, method) for each in shaders]
        for name in ("time_s", "low_s", "high_s"):
            assert getattr(found, name) == pytest.approx([getattr(each, name) for each in alone])
    assert found.time_s[0] == pytest.approx(2.5e-5)


def test_opcodes_the_fit_never_saw_are_warned_of(refit_card, refit_tensors, traced):
    model = RefittedModel.from_bundle(Bundle("toy", refit_card, refit_tensors))
    shader = counted(traced, {"OpFAdd": 9, "OpKill": 1})
    (warning,) = model.forecast(shader).warnings
    assert "never saw 10 %" in warning
    assert model.forecast(shader, "sh-refit").warnings == ()


def test_uninitialised_reads_open_the_band_down_to_the_floor(card):
    method = replace(card.methods[0], bands=BANDS)
    assert calibrated_or_floor(method, 1e-5, 1e-3, False).low_s == pytest.approx(5e-4)
    assert calibrated_or_floor(method, 1e-5, 1e-3, True).low_s == 1e-5


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("pilr-nonneg.coefficients", [1e-9, -1e-12], "outside 0 to 1 s"),
        ("pilr-nonneg.intercept", [-1e-9], "outside 0"),
        ("sh-refit.coefficients", [2.0], "outside -1 to 1 s"),
        ("sh-refit.coefficients", [1e-9, 1e-9], "shape"),
        ("floor", [0.0], "floor"),
        ("extra", [1.0], "'extra' is missing or has no use"),
    ],
)
def test_damaged_regressions_are_refused(refit_card, refit_tensors, name, value, said):
    refit_tensors[name] = np.array(value, np.float32)
    with pytest.raises(InvalidModel, match=said):
        RefittedModel.from_bundle(Bundle("toy", refit_card, refit_tensors))


def test_regressions_of_another_name_features_or_without_bands_are_refused(
    refit_card, refit_tensors
):
    (pilr, sh) = refit_card.methods
    for methods, said in (
        ((replace(pilr, name="pilr"), sh), "no refitted regression is called 'pilr'"),
        ((replace(pilr, features=(TOTAL,)), sh), "features are not its own"),
        ((replace(pilr, bands=()), sh), "bands: missing"),
    ):
        with pytest.raises(InvalidModel, match=said):
            RefittedModel.from_bundle(
                Bundle("toy", replace(refit_card, methods=methods), refit_tensors)
            )


@pytest.fixture
def forest():
    """One tree: log(1 + OpFAdd) <= 7 gives -9, else -8."""
    return Forest(
        base=-1.0,
        roots=np.array([0]),
        feature=np.array([1, -1, -1]),
        threshold=np.array([7, 0, 0], np.float32),
        left=np.array([1, 1, 2]),
        right=np.array([2, 1, 2]),
        value=np.array([0.0, -9, -8]),
    )


@pytest.fixture
def tree_card(card):
    method = replace(card.methods[0], name="trees", features=NAMES, bands=BANDS)
    return replace(card, architecture=trees.ARCHITECTURE, methods=(method,))


def test_trees_come_back_from_their_bundle(tree_card, forest):
    tensors = trees.tensors_of(forest, 1e-5)
    model = TreesModel.from_bundle(Bundle("toy", tree_card, tensors))
    features = np.array([[0, 7, 0], [0, 7.1, 0]], np.float32)
    assert model.times_s(features) == pytest.approx(np.exp([-10, -9]))
    assert replace(model, floor_s=1e-4).times_s(features).min() == 1e-4


def test_features_are_counts_in_log_and_properties_as_they_are():
    context = np.arange(len(CONTEXT)) / 7
    found = features_of((*NAMES, "OpKill"), {"OpFAdd": 9}, {"varying:OpFMul": 99.0}, context)
    coherence = CONTEXT.index("coherence") / 7
    assert found == pytest.approx([coherence, np.log(10), np.log(100), 0])
    assert found.dtype == np.float32


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("left", [0, 1, 2], "left: does not lead on"),
        ("right", [1, 1, 0], "right: does not lead on"),
        ("left", [1, 2, 2], "left: does not lead on"),
        ("left", [3, 1, 2], "whole numbers from 0 to 2"),
        ("feature", [3, -1, -1], "whole numbers from -1 to 2"),
        ("feature", [0.5, -1, -1], "whole numbers"),
        ("roots", [3], "whole numbers"),
        ("value", [0, 1e9, 0], "a time no frame takes"),
        ("threshold", [1, 2], "shape"),
        ("floor", [-1], "floor"),
        ("spare", [1], "'spare' is missing or has no use"),
    ],
)
def test_damaged_trees_are_refused(tree_card, forest, name, value, said):
    tensors = trees.tensors_of(forest, 1e-5) | {name: np.array(value, np.float32)}
    with pytest.raises(InvalidModel, match=said):
        TreesModel.from_bundle(Bundle("toy", tree_card, tensors))


@pytest.mark.parametrize(("levels", "fine"), [(64, True), (65, False)])
def test_trees_that_go_down_for_ever_are_refused(tree_card, levels, fine):
    """A chain: node i leads to leaf `levels + i` or on to node i + 1."""
    inner = np.arange(levels)
    leaves = np.arange(levels, 2 * levels + 1)
    chain = Forest(
        base=0.0,
        roots=np.array([0]),
        feature=np.concatenate([np.zeros(levels), np.full(levels + 1, -1)]),
        threshold=np.zeros(2 * levels + 1),
        left=np.concatenate([levels + inner, leaves]),
        right=np.concatenate([inner[1:], [2 * levels], leaves]),
        value=np.zeros(2 * levels + 1),
    )
    bundle = Bundle("toy", tree_card, trees.tensors_of(chain, 1e-5))
    if fine:
        model = TreesModel.from_bundle(bundle)
        assert model.times_s(np.ones((1, len(NAMES)), np.float32)) == pytest.approx([1.0])
    else:
        with pytest.raises(InvalidModel, match="more than 64 levels"):
            TreesModel.from_bundle(bundle)


def test_trees_without_nodes_or_with_unknown_properties_are_refused(tree_card, forest):
    tensors = trees.tensors_of(forest, 1e-5)
    with pytest.raises(InvalidModel, match="0 trees of 3 nodes"):
        TreesModel.from_bundle(Bundle("toy", tree_card, tensors | {"roots": np.zeros(0)}))
    with pytest.raises(InvalidModel, match="1 trees of 0 nodes"):
        TreesModel.from_bundle(Bundle("toy", tree_card, tensors | {"feature": np.zeros(0)}))
    (method,) = tree_card.methods
    odd = replace(method, features=("context:mood", *NAMES[1:]))
    with pytest.raises(InvalidModel, match="context:mood"):
        TreesModel.from_bundle(Bundle("toy", replace(tree_card, methods=(odd,)), tensors))


def test_a_weight_may_be_a_second_and_no_more(refit_card, refit_tensors):
    refit_tensors["sh-refit.coefficients"] = np.array([1.0], np.float32)
    model = RefittedModel.from_bundle(Bundle("toy", refit_card, refit_tensors))
    assert model.fits["sh-refit"].coefficients.tolist() == [1.0]
