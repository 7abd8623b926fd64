"""Calibrations of made-up GPUs whose prices are known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shaderlab.errors import CalibrationFailed
from shaderlab.prediction.calibration import fit_table
from shaderlab.prediction.calibration import fitting as calibration
from shaderlab.prediction.calibration.average_weights import average
from shaderlab.prediction.calibration.fit_table import AMONG_GPUS, BY_LAW, Freedom, TimedWork
from shaderlab.prediction.features.context import CONTEXT
from shaderlab.prediction.features.example import Example
from shaderlab.prediction.features.kind_groups import GROUPS, group_of
from shaderlab.prediction.features.lane_work import Execution
from shaderlab.prediction.models.additive import Late, Weights, join, log_factor, network

KINDS = ("uniform:OpFAdd", "varying:OpFAdd", "varying:OpFMul", "varying:OpLoad", "varying:Sin")
FLOOR_S = 2e-5


@pytest.fixture
def base() -> Weights:
    inputs = len(CONTEXT)
    return Weights(
        kinds=KINDS,
        prices=np.array([1e-13, 4e-13, 5e-13, 2e-12, 6e-12]),
        floor_s=FLOOR_S,
        exponent=4.0,
        bound=1.0,
        mean=np.zeros(inputs),
        scale=np.ones(inputs),
        low=np.full(inputs, -5.0),
        high=np.full(inputs, 5.0),
        hidden=np.full((inputs + 1, 2), 0.05),
        out=np.array([0.2, -0.3, 0.05]),
    )


def frames(n: int, seed: int = 0) -> list[TimedWork]:
    """Shaders without times, from work below the floor to a hundred times above it."""
    generator = np.random.default_rng(seed)
    found = []
    for number in range(n):
        size = 10 ** generator.uniform(6, 10)
        shares = generator.dirichlet(np.ones(len(KINDS)))
        operations = dict(zip(KINDS, (shares * size).tolist(), strict=True))
        context = generator.normal(size=len(CONTEXT))
        example = Example(dict.fromkeys(Execution, operations), context)
        found.append(TimedWork(f"shader{number:03}", example, 1.0))
    return found


def predicted_s(weights: Weights, each: TimedWork) -> float:
    prices = dict(zip(weights.kinds, weights.prices.tolist(), strict=True))
    work = sum(prices[kind] * n for kind, n in each.example.operations.items())
    factor = float(np.exp(log_factor(weights, each.example.context[None])[0]))
    return join(weights.floor_s, work * factor, weights.exponent)


def timed(weights: Weights, shaders: list[TimedWork], noise: float = 0.0) -> list[TimedWork]:
    generator = np.random.default_rng(1)
    return [
        replace(each, time_s=predicted_s(weights, each) * float(np.exp(noise * error)))
        for each, error in zip(shaders, generator.normal(size=len(shaders)), strict=True)
    ]


def errors(weights: Weights, truth: Weights, seed: int = 9) -> np.ndarray:
    """Relative errors on shaders that nothing was fitted to."""
    return np.array([predicted_s(weights, x) / predicted_s(truth, x) - 1 for x in frames(60, seed)])


def test_a_gpu_that_is_only_faster_is_found_from_a_dozen_shaders(base):
    truth = replace(base, prices=base.prices * 0.21, floor_s=6e-6)
    found = calibration.fit(base, timed(truth, frames(12)), 6e-6)
    assert np.abs(errors(found, truth)).max() < 0.02
    assert np.abs(errors(base, truth)).max() > 2


def test_a_group_that_costs_more_is_corrected_as_a_group(base):
    dear = np.array([4.0 if group_of(kind) == "transcendental" else 1.0 for kind in KINDS])
    truth = replace(base, prices=base.prices * dear)
    shaders = timed(truth, frames(30))
    stiff = calibration.fit(base, shaders, FLOOR_S, Freedom(0.0, 0.0, 0.0))
    loose = calibration.fit(base, shaders, FLOOR_S, Freedom(0.5, 0.0, 0.0))
    before, after = (np.median(np.abs(errors(w, truth))) for w in (stiff, loose))
    assert after < 0.03 < before


def test_a_context_that_matters_only_here_is_learned(base):
    slopes = np.zeros((len(CONTEXT) + 1, 2))
    slopes[0] = 0.5
    truth = replace(base, hidden=slopes, out=np.array([0.4, 0.4, 0.0]))
    shaders = timed(truth, frames(50))
    stiff = calibration.fit(base, shaders, FLOOR_S, Freedom(0.2, 0.0, 0.0))
    loose = calibration.fit(base, shaders, FLOOR_S, Freedom(0.5, 0.3, 0.3))
    before, after = (np.median(np.abs(errors(w, truth))) for w in (stiff, loose))
    assert after < before / 2


def test_the_weights_predict_what_the_fit_saw(base):
    """The linear correction travels in a hidden unit: it must come out as it went in."""
    shaders = timed(replace(base, prices=base.prices * 2), frames(20), noise=0.2)
    table = fit_table.Table.of(base, shaders, FLOOR_S)
    rows = np.arange(20)
    found = table.fit(rows, AMONG_GPUS)
    weights = table.weights(found)
    assert weights.hidden.shape == (len(CONTEXT) + 1, 3)
    shown = [predicted_s(weights, each) for each in shaders]
    np.testing.assert_allclose(shown, table.predict_s(found, rows), rtol=2e-4)


def test_both_ways_to_solve_agree():
    generator = np.random.default_rng(0)
    few, many = generator.normal(size=(5, 9)), generator.normal(size=(40, 9))
    diagonal, gradient = generator.uniform(0.1, 2, 9), generator.normal(size=9)
    for slopes in (few, many):
        weights = generator.uniform(0.2, 1, len(slopes))
        x = fit_table._solve(slopes, weights, diagonal, gradient)
        system = slopes.T @ (weights[:, None] * slopes) + np.diag(diagonal)
        np.testing.assert_allclose(system @ x, gradient, atol=1e-9)


def test_held_out_times_are_not_looked_at(base):
    """A wrong time must not come back in its own held-out prediction."""
    truth = replace(base, prices=base.prices * 3)
    shaders = timed(truth, frames(24))
    wrong = [replace(shaders[5], time_s=shaders[5].time_s * 30), *shaders[:5], *shaders[6:]]
    found = calibration.calibrate({"base": base}, wrong, FLOOR_S, predicates=False)
    odd = int(np.argmin(np.abs(found.measured_s - wrong[0].time_s)))
    ratio = found.measured_s[odd] / found.held_out_s[odd]
    assert ratio > 15
    others = np.delete(np.abs(found.held_out_s / found.measured_s - 1), odd)
    assert np.median(others) < 0.05


def test_the_base_that_fits_is_chosen(base):
    other = replace(base, prices=base.prices[::-1] * np.array([30, 1, 0.2, 3, 0.1]))
    shaders = timed(replace(base, prices=base.prices * 5), frames(24), noise=0.03)
    found = calibration.calibrate(
        {"alike": base, "unlike": other}, shaders, FLOOR_S, predicates=False
    )
    assert found.base == "alike"


@settings(max_examples=5)
@given(st.randoms(use_true_random=False))
def test_the_order_of_the_shaders_does_not_matter(random):
    base = _plain_base()
    shaders = timed(base, frames(14), noise=0.1)
    shuffled = list(shaders)
    random.shuffle(shuffled)
    one, other = (
        calibration.calibrate({"b": base}, x, None, predicates=False) for x in (shaders, shuffled)
    )
    np.testing.assert_array_equal(one.held_out_s, other.held_out_s)
    np.testing.assert_array_equal(one.weights.prices, other.weights.prices)


def test_the_average_lies_between(base):
    dear = np.array([8.0 if "Sin" in kind else 1.0 for kind in KINDS])
    fast = replace(base, prices=base.prices * dear * 0.01, mean=base.mean + 1, scale=base.scale * 2)
    both = average([base, fast])
    assert both.kinds == KINDS
    ratios = both.prices / base.prices
    ratios /= ratios[0]
    np.testing.assert_allclose(ratios, np.sqrt(dear), rtol=1e-6)
    contexts = np.random.default_rng(0).normal(size=(20, len(CONTEXT)))
    outputs = [network(w, (contexts - w.mean) / w.scale) for w in (base, fast, both)]
    np.testing.assert_allclose(outputs[2], (outputs[0] + outputs[1]) / 2, rtol=1e-9)


def test_the_average_of_one_is_itself(base):
    alone = average([base])
    np.testing.assert_allclose(alone.prices, base.prices)
    for each in frames(5):
        assert predicted_s(alone, each) == pytest.approx(predicted_s(base, each))


def test_of_bases_that_err_alike_the_average_is_taken(base):
    dearer = np.array([1.0, 1.3, 0.8, 1.2, 0.8])
    bases = {"one": replace(base, prices=base.prices * dearer)}
    bases["other"] = replace(base, prices=base.prices / dearer)
    shaders = timed(base, frames(24), noise=0.1)
    found = calibration.calibrate(bases, shaders, FLOOR_S, predicates=False)
    assert found.base == calibration.AVERAGE


@pytest.mark.parametrize(("masks", "start"), [(True, "masking"), (False, "jumping")])
def test_a_device_starts_from_its_like(base, masks, start):
    """Though another target's prices fit it better."""
    fitting, odd = base.prices, base.prices[::-1]
    bases = {
        "masking": replace(base, execution=Execution.PREDICATING, prices=odd if masks else fitting),
        "jumping": replace(base, prices=fitting if masks else odd),
    }
    found = calibration.calibrate(bases, timed(base, frames(16)), FLOOR_S, predicates=masks)
    assert found.base in ({start} if masks else {start, calibration.AVERAGE})
    alone = calibration.calibrate(
        {"only": base}, timed(base, frames(16)), FLOOR_S, predicates=masks
    )
    assert alone.base == "only", "better than nothing"


