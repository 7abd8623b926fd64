"""The fit finds prices it was not told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from models.laboratory.additive import Recipe, fit  # noqa: E402
from shaderlab.prediction.features.context import CONTEXT  # noqa: E402
from shaderlab.prediction.features.example import Example  # noqa: E402
from shaderlab.prediction.features.lane_work import Execution  # noqa: E402
from shaderlab.prediction.models.additive import Late, predict_s  # noqa: E402

KINDS = ("varying:OpFAdd", "varying:OpFMul", "varying:Sin")
PRICES = np.array([1e-12, 3e-12, 2e-11])
FLOOR_S = 2e-5
QUICK = Recipe(steps=300, learning_rate=0.06, price_decay=1e-4)


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """Matrices this small only lose by being shared out, all the more on a busy machine."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def with_operations(each: Example, changed: dict[str, float]) -> Example:
    operations = {**each.operations, **changed}
    return replace(each, spent=dict.fromkeys(Execution, operations))


@pytest.fixture(scope="module")
def shaders(one_thread):
    """200 made-up shaders whose time is the larger of floor and priced work."""
    generator = np.random.default_rng(3)
    operations = generator.lognormal(14, 2.5, (200, 3))
    times = (FLOOR_S**4 + (operations @ PRICES) ** 4) ** 0.25
    examples = [
        Example(
            {each: dict(zip(KINDS, row.tolist(), strict=True)) for each in Execution},
            generator.normal(size=len(CONTEXT)),
        )
        for row in operations
    ]
    return examples, times


@pytest.fixture(scope="module")
def weights(shaders):
    examples, times = shaders
    return fit(examples[:160], times[:160], QUICK)


def test_it_predicts_shaders_it_has_not_seen(shaders, weights):
    examples, times = shaders
    errors = np.abs(predict_s(weights, examples[160:]) / times[160:] - 1)
    assert np.median(errors) < 0.03


@pytest.mark.parametrize("execution", Execution)
def test_it_prices_work_as_the_target_executes(shaders, weights, execution):
    examples, times = shaders
    others = {each: {} for each in Execution}
    alone = [Example({**others, execution: each.operations}, each.context) for each in examples]
    found = fit(alone[:160], times[:160], replace(QUICK, execution=execution))
    assert found.execution is execution
    np.testing.assert_array_equal(found.prices, weights.prices)
    np.testing.assert_array_equal(predict_s(found, alone), predict_s(weights, examples))


def test_it_finds_the_prices_and_the_floor(weights):
    assert weights.kinds == KINDS
    assert weights.prices == pytest.approx(PRICES, rel=0.25)
    assert weights.floor_s == pytest.approx(FLOOR_S, rel=0.05)


def test_the_same_seed_gives_the_same_weights(shaders):
    examples, times = shaders
    short = replace(QUICK, steps=20)
    first, second = (fit(examples, times, short) for _ in range(2))
    np.testing.assert_array_equal(first.prices, second.prices)
    np.testing.assert_array_equal(first.hidden, second.hidden)


def test_a_few_absurd_times_do_not_lead(shaders, weights):
    examples, times = shaders
    spoiled = times[:160].copy()
    spoiled[:5] = FLOOR_S
    robust = fit(examples[:160], spoiled, QUICK)
    assert robust.prices == pytest.approx(weights.prices, rel=0.3)


def test_kinds_few_shaders_have_get_no_price(shaders):
    examples, times = shaders
    rare = [
        with_operations(each, {"varying:Rare": 1.0 if i < 3 else 0.0})
        for i, each in enumerate(examples)
    ]
    assert fit(rare, times, replace(QUICK, steps=5)).kinds == KINDS


def test_it_finds_where_the_clock_rises(shaders):
    examples, times = shaders
    risen = np.minimum(times, 3e-4 + 0.25 * times)
    found = fit(examples[:160], risen[:160], replace(QUICK, late=True))
    assert isinstance(found.late, Late)
    assert found.late.slope == pytest.approx(0.25, rel=0.3)
    steady = fit(examples[:160], risen[:160], QUICK)
    errors, worse = (
        np.median(np.abs(predict_s(each, examples[160:]) / risen[160:] - 1))
        for each in (found, steady)
    )
    assert errors < 0.04
    assert errors < worse / 2


def test_few_samples_keep_to_what_another_target_taught(shaders, weights):
    """A GPU three times as slow, by 16 shaders of which 12 run nothing but additions."""
    examples, _ = shaders
    slow = replace(weights, prices=weights.prices * 3)
    chosen = [
        with_operations(each, {"varying:OpFMul": 0.0, "varying:Sin": 0.0}) if number % 4 else each
        for number, each in enumerate(examples[:16])
    ]
    measured = predict_s(slow, chosen)
    few = replace(QUICK, price_decay=0.01, least_shaders=4)
    expected = np.log(predict_s(slow, examples[160:]))
    taught, alone = (
        np.abs(
            np.log(predict_s(fit(chosen, measured, few, base), examples[160:])) - expected
        ).mean()
        for base in (weights, None)
    )
    assert taught < alone / 2


def test_rare_kinds_count_as_the_coarser_one(shaders):
    examples, times = shaders
    refined = []
    for number, each in enumerate(examples):
        how = "often" if number % 2 else f"once{number}"
        operations = {f"{kind}:{how}": n for kind, n in each.operations.items()}
        refined.append(replace(each, spent=dict.fromkeys(Execution, operations)))
    found = fit(refined, times, replace(QUICK, steps=5))
    assert set(found.kinds) == {*KINDS, *(f"{kind}:often" for kind in KINDS)}
