from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.prediction.cost import PASS, Bound, Cost
from shaderlab.prediction.forecast import (
    Forecast,
    Status,
    TexturePrice,
    TextureShare,
    Validation,
    VertexPart,
)
from shaderlab.prediction.forecasts.shared_passes import in_passes

EMPTY_S = 1e-5
VALIDATED = Validation(None, None, None, "")


def forecast(work_s: float | None, target: str = "gpu", **more) -> Forecast:
    """As an additive model has it, of a pass of its own; None: its work is not known."""
    time_s = math.hypot(EMPTY_S, work_s or 0.0)
    cost = Cost(Bound.PASS, ((PASS, 1.0),), None, work_s, EMPTY_S if work_s is not None else None)
    return Forecast(target, time_s, time_s / 2, time_s * 3, "a", "", VALIDATED, cost=cost, **more)


def total(found, target: str = "gpu") -> float:
    return sum(f.time_s for each in found.values() for f in each if f.target == target)


@given(st.lists(st.floats(1e-9, 1e-1), min_size=2, max_size=20))
def test_a_pass_takes_as_long_as_its_work_and_at_least_as_an_empty_one(works: list[float]):
    alone = {n: (forecast(work),) for n, work in enumerate(works)}
    found = in_passes(alone, dict.fromkeys(alone, 0))
    assert total(found) == pytest.approx(max(sum(works), EMPTY_S))
    assert total(found) <= total(alone) * (1 + 1e-9)
    for draw, (part,) in found.items():
        assert part.low_s == pytest.approx(part.time_s / 2)
        assert part.high_s == pytest.approx(part.time_s * 3)
        assert part.time_s / total(found) == pytest.approx(works[draw] / sum(works))


def test_a_pass_of_one_draw_and_a_draw_without_a_pass_keep_their_times():
    alone = {n: (forecast(1e-6),) for n in range(4)}
    found = in_passes(alone, {0: 0, 1: 1})
    assert found == alone


def test_each_pass_is_shared_by_its_own_draws():
    alone = {n: (forecast(1e-6),) for n in range(4)}
    assert total(in_passes(alone, {0: 0, 1: 0, 2: 1, 3: 1})) == pytest.approx(2 * EMPTY_S)


def test_a_target_on_which_a_draws_work_is_not_known_keeps_its_times():
    alone = {
        0: (forecast(1e-6), forecast(1e-6, "other")),
        1: (forecast(None), forecast(1e-6, "other")),
    }
    found = in_passes(alone, {0: 0, 1: 0})
    assert found[0][0] == alone[0][0]
    assert total(found, "other") == pytest.approx(EMPTY_S)


def test_texture_terms_and_vertex_stages_are_work():
    term = TextureShare(TexturePrice.PUBLISHED, 4e-3)
    alone = {
        0: (forecast(3e-3, textures=term),),
        1: (forecast(1e-3, vertex=VertexPart(3, 9, 1e-3)),),
    }
    assert total(in_passes(alone, {0: 0, 1: 0})) == pytest.approx(5e-3 + 2e-3)


def test_a_lower_bound_is_not_shared():
    bound = Forecast("gpu", None, 1.0, None, "a", "", VALIDATED, status=Status.LOWER_BOUND)
    alone = {0: (bound,), 1: (forecast(1e-6),)}
    assert in_passes(alone, {0: 0, 1: 0}) == alone
