"""Knees, and curves that agree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.studies.curves import agreement, knee

STEPS = (8, 16, 32, 64, 128)


def test_the_knee_is_the_farthest_point_from_the_chord():
    # Scaled to 0..1 the chord falls from 1 to 0; 32 lies at (0.2, 0.05): 0.75 / sqrt(2) off it.
    assert knee(STEPS, (100, 40, 5, 1, 0)) == 2
    assert knee(STEPS[::-1], (0, 1, 5, 40, 100)) == 2


def test_a_line_has_no_knee_and_neither_have_two_points_or_a_flat_curve():
    assert knee(STEPS, STEPS) is None
    assert knee((1, 2), (5, 1)) is None
    assert knee(STEPS, (3, 3, 3, 3, 3)) is None
    assert knee(STEPS, (3, 2, float("inf"), 1, 0)) is None


@given(st.floats(0.01, 100), st.floats(-50, 50), st.floats(0.01, 100))
def test_units_do_not_move_the_knee(scale, shift, stretch):
    y = [shift + scale * value for value in (100, 40, 5, 1, 0)]
    assert knee([stretch * x for x in STEPS], y) == 2


def test_agreement_counts_steps_between_cheapest_values_and_knees():
    found = agreement(STEPS, (100, 40, 5, 2, 1), (110, 44, 30, 3, 3.3))
    assert found.median_error == pytest.approx(1 / 3)
    assert found.shape_error == pytest.approx(100 / 110 / (2 / 3) - 1)
    assert found.cheapest_steps == 1
    # Through the first point the others are 1, 0.1833, 0.733 and 0.333 times what was measured.
    assert found.anchored_error == pytest.approx(np.median([0, 1 - 11 / 60, 4 / 15, 2 / 3]))
    assert found.knee_steps == 1
    assert found.spearman == pytest.approx(0.9)


def test_a_curve_without_a_knee_has_no_distance():
    assert agreement(STEPS, STEPS, STEPS).knee_steps is None
    with pytest.raises(ValueError, match="two points"):
        agreement((1,), (1,), (1,))
