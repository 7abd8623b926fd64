"""Fits of the baselines find what made-up data hold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.laboratory import baselines
from models.laboratory.baselines import TreesRecipe
from shaderlab.prediction.features.context import CONTEXT
from shaderlab.prediction.features.example import Example
from shaderlab.prediction.features.lane_work import Execution
from shaderlab.prediction.models.model import CountedShader
from shaderlab.prediction.models.trees import LEAF, Forest, feature_table
from shaderlab.training import comparison, methods, recorded_predictions, shader_data
from shaderlab.training.splits import Split

NAMES = ("OpFAdd", "OpFMul", "OpLoad")
PRICES = np.array([1e-13, 4e-13, 2e-13])


def made_up(n: int, seed: int = 1) -> list[CountedShader]:
    generator = np.random.default_rng(seed)
    return [
        CountedShader(
            f"s{i}",
            dict(zip(NAMES, row, strict=True)),
            Example(
                {each: {"varying:OpFMul": float(row[1])} for each in Execution},
                generator.normal(size=len(CONTEXT)),
            ),
            False,
        )
        for i, row in enumerate(generator.lognormal(17, 2, (n, 3)).astype(np.int64).tolist())
    ]


def times(shaders: list[CountedShader], prices: np.ndarray = PRICES) -> np.ndarray:
    return 2e-5 + baselines.counts(shaders, NAMES) @ prices


def test_pilr_finds_the_prices():
    shaders = made_up(60)
    fit = baselines.regression(shaders, times(shaders), total=False, nonnegative=False)
    assert fit.features == NAMES
    assert fit.intercept_s == pytest.approx(2e-5, rel=1e-3)
    assert fit.coefficients == pytest.approx(PRICES, rel=1e-3)
    others = made_up(20, seed=2)
    assert baselines.regression_s(fit, others) == pytest.approx(times(others), rel=1e-3)


def test_an_opcode_few_shaders_have_gets_no_price():
    shaders = made_up(60)
    odd = [replace(each, executed={**each.executed, "OpSNegate": 1000}) for each in shaders[:7]]
    spoiled = times(shaders)
    spoiled[:7] *= 100
    fit = baselines.regression([*odd, *shaders[7:]], spoiled, total=False, nonnegative=False)
    assert fit.features == NAMES
    kept = baselines.regression(
        [*odd, *shaders[7:]], spoiled, total=False, nonnegative=False, least=7
    )
    assert kept.features == (*NAMES, "OpSNegate")


def test_simple_heuristics_has_one_price_for_all_instructions():
    shaders = made_up(60)
    same = times(shaders, np.full(3, 3e-13))
    fit = baselines.regression(shaders, same, total=True, nonnegative=False)
    assert fit.features == ("instructions",)
    assert fit.coefficients == pytest.approx([3e-13], rel=1e-4)


def test_opcodes_that_add_up_to_a_constant_do_not_cancel_each_other():
    """Every call returns, and so does the entry point once in every pixel."""
    generator = np.random.default_rng(4)
    calls = generator.lognormal(19, 2, (200, 2)).astype(np.int64).tolist()
    shaders = [
        CountedShader(
            f"s{i}",
            {"OpFunctionCall": a + b, "OpReturn": a + 786_432, "OpReturnValue": b},
            Example({each: {} for each in Execution}, None),
            False,
        )
        for i, (a, b) in enumerate(calls)
    ]
    measured = (2e-5 + 1e-13 * np.array(calls).sum(1)) * generator.lognormal(0, 0.3, 200)
    fit = baselines.regression(shaders, measured, total=False, nonnegative=False)
    assert np.abs(fit.coefficients).max() < 1e-12
    assert abs(fit.intercept_s) < 1e-4


def test_a_fit_is_what_the_application_computes_from_it():
    shaders = made_up(40)
    for total in (True, False):
        fit = baselines.regression(shaders, times(shaders), total=total, nonnegative=False)
        one_by_one = [fit.predict_s(shader.executed) for shader in shaders]
        assert baselines.regression_s(fit, shaders) == pytest.approx(one_by_one, rel=1e-12)


def test_short_times_weigh_more():
    """Two shaders of one count cannot both be met; the weighted mean is nearer to the faster."""
    alike = [
        CountedShader(
            name, {"OpFAdd": 10**9}, Example({each: {} for each in Execution}, None), False
        )
        for name in "ab"
    ]
    fit = baselines.regression(alike, np.array([1e-4, 1e-2]), total=True, nonnegative=False)
    found = baselines.regression_s(fit, alike)[0]
    weights = 1 / (np.array([1e-4, 1e-2]) + 1e-6)
    assert found == pytest.approx((weights @ [1e-4, 1e-2]) / weights.sum(), rel=1e-4)


@settings(max_examples=25)
@given(st.integers(0, 2**32))
def test_without_negative_prices_there_is_none_and_no_free_fit_is_worse(seed):
    pytest.importorskip("scipy")
    shaders = made_up(30, seed)
    generator = np.random.default_rng(seed)
    measured = times(shaders, np.array([-1e-13, 5e-13, 1e-13])).clip(2e-5)
    measured = measured * generator.lognormal(0, 0.5, len(shaders))
    weights = 1 / (measured + baselines.WEIGHT_S)

    def loss(nonnegative: bool) -> float:
        fit = baselines.regression(shaders, measured, total=False, nonnegative=nonnegative)
        if nonnegative:
            assert fit.intercept_s >= 0
            assert (fit.coefficients >= 0).all()
        return weights @ (baselines.regression_s(fit, shaders) - measured) ** 2

    assert loss(False) <= loss(True) * (1 + 1e-4) + 1e-18


def test_thresholds_in_float32_send_every_feature_the_same_way():
    generator = np.random.default_rng(5)
    values = generator.normal(size=1000).astype(np.float32)
    thresholds = (values.astype(np.float64) + np.nextafter(values, np.float32(9))) / 2
    thresholds = np.concatenate([thresholds, values, generator.normal(size=1000)])
    rounded = baselines._rounded_down(thresholds)
    assert rounded.dtype == np.float32
    for value in values[:50]:
        np.testing.assert_array_equal(value <= rounded, float(value) <= thresholds)


def test_trees_give_what_scikit_learn_gives():
    ensemble = pytest.importorskip("sklearn.ensemble")
    shaders = made_up(150)
    measured = times(shaders)
    recipe = TreesRecipe(trees=30, depth=3, least_shaders=1)
    names, forest = baselines.trees(shaders, measured, recipe)
    table = feature_table(shaders, names)
    theirs = ensemble.GradientBoostingRegressor(
        loss="huber", alpha=recipe.huber, n_estimators=30, max_depth=3, learning_rate=0.05,
        subsample=0.7, max_features=0.3, min_samples_leaf=5, random_state=0,
    ).fit(table, np.log(measured))  # fmt: skip
    others = feature_table(made_up(100, seed=9), names)
    np.testing.assert_allclose(forest.log_s(others), theirs.predict(others), rtol=1e-12)
    assert set(names) > {*NAMES, "varying:OpFMul"}
    assert (forest.feature == LEAF).sum() > 30


def test_trees_walk_from_every_root_to_a_leaf():
    """x <= 1 gives 2, else y <= 5 gives 3, else 4; and a lone leaf of 10."""
    forest = Forest(
        base=0.5,
        roots=np.array([0, 5]),
        feature=np.array([0, LEAF, 1, LEAF, LEAF, LEAF]),
        threshold=np.array([1, 0, 5, 0, 0, 0], np.float32),
        left=np.array([1, 1, 3, 3, 4, 5]),
        right=np.array([2, 1, 4, 3, 4, 5]),
        value=np.array([9.0, 2, 9, 3, 4, 10]),
    )
    features = np.array([[1, 9], [1.5, 5], [2, 6]], np.float32)
    assert forest.log_s(features).tolist() == [12.5, 13.5, 14.5]


@pytest.mark.parametrize(
    ("ending", "file"),
    [(methods.UNTRACED, shader_data.UNTRACED), (methods.ESTIMATED, shader_data.STATIC)],
)
def test_the_recorded_ablation_is_what_the_committed_counts_give(ending, file):
    """The regressions are fitted again, from the counts without a trace.

    Where this fails, counts are newer than predictions:
    `python -m models.recipes.baselines`.
    """
    shaders, times = shader_data.read(comparison.data_folder(), file)
    recorded = recorded_predictions.read()
    (target,) = [each for each in comparison.cohorts(Split.VALIDATION) if each.target == "rtx3060"]
    train = [each for each in times["rtx3060"] if comparison.split_of(each.id) is Split.TRAIN]
    chosen = [shaders[each.id] for each in train]
    measured = np.array([each.full_s for each in train])
    for name, total in (("sh-refit", True), ("pilr-refit", False)):
        fit = baselines.regression(chosen, measured, total=total, nonnegative=False)
        again = baselines.regression_s(fit, [shaders[each] for each in target.ids])
        by_id = recorded["rtx3060", name + ending]
        found = [by_id[each] for each in target.ids]
        assert found == pytest.approx(np.maximum(again, measured.min()), rel=1e-4)