def test_too_few_shaders_or_nothing_to_start_from_are_refused(base):
    shaders = timed(base, frames(12))
    with pytest.raises(CalibrationFailed, match="4 shaders were timed"):
        calibration.calibrate({"base": base}, shaders[:4], None, predicates=False)
    with pytest.raises(CalibrationFailed, match="no installed target"):
        calibration.calibrate({}, shaders, None, predicates=False)


def test_a_device_with_a_relative_starts_from_its_prices_by_both_data_sheets(base):
    """Though another target's prices fit better; sines take four times as long as the law says."""
    ratios = {"": 2.0, "transcendental": 3.0}
    relative = calibration.Relative("kin", ratios)
    law = relative.weights(base)
    np.testing.assert_allclose(law.prices / base.prices, [2, 2, 2, 2, 3])
    truth = replace(law, prices=law.prices * np.array([1, 1, 1, 1, 4.0]))
    bases = {"kin": base, "other": truth}
    few, many = (
        calibration.calibrate(
            bases, timed(truth, frames(n)), FLOOR_S, predicates=False, relative=relative
        )
        for n in (5, 40)
    )
    assert few.base == many.base == "kin"
    assert few.freedom == BY_LAW
    by_law, by_few, by_many = (
        np.median(np.abs(errors(each, truth))) for each in (law, few.weights, many.weights)
    )
    assert by_many < by_few < by_law


