"""Chips of a family by compute units and clock."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.errors import WrongUse
from shaderlab.gpu.compilers.families import named
from shaderlab.gpu.radv.cost import FrameCost
from shaderlab.gpu.radv.times import estimates
from shaderlab.studies.explore import Part, better_share, explore, usual, weakest

(NAVI23,) = named("navi23")
COST = FrameCost("navi23", (1024, 768), 1e4, 4e7, 1e8, {}, (), (), 1.0, 1.0, "")


def space(busy: float = 4e7):
    return explore(replace(COST, busy_cycles=busy), NAVI23, (8, 16, 32), (1e9, 2e9, 2.589e9))


def test_at_the_products_own_units_and_clock_it_is_the_shipped_law():
    shipped = {each.product: each for each in estimates(COST, NAVI23) if each.clock == "boost"}
    placed = {each.product.name: each.estimate for each in space().products}
    assert placed["Radeon RX 6600 XT"] == shipped["Radeon RX 6600 XT"]
    assert placed.keys() == shipped.keys()
    for name, each in placed.items():
        assert each.time_s == shipped[name].time_s


@given(st.floats(1e5, 1e10))
def test_twice_the_units_halve_the_work_and_leave_the_floor(busy):
    found = space(busy)
    (small, *_), (double, *_), _ = found.estimates
    assert double.time_s - found.floor_s == pytest.approx(
        (small.time_s - found.floor_s) / 2, rel=1e-6, abs=1e-12
    )
    assert found.floor_s == pytest.approx(6.15e-6, rel=1e-5, abs=1e-9)


def test_an_iso_line_is_where_the_time_is_the_frames():
    found = space(4e10)
    for rate, clocks in found.lines.items():
        for n, clock in zip(found.units, clocks, strict=True):
            assert clock is not None
            again = explore(found.parts, NAVI23, (n,), (clock,)).estimates[0][0]
            assert again.time_s == pytest.approx(1 / rate)
        assert found.line_of(1 / rate) == clocks


def test_the_weakest_product_is_the_slowest_within_the_budget():
    products = space(4e10).products
    times = [each.estimate.time_s for each in products]
    assert times == sorted(times, reverse=True)
    assert weakest(products, times[0]) is products[0]
    assert weakest(products, times[-1]) is products[-1]
    assert weakest(products, times[-1] / 2) is None
    sure = weakest(products, times[0], surely=True)
    assert sure is None or sure.estimate.high_s <= times[0]


def test_a_family_without_a_law_is_refused():
    (adreno, *_) = named("qualcomm")
    with pytest.raises(WrongUse, match="takes AMD's families only"):
        explore(COST, adreno, (8,), (1e9,))
    with pytest.raises(WrongUse, match="takes AMD's families only"):
        explore(replace(COST, measure="instructions"), NAVI23, (8,), (1e9,))


def test_perfvecs_table_of_ranks():
    ranks = [1] * 4 + [2] * 7 + [3] * 4 + [4] + [5]
    assert better_share(ranks, 36) == pytest.approx(0.0359, abs=5e-5)


def test_the_usual_axes_surround_the_products():
    units, clocks = usual(NAVI23)
    assert units == (8, 16, 24, 32, 40, 48)
    assert clocks == (1.2e9, 1.6e9, 2e9, 2.4e9, 2.8e9, 3.2e9)


def test_a_frame_takes_its_passes_one_after_another():
    frame = explore([Part(COST), Part(COST, 6)], NAVI23, (16, 32), (1e9, 2e9))
    alone = explore(COST, NAVI23, (16, 32), (1e9, 2e9))
    for row, single in zip(frame.estimates, alone.estimates, strict=True):
        for each, part in zip(row, single, strict=True):
            assert each.time_s == pytest.approx(7 * part.time_s)
            assert each.high_s == pytest.approx(7 * part.high_s)
            assert "2 passes" in each.basis
    assert frame.busy_cycles == 7 * alone.busy_cycles
    assert frame.floor_s == pytest.approx(7 * alone.floor_s)
    budget_s = 1.5 * frame.estimates[1][1].time_s
    for units, clock in zip(frame.units, frame.line_of(budget_s), strict=True):
        assert clock is not None
        ((again,),) = explore(frame.parts, NAVI23, (units,), (clock,)).estimates
        assert again.time_s == pytest.approx(budget_s)
    assert frame.line_of(0.5 * frame.floor_s) == (None, None)
