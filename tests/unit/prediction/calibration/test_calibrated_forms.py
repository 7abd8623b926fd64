"""Which forms of a program a calibration keeps, on made-up devices."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from shaderlab.errors import CalibrationFailed
from shaderlab.prediction.calibration.calibrated_forms import calibrate_forms, errors_on_both
from shaderlab.prediction.calibration.fit_table import AMONG_GPUS, TimedWork
from shaderlab.prediction.calibration.fitting import FEWEST, Calibrated
from shaderlab.prediction.catalogue.user_targets import bases
from shaderlab.prediction.features.example import Example
from shaderlab.prediction.features.lane_work import Execution
from shaderlab.prediction.forms import FITTED, Form
from shaderlab.prediction.models.additive import Weights

N = 24
FLOOR_S = 2e-5


@pytest.fixture(scope="module")
def base() -> Weights:
    """A shipped one with nothing but prices."""
    found = bases()["rtx3060"]
    return replace(found, bound=0.0, late=None, execution=Execution.JUMPING)


def timed(base: Weights, off: float, seed: int = 0) -> list[TimedWork]:
    """Shaders whose counts say nothing of a part `off` of the work they are timed for."""
    generator = np.random.default_rng(seed)
    dear = np.argsort(-base.prices)[:6]
    found = []
    for number in range(N):
        work_s = 10 ** generator.uniform(-4, -2) * generator.dirichlet(np.ones(len(dear)))
        seen = work_s * np.exp(off * generator.normal(size=len(dear)))
        operations = dict(
            zip(
                (base.kinds[kind] for kind in dear),
                (seen / base.prices[dear]).tolist(),
                strict=True,
            )
        )
        example = Example(dict.fromkeys(Execution, operations), base.mean)
        found.append(TimedWork(f"shader{number:02}", example, float(work_s.sum()) + FLOOR_S))
    return found


def calibrated(base: Weights, **off: float) -> dict[Form, Calibrated]:
    shaders = {Form(form): timed(base, each) for form, each in off.items()}
    return calibrate_forms(
        {form: {"toy": base} for form in FITTED}, shaders, FLOOR_S, predicates=False
    )


def test_a_form_that_tells_more_is_kept(base):
    found = calibrated(base, written=0.5, optimized=0.2, compiled=0.02)
    assert list(found) == list(FITTED)
    errors = [np.median(np.abs(c.held_out_s / c.measured_s - 1)) for c in found.values()]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < errors[0] / 2


def test_a_form_that_tells_less_is_not(base):
    assert list(calibrated(base, written=0.02, optimized=0.5, compiled=0.5)) == [Form.WRITTEN]
    assert list(calibrated(base, written=0.3, optimized=0.02, compiled=0.5)) == [
        Form.WRITTEN,
        Form.OPTIMIZED,
    ]


def test_a_form_with_few_shaders_or_without_a_base_is_passed_over(base):
    shaders = {
        Form.WRITTEN: timed(base, 0.5),
        Form.OPTIMIZED: timed(base, 0.0)[: FEWEST - 1],
        Form.COMPILED: timed(base, 0.0),
    }
    found = calibrate_forms(
        {Form.WRITTEN: {"toy": base}, Form.OPTIMIZED: {"toy": base}, Form.COMPILED: {}},
        shaders,
        FLOOR_S,
        predicates=False,
    )
    assert list(found) == [Form.WRITTEN]


def test_the_program_as_written_is_needed(base):
    shaders = {Form.WRITTEN: timed(base, 0.0)[: FEWEST - 1], Form.COMPILED: timed(base, 0.0)}
    with pytest.raises(CalibrationFailed, match=f"{FEWEST - 1} shaders were timed"):
        calibrate_forms(
            {form: {"toy": base} for form in FITTED}, shaders, FLOOR_S, predicates=False
        )


def test_errors_are_compared_over_what_both_have(base):
    left = Calibrated(
        base, "toy", AMONG_GPUS, ("a", "b", "c"), np.ones(3), np.array([1.1, 1.2, 9.0])
    )
    right = Calibrated(base, "toy", AMONG_GPUS, ("b", "a"), np.ones(2), np.array([0.6, 0.5]))
    assert errors_on_both(left, right) == pytest.approx((0.15, 0.45))