def test_a_relative_of_unknown_pace_gives_its_prices_in_proportion(base):
    truth = replace(base, prices=base.prices * 30)
    found = calibration.calibrate(
        {"kin": base, "other": truth}, timed(truth, frames(8)), FLOOR_S,
        predicates=False, relative=calibration.Relative("kin", None),
    )  # fmt: skip
    assert found.base == "kin"
    assert np.median(np.abs(errors(found.weights, truth))) < 0.02


def test_no_shader_moves_nothing(base):
    table = fit_table.Table.of(base, timed(base, frames(5)), FLOOR_S)
    np.testing.assert_array_equal(table.fit(np.arange(0), BY_LAW), table.prior)


def test_every_shipped_kind_has_a_group():
    from shaderlab.prediction.catalogue.user_targets import bases

    kinds = {kind for weights in bases().values() for kind in weights.kinds} - {"other"}
    assert kinds
    groups = {kind: group_of(kind) for kind in kinds}
    assert set(groups.values()) <= set(GROUPS)
    assert sorted(kind for kind, group in groups.items() if group == "other") == []


def _plain_base() -> Weights:
    inputs = len(CONTEXT)
    return Weights(
        KINDS, np.array([1e-13, 4e-13, 5e-13, 2e-12, 6e-12]), FLOOR_S, 4.0, 1.0,
        np.zeros(inputs), np.ones(inputs), np.full(inputs, -5.0), np.full(inputs, 5.0),
        np.zeros((inputs + 1, 1)), np.zeros(2),
    )  # fmt: skip


def risen(seconds: float, late: Late) -> float:
    """What a frame takes where the clock has risen, if that is less."""
    return min(seconds, late.floor_s + late.slope * seconds)


def test_a_clock_that_rises_with_the_load_is_found(base):
    late = Late(3e-4, 0.3, 50.0)
    truth = replace(base, prices=base.prices * 0.7)
    slow = timed(truth, frames(40), noise=0.02)
    shaders = [replace(each, time_s=risen(each.time_s, late)) for each in slow]
    found = calibration.calibrate({"toy": base}, shaders, FLOOR_S, predicates=False)
    assert found.weights.late is not None
    assert found.weights.late.slope == pytest.approx(late.slope, rel=0.2)
    assert found.weights.late.floor_s == pytest.approx(late.floor_s, rel=0.3)
    assert np.median(np.abs(found.held_out_s / found.measured_s - 1)) < 0.05
    # A software device's does not, whatever its times look like.
    masked = replace(base, execution=Execution.PREDICATING)
    found = calibration.calibrate({"toy": masked}, shaders, FLOOR_S, predicates=True)
    assert found.weights.late is None


def test_a_clock_that_stays_costs_nothing_by_the_choice(base):
    truth = replace(base, prices=base.prices * 0.7)
    shaders = timed(truth, frames(40), noise=0.02)
    found = calibration.calibrate({"toy": base}, shaders, FLOOR_S, predicates=False)
    assert np.median(np.abs(found.held_out_s / found.measured_s - 1)) < 0.03


@pytest.mark.parametrize("rises", [False, True])
def test_slopes_are_those_of_the_errors(base, rises):
    """What Gauss-Newton steps by, against differences."""
    table = fit_table.Table.of(base, timed(base, frames(20)), FLOOR_S, rises=rises)
    rows = np.arange(20)
    found = table.prior + np.random.default_rng(3).normal(size=len(table.prior)) * 0.1
    errors, slopes = table.errors(found, rows)
    for parameter in range(len(found)):
        step = np.zeros(len(found))
        step[parameter] = 1e-6
        moved = table.errors(found + step, rows)[0]
        assert (moved - errors) / 1e-6 == pytest.approx(slopes[:, parameter], abs=1e-4)
