from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.gpu.plan import FEWEST_TRIALS, MEASUREMENT_S, SUBMISSION_S, Plan, fewer_draws, plan


@pytest.mark.parametrize(
    ("draw_s", "expected"),
    [
        (0.0, (10, 30)),
        (1e-3, (10, 30)),
        (0.05, (10, 10)),
        (0.3, (10, 1)),
        (3.0, (6, 1)),
        (100.0, (3, 1)),
    ],
)
def test_slow_shaders_get_fewer_draws_then_fewer_trials(draw_s, expected):
    assert plan(draw_s, trials=10, draws=30) == expected


@given(st.floats(0, 1e4), st.integers(1, 100), st.integers(1, 1000))
def test_plans_keep_their_promises(draw_s, trials, draws):
    planned = plan(draw_s, trials, draws)
    assert 1 <= planned.draws <= draws
    assert min(trials, FEWEST_TRIALS) <= planned.trials <= trials
    assert planned.draws == 1 or planned.draws * draw_s <= SUBMISSION_S
    total = planned.trials * planned.draws * draw_s
    assert planned.trials <= FEWEST_TRIALS or total <= MEASUREMENT_S


@pytest.mark.parametrize(("draws", "fewer"), [(1, ()), (3, ()), (4, (2, 1)), (30, (15, 7))])
def test_linearity_needs_distinct_numbers_of_draws(draws, fewer):
    assert fewer_draws(draws) == fewer


def test_a_measurement_takes_its_draws_and_those_that_check_them():
    # Two draws for the plan, one trial not counted, two counted, three each of two and one draws.
    assert Plan(trials=2, draws=4).seconds(0.5) == 0.5 * (2 + 3 * 4 + 3 * (2 + 1))
    assert Plan(trials=3, draws=1).seconds(0.5) == 0.5 * (1 + 3)
