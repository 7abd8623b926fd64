"""Laws of scaling, on the figures of Issa's paper and on what a law must keep."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.prediction.scaling import Law, fit

CLOCKS = (500.0, 750.0, 1000.0)
MS = (28.8, 23.66, 21.8)
"""The paper's two points, and the third from which its printed line follows."""


def test_amdahl_through_the_papers_two_points():
    law = fit(Law.AMDAHL, CLOCKS[:2], MS[:2])
    assert law.a == pytest.approx(13.38, abs=0.001)
    assert law.b == pytest.approx(7710, abs=0.5)
    assert law.at(900) == pytest.approx(21.9467, abs=1e-4)
    assert law.fixed_share(500) == pytest.approx(0.465, abs=0.001)
    assert law.fixed_share(750) == pytest.approx(0.566, abs=0.001)
    assert MS[0] / law.bound_s == pytest.approx(2.152, abs=0.001)
    assert law.efficiency(750) == pytest.approx(0.8115, abs=1e-4)
    for clock, efficiency in ((900, 0.729), (1000, 0.683), (1500, 0.518), (3000, 0.301)):
        assert law.efficiency(clock) == pytest.approx(efficiency, abs=0.001)
    assert math.isnan(law.left_out)


def test_the_papers_printed_line_is_that_of_the_score():
    law = fit(Law.SCORE, CLOCKS, MS)
    assert 10 * law.a == pytest.approx(0.5709, abs=5e-5)
    assert 10 * law.b == pytest.approx(-111.73, abs=0.005)
    assert law.at(900) == pytest.approx(22.38, abs=0.005)
    assert law.bound_s == pytest.approx(17.51, abs=0.01)
    assert law.at(150) == math.inf  # its pole lies at 195.7 MHz


def test_three_points_by_the_papers_own_law():
    law = fit(Law.AMDAHL, CLOCKS, MS)
    assert law.a == pytest.approx(14.4957, abs=1e-4)
    assert law.b == pytest.approx(7101.43, abs=0.01)
    assert law.at(900) == pytest.approx(22.3862, abs=1e-4)
    assert law.residuals == pytest.approx((0.10, -0.30, 0.20), abs=0.01)
    assert fit(Law.SCORE, CLOCKS, MS).bound_s - law.bound_s == pytest.approx(3.0, abs=0.05)


@given(st.floats(1e-6, 1.0), st.floats(1e-9, 1e-3), st.booleans())
def test_a_law_that_holds_is_found_again(a, b, relative):
    pixels = (1e4, 2e5, 8e5, 2e6)
    law = fit(Law.LINEAR, pixels, [a + b * x for x in pixels], relative=relative)
    assert law.at(5e5) == pytest.approx(a + b * 5e5, rel=1e-6)
    assert law.deviation < 1e-6
    assert law.left_out < 1e-4
    assert law.remarks == ()


def test_what_cannot_be_is_said_not_clamped():
    bent = fit(Law.LINEAR, (1, 2, 3), (1, 4, 9))
    assert bent.a < 0
    assert "grows with the size" in bent.remarks[0]
    assert "faster" in fit(Law.AMDAHL, (1, 2), (4, 1)).remarks[0]
    assert "does not scale" in fit(Law.AMDAHL, (1, 2), (1, 2)).remarks[0]


def test_a_projection_is_outside_the_points():
    law = fit(Law.LINEAR, (100, 200), (1, 2))
    assert not law.projects(150)
    assert law.projects(300)
    assert not law.is_far(800)
    assert law.is_far(801)
    assert law.is_far(24)


@pytest.mark.parametrize(
    ("x", "seconds"), [((1,), (1,)), ((1, 1), (1, 2)), ((0, 1), (1, 2)), ((1, 2), (0, 1))]
)
def test_too_little_is_refused(x, seconds):
    with pytest.raises(ValueError, match="two places"):
        fit(Law.LINEAR, x, seconds)
